// Records tapes on disk: one file per turn, written atomically when the turn is over. The oldest files are removed when space runs
// out.

import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../base/platform/replace-file.ts'
import { version } from '../base/version.ts'
import type { Scrubber } from '../observe/scrub.ts'
import { Tape } from './tape.ts'
import type { TapeSource, TurnBeginning, TurnTape } from './tape-source.ts'
import { tapeChunks } from './write.ts'

export interface RecorderOptions {
  folder: string
  /** Every turn, or only turns whose client asks for it. */
  record: 'all' | 'asked'
  /** The limit of one tape. Frames beyond it are dropped, and the tape is marked as cut. */
  maxBytes: number
  /** The limit of all tapes in the folder. */
  keepBytes: number
  scrubber: Scrubber
  /** A disk error never fails a turn. */
  onError(error: unknown): void
  onWritten?(path: string): void
}

const tapeName = /^\d{8}T\d{9}Z-turn_[A-Za-z0-9]+\.jsonl$/
const draftName = /^\.\d{8}T\d{9}Z-turn_[A-Za-z0-9]+\.jsonl\.draft$/

/** Drafts older than this belong to a process that was killed while writing. */
const forgottenMs = 3_600_000
/** The limit of tapes that wait for a slow disk, or two whole tapes if that is more. */
const mostWaitingBytes = 64 * 1024 * 1024

export class Recorder implements TapeSource {
  readonly #options: RecorderOptions
  #work: Promise<void> = Promise.resolve()
  #waitingBytes = 0
  #isBehind = false
  /** Bytes that may be written before the folder is scanned again: a scan for each tape is too slow in a large folder. */
  #room = 0

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
        this.#take(tape)
      },
    })
  }

  /** Resolves when everything recorded so far is on disk. */
  async flush(): Promise<void> {
    for (let seen: Promise<void> | undefined; seen !== this.#work; ) {
      seen = this.#work
      await seen
    }
  }

  #take(tape: Tape): void {
    const { onError, maxBytes } = this.#options
    const { bytes } = tape
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > Math.max(mostWaitingBytes, 2 * maxBytes)) {
      if (!this.#isBehind)
        onError(new Error('the disk is too slow: tapes are dropped until the waiting ones are written'))
      this.#isBehind = true
      return
    }
    this.#waitingBytes += bytes
    this.#work = this.#work
      .then(() => this.#save(tape))
      .catch(onError)
      .then(() => {
        this.#waitingBytes -= bytes
        if (this.#waitingBytes === 0) this.#isBehind = false
      })
  }

  async #save(tape: Tape): Promise<void> {
    const { folder, scrubber, onWritten } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const name = `${tape.head.recordedAt.replace(/[-:.]/g, '')}-${tape.turn}.jsonl`
    const path = join(folder, name)
    const draft = join(folder, `.${name}.draft`)
    try {
      this.#room -= await writeNew(draft, await tapeChunks(tape, scrubber))
      await replaceFile(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    onWritten?.(path)
    if (this.#room <= 0) await this.#makeRoom(name)
  }

  /** Other processes may write to the folder and remove files at the same time. */
  async #makeRoom(newest: string): Promise<void> {
    const { folder, keepBytes } = this.#options
    const names = await readdir(folder)
    const files = await Promise.all(names.filter((name) => tapeName.test(name)).map(sizeIn(folder)))
    const remove = (name: string) => rm(join(folder, name), { force: true })
    let total = files.reduce((sum, { size }) => sum + size, 0)
    if (total > keepBytes)
      for (const { name, size } of files.sort((one, other) => (one.name < other.name ? -1 : 1))) {
        if (total <= keepBytes * keptPart) break
        // The newest tape stays, whatever the clock says.
        if (name === newest) continue
        await remove(name)
        total -= size
      }
    this.#room = Math.max((keepBytes - total) / 4, keepBytes / 100)
    for (const draft of await Promise.all(names.filter((name) => draftName.test(name)).map(sizeIn(folder))))
      if (Date.now() - draft.changedAt > forgottenMs) await remove(draft.name)
  }
}

/** Returns how many bytes were written. */
async function writeNew(path: string, chunks: Iterable<string>): Promise<number> {
  // `wx` refuses existing files and links.
  const file = await open(path, 'wx', 0o600)
  try {
    await file.chmod(0o600)
    let bytes = 0
    for (const chunk of chunks) {
      const data = Buffer.from(chunk)
      await file.writeFile(data)
      bytes += data.length
    }
    return bytes
  } finally {
    await file.close()
  }
}

/** Removes somewhat more than necessary, to avoid a scan for each tape. */
const keptPart = 0.9

const sizeIn = (folder: string) => async (name: string) => {
  try {
    const { size, mtimeMs } = await lstat(join(folder, name))
    return { name, size, changedAt: mtimeMs }
  } catch {
    return { name, size: 0, changedAt: Number.POSITIVE_INFINITY }
  }
}
