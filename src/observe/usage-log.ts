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
/** Lines that come within this time are written together. */
const gatherMs = 250

/** A disk that fails is reported once and never fails a turn. */
export class UsageLog {
  readonly #file: string
  readonly #onError: (error: unknown) => void
  #lines: string[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  /** Bytes in the file; undefined until it was looked at. */
  #size: number | undefined
  #failed = false

  constructor(file: string, onError: (error: unknown) => void) {
    this.#file = file
    this.#onError = onError
  }

  add(record: UsageRecord): void {
    this.#lines.push(`${JSON.stringify(record)}\n`)
    this.#timer ??= setTimeout(() => void this.flush(), gatherMs).unref()
  }

  /** Resolves when everything added so far is on disk. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#lines.splice(0).join('')
    if (text !== '')
      this.#writing = this.#writing.then(() => this.#append(text)).catch((error) => this.#report(error))
    return this.#writing
  }

  async #append(text: string): Promise<void> {
    this.#size ??= await this.#open()
    if (this.#size + text.length > maxBytes) {
      await this.#rotate()
      this.#size = 0
    }
    await appendFile(this.#file, text, { mode: 0o600 })
    this.#size += Buffer.byteLength(text)
    this.#failed = false
  }

  async #open(): Promise<number> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    return stat(this.#file).then(
      (found) => found.size,
      () => 0,
    )
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
    this.#size = undefined
  }
}
