// Who used how much: an append-only JSONL file, a line a turn, rotated by size.

import { appendFile, mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface UsageRecord {
  time: string
  turn: string
  key: string
  model: string
  backend: string
  outcome: string
  inputTokens: number
  outputTokens: number
  estimated?: boolean
  milliseconds: number
}

const maxBytes = 64 * 1024 * 1024
const keptFiles = 5

/** Lines are written one after the other; a disk that fails is reported once and never fails a turn. */
export class UsageLog {
  readonly #file: string
  readonly #onError: (error: unknown) => void
  #queue: Promise<void> = Promise.resolve()
  #failed = false

  constructor(file: string, onError: (error: unknown) => void) {
    this.#file = file
    this.#onError = onError
  }

  add(record: UsageRecord): void {
    this.#queue = this.#queue
      .then(() => this.#append(`${JSON.stringify(record)}\n`))
      .catch((error) => this.#report(error))
  }

  /** Resolves when everything added so far is on disk. */
  flush(): Promise<void> {
    return this.#queue
  }

  async #append(line: string): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    const size = await stat(this.#file).then(
      (found) => found.size,
      () => 0,
    )
    if (size + line.length > maxBytes) await this.#rotate()
    await appendFile(this.#file, line, { mode: 0o600 })
    this.#failed = false
  }

  async #rotate(): Promise<void> {
    for (let at = keptFiles - 1; at >= 1; at--) {
      const from = at === 1 ? this.#file : `${this.#file}.${at - 1}`
      await rename(from, `${this.#file}.${at}`).catch(() => undefined)
    }
  }

  #report(error: unknown): void {
    if (!this.#failed) this.#onError(error)
    this.#failed = true
  }
}
