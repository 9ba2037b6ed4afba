// Tapes on disk: each turn is a file, written whole when the turn is over, or not at all. The oldest go when there are too many.

import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scrubber } from '../observe/scrub.ts'
import { version } from '../version.ts'
import { Tape } from './tape.ts'
import type { TurnBeginning, TurnTape, Watch } from './watch.ts'
import { tapeText } from './write.ts'

export interface RecorderOptions {
  folder: string
  /** Every turn, or those whose client asks for it. */
  record: 'all' | 'asked'
  /** Of one tape; what is beyond is left out, and the tape says so. */
  maxBytes: number
  /** Of all tapes in the folder. */
  keepBytes: number
  scrubber: Scrubber
  /** A disk that fails never fails a turn. */
  onError(error: unknown): void
  onWritten?(path: string): void
}

export const tapeName = /^\d{8}T\d{9}Z-turn_[A-Za-z0-9]+\.jsonl$/

export class Recorder implements Watch {
  readonly #options: RecorderOptions
  #work: Promise<void> = Promise.resolve()

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  begin({ turnId, asked }: TurnBeginning): TurnTape | undefined {
    const { record, maxBytes } = this.#options
    if (record === 'asked' && !asked) return undefined
    const recordedAt = new Date().toISOString()
    let isWritten = false
    return new Tape({
      head: { tape: 1, dragoman: version, recordedAt, origin: 'recorded' },
      turn: turnId,
      maxBytes,
      onChange: (tape) => {
        if (isWritten || !tape.isOver) return
        isWritten = true
        this.#work = this.#work.then(() => this.#save(tape)).catch(this.#options.onError)
      },
    })
  }

  /** Resolves when everything recorded so far is on disk. */
  flush(): Promise<void> {
    return this.#work
  }

  async #save(tape: Tape): Promise<void> {
    const { folder, scrubber, onWritten } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const name = `${tape.head.recordedAt.replace(/[-:.]/g, '')}-${tape.turn}.jsonl`
    const path = join(folder, name)
    const draft = join(folder, `.${name}.draft`)
    try {
      await writeFile(draft, tapeText(tape, scrubber), { mode: 0o600 })
      await chmod(draft, 0o600)
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    onWritten?.(path)
    await this.#makeRoom()
  }

  async #makeRoom(): Promise<void> {
    const { folder, keepBytes } = this.#options
    const names = (await readdir(folder)).filter((name) => tapeName.test(name)).sort()
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
    let total = sizes.reduce((sum, size) => sum + size, 0)
    for (const [at, name] of names.entries()) {
      if (total <= keepBytes || at === names.length - 1) return
      await rm(join(folder, name), { force: true })
      total -= sizes[at] ?? 0
    }
  }
}
