// Reads files that a user names. A FIFO without a writer blocks for ever, a device has no end, and a file may be larger than
// memory: only regular files of limited size are read, anything else is an error that says what it is.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

export interface ReadFileOptions {
  maxBytes: number
  /** How long to read a pipe, such as a shell's `<(command)`; without it pipes are refused. */
  pipeMs?: number
}

/** For paths on a command line or in the configuration. */
export const pipePatienceMs = 5_000

/** Why a file was not read; the message follows the path. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
  /** The system's error code, or the kind of thing that is not a file. */
  readonly code: string

  constructor(code: string, problem: string, options?: ErrorOptions) {
    super(problem, options)
    this.code = code
  }
}

export function readRegularFile(path: string, options: ReadFileOptions): Buffer {
  let file: number | undefined
  try {
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    return readAll(file, options)
  } catch (error) {
    if (error instanceof FileProblem) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new FileProblem(code, problems[code] ?? `cannot be read (${code})`, { cause: error })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const problems: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a folder',
  ENXIO: 'is a socket or a device, not a file',
}

function readAll(file: number, { maxBytes, pipeMs }: ReadFileOptions): Buffer {
  const found = fstatSync(file)
  const isPipe = found.isFIFO() && pipeMs !== undefined
  if (!isPipe) refuseOthers(found)
  if (found.size > maxBytes) throw tooLarge(maxBytes)
  const read = isPipe ? pipeReader(file, pipeMs) : (into: Buffer) => readSync(file, into)
  const pieces: Buffer[] = []
  let size = 0
  for (;;) {
    const piece = Buffer.allocUnsafe(Math.max(64 * 1024, Math.min(found.size - size + 1, 16 * 1024 * 1024)))
    const length = read(piece)
    if (length === 0) return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    size += length
    if (size > maxBytes) throw tooLarge(maxBytes)
    pieces.push(piece.subarray(0, length))
  }
}

const tooLarge = (maxBytes: number) =>
  new FileProblem('EFBIG', `is larger than ${Math.ceil(maxBytes / 1024)} KiB`)

function refuseOthers(found: Stats): void {
  if (found.isFile()) return
  if (found.isDirectory()) throw new FileProblem('EISDIR', 'is a folder')
  if (found.isFIFO()) throw new FileProblem('FIFO', 'is a pipe (FIFO), not a file')
  throw new FileProblem('DEVICE', 'is a device, not a file')
}

const pollMs = 5

/** Before the first byte, end of file means that the pipe has no writer yet. */
function pipeReader(file: number, patienceMs: number): (into: Buffer) => number {
  const deadline = Date.now() + patienceMs
  const pause = new Int32Array(new SharedArrayBuffer(4))
  let hasBegun = false
  return (into) => {
    for (;;) {
      const length = readOrNothing(file, into)
      if (length !== undefined && (length > 0 || hasBegun)) {
        hasBegun = true
        return length
      }
      if (Date.now() > deadline)
        throw new FileProblem('FIFO', `is a pipe that did not end within ${patienceMs / 1000} s`)
      Atomics.wait(pause, 0, 0, pollMs)
    }
  }
}

function readOrNothing(file: number, into: Buffer): number | undefined {
  try {
    return readSync(file, into)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}
