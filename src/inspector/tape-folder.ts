// Tapes on disk as a shelf: a folder of tape files, or one file. Files are read when they are needed; only heads stay in memory.

import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BoundedMap } from '../base/bounded-map.ts'
import { looksSecret } from '../base/secrets/find.ts'
import { inSlices } from '../base/slices.ts'
import { maskSteps } from '../tapes/find-secrets.ts'
import { tapeFiles } from '../tapes/folder.ts'
import { plural } from '../tapes/format.ts'
import { type ReadTape, readTapeFile, TapeError, type TapeFile } from '../tapes/read.ts'
import { TapeOnDisk, unreadableTape } from './tape-on-disk.ts'
import type { Kept, KeptTape, TurnShelf } from './turn-shelf.ts'

/** Longer files would hold up the page: `dragoman tape show` reads them. */
const longestFile = 64 * 1024 * 1024
/** Of the files that are kept after reading. */
const cachedBytes = 48 * 1024 * 1024
const mostFiles = 10_000
const validId = /^turn_[A-Za-z0-9]{1,64}$/

interface Entry extends Kept {
  remark: string | undefined
}

export class TapeFolder implements TurnShelf {
  readonly #path: string
  /** In the order in which their turns began, as far as file names tell. */
  readonly #entries = new Map<string, Entry>()
  readonly #files: BoundedMap<string, TapeFile>
  readonly #listeners = new Set<(tape: Pick<KeptTape, 'turn'>) => void>()
  #isClosed = false
  #damaged = 0

  /** A folder, or a file with tapes. */
  constructor(path: string, { maxBytes = cachedBytes } = {}) {
    this.#path = path
    this.#files = new BoundedMap({ maxBytes })
  }

  /** Reads all heads, then looks for secrets. The page fills meanwhile. */
  async read(onRead: (kept: Kept) => void): Promise<void> {
    const files = this.files().slice(0, mostFiles)
    for (const file of files) {
      if (this.#isClosed) return
      for (const entry of this.#entriesOf(file)) {
        this.#entries.set(entry.tape.turn, entry)
        onRead(entry)
        this.#tell(entry)
      }
      await nextTurn()
    }
    for (const entry of [...this.#entries.values()]) {
      if (this.#isClosed) return
      const { head, frames } = entry.tape
      const { found } = await inSlices(
        maskSteps({ head, line: 1, frames: [...frames], lines: [] }, looksSecret),
      )
      if (found.length === 0) continue
      entry.remark = [
        entry.remark ?? [],
        `${plural(found.length, 'place')} that looked like a secret: masked.`,
      ]
        .flat()
        .join(' ')
      this.#tell(entry)
    }
  }

  /** Throws a `TapeError` for a path that is neither. */
  files(): string[] {
    let isFolder: boolean
    try {
      isFolder = statSync(this.#path).isDirectory()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new TapeError(
        this.#path,
        code === 'ENOENT' ? 'there is no such folder or file' : `cannot be read (${code})`,
      )
    }
    return isFolder ? tapeFiles(this.#path) : [this.#path]
  }

  close(): void {
    this.#isClosed = true
  }

  all(): Kept[] {
    return [...this.#entries.values()]
  }

  get(turnId: string): Kept | undefined {
    return this.#entries.get(turnId)
  }

  onChange(listener: (tape: Pick<KeptTape, 'turn'>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Nothing leaves. */
  onDrop(): () => void {
    return () => undefined
  }

  #tell({ tape }: Kept): void {
    for (const listener of this.#listeners) listener(tape)
  }

  #entriesOf(file: string): Entry[] {
    try {
      const { tapes, bytes } = this.#load(file)
      return tapes.map((tape, at) => this.#entryOf(file, tape, { at, bytes: bytes / tapes.length }))
    } catch (error) {
      const problem = error instanceof TapeError ? error.problem : String(error)
      const tape = unreadableTape(`turn_unreadable${++this.#damaged}`, { file, problem })
      return [{ tape, startedAt: changedAt(file), remark: undefined }]
    }
  }

  #entryOf(file: string, read: ReadTape, { at, bytes }: { at: number; bytes: number }): Entry {
    const begun = Date.parse(read.head.recordedAt)
    const tape = new TapeOnDisk(this.#idFor(read.turn), {
      read,
      bytes: Math.ceil(bytes),
      load: () => this.#load(file).tapes[at],
      file,
    })
    const remark = read.head.title === undefined ? undefined : `${basename(file)}: ${read.head.title}`
    return { tape, startedAt: Number.isNaN(begun) ? changedAt(file) : begun, remark }
  }

  /** The same turn may be on several tapes, and a tape may come from anyone. */
  #idFor(turn: string): string {
    const wanted = validId.test(turn) ? turn : 'turn_unnamed'
    if (!this.#entries.has(wanted)) return wanted
    for (let nth = 2; ; nth++) {
      const id = `${wanted.slice(0, 58)}x${nth}`
      if (!this.#entries.has(id)) return id
    }
  }

  #load(file: string): TapeFile {
    const known = this.#files.get(file)
    if (known) return known
    const size = sizeOf(file)
    if (size > longestFile)
      throw new TapeError(
        file,
        `is ${Math.round(size / 1_048_576)} MiB long, and the page shows tapes up to ${longestFile / 1_048_576} MiB: \`dragoman tape show\` reads it`,
      )
    const read = readTapeFile(file)
    // Parsed, a file takes about three times its size.
    this.#files.set(file, read, 3 * read.bytes)
    return read
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch (error) {
    throw new TapeError(file, `cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function changedAt(file: string): number {
  try {
    return statSync(file).mtimeMs
  } catch {
    return 0
  }
}
