// The usage log: an append-only JSONL file with a line per turn, rotated by size.

import { flatJson } from '../base/json-string.ts'
import { asciiControls } from '../base/visible-text.ts'
import type { LineFile } from './rotating-file.ts'

export type UsageRecord = {
  time: string
  turn: string
  key: string
  /** The agent, if it is a known one. */
  client?: string | undefined
  /** The session that the client names. */
  session?: string | undefined
  model: string
  backend: string
  outcome: string
  /** Complete tool calls; absent in records of earlier versions. */
  calls?: number | undefined
  inputTokens: number
  outputTokens: number
  /** Parts of the two totals, if the service reports them. */
  cacheReadTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  reasoningTokens?: number | undefined
  estimated?: boolean | undefined
  milliseconds: number
}

/** Lines within this time share a write. */
const gatherMs = 250

/** A disk error is reported once and never fails a turn. */
export class UsageLog {
  readonly #file: LineFile
  readonly #onError: (error: unknown) => void
  #lines: string[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #failed = false

  constructor(file: LineFile, onError: (error: unknown) => void) {
    this.#file = file
    this.#onError = onError
  }

  add(record: UsageRecord): void {
    this.#lines.push(flatJson(record), '\n')
    this.#timer ??= setTimeout(() => void this.flush(), gatherMs).unref()
  }

  /** Resolves when everything added so far is on disk. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = asciiControls(this.#lines.splice(0).join(''))
    if (text !== '') this.#writing = this.#write(text)
    return this.#writing
  }

  async #write(text: string): Promise<void> {
    try {
      await this.#file.append(text)
      this.#failed = false
    } catch (error) {
      if (!this.#failed) this.#onError(error)
      this.#failed = true
    }
  }
}
