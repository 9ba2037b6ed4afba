// Reads lines of an open file unchanged, with line ends and byte order mark. Large files are read in chunks; only the result is
// kept.

import { isUtf8 } from 'node:buffer'
import { fstatSync, readSync } from 'node:fs'
import { checkNotStopped, type FileLimits, TimeSlice } from './limits.ts'
import { Refusal, shown } from './refusal.ts'

interface LineRange {
  /** From 1; a negative one counts from the end. */
  offset: number
  limit: number | undefined
}

interface ReadLines {
  content: string
  complete: boolean
  totalLines?: number
}

const chunkBytes = 256 * 1024
/** How much of a file is read to count its lines. */
const maxScannedBytes = 64 * 1024 * 1024
const probeBytes = 8 * 1024
const newline = 0x0a

export async function readLines(
  { descriptor, path }: { descriptor: number; path: string },
  range: LineRange,
  limits: FileLimits,
): Promise<ReadLines> {
  const { size, mtimeMs } = fstatSync(descriptor)
  if (readPart(descriptor, 0, Math.min(size, probeBytes)).includes(0))
    throw new Refusal(`${shown(path)} is a binary file (it holds NUL bytes), so there are no lines to show.`)
  const file: OpenFile = { descriptor, size, limits }
  const first = range.offset > 0 ? range.offset : await fromEnd(file, range.offset, path)
  const found = await findLines(file, first, range.limit)
  const { totalLines } = found
  if (totalLines !== undefined && first > Math.max(1, totalLines))
    throw new Refusal(
      `${shown(path)} has ${totalLines} ${totalLines === 1 ? 'line' : 'lines'}, so there is no line ${first}.`,
    )
  const bytes = readPart(descriptor, found.start, Math.min(found.end - found.start, limits.outputBytes + 1))
  const whole = bytes.length <= limits.outputBytes
  const kept = whole ? bytes : cutAtLine(bytes.subarray(0, limits.outputBytes))
  const after = fstatSync(descriptor)
  const unchanged = after.size === size && after.mtimeMs === mtimeMs
  const text = kept.toString('utf8')
  return {
    content: whole ? text : `${text}${remark(kept, first, totalLines, limits)}`,
    complete: whole && unchanged && found.start === 0 && bytes.length === size && isUtf8(kept),
    ...(totalLines === undefined ? {} : { totalLines }),
  }
}

interface OpenFile {
  descriptor: number
  size: number
  limits: FileLimits
}

function readPart(descriptor: number, start: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, start + filled)
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

async function fromEnd(file: OpenFile, offset: number, path: string): Promise<number> {
  const { totalLines } = await findLines(file, 1, undefined)
  if (totalLines === undefined)
    throw new Refusal(`${shown(path)} is too large to count its lines from the end. Ask for lines by number.`)
  return Math.max(1, totalLines + offset + 1)
}

interface FoundLines {
  /** In bytes. */
  start: number
  end: number
  /** Undefined if the file is too large to count. */
  totalLines: number | undefined
}

async function findLines(file: OpenFile, first: number, limit: number | undefined): Promise<FoundLines> {
  const { descriptor, size, limits } = file
  const slice = new TimeSlice(limits)
  const behind = limit === undefined ? Number.POSITIVE_INFINITY : first + limit
  let line = 1
  let lineStart = 0
  let start = first === 1 ? 0 : undefined
  let end: number | undefined
  for (let at = 0; at < size; ) {
    checkNotStopped(limits)
    const chunk = readPart(descriptor, at, Math.min(chunkBytes, size - at))
    if (chunk.length === 0) break
    for (let found = chunk.indexOf(newline); found >= 0; found = chunk.indexOf(newline, found + 1)) {
      line++
      lineStart = at + found + 1
      if (line === first) start = lineStart
      if (line === behind) end = lineStart
    }
    at += chunk.length
    if (at >= maxScannedBytes && at < size)
      return { start: start ?? size, end: end ?? size, totalLines: undefined }
    await slice.pauseIfDue()
  }
  return { start: start ?? size, end: end ?? size, totalLines: lineStart === size ? line - 1 : line }
}

/** Cuts at the last line end, or without one at the end of a character. */
function cutAtLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(newline)
  if (end >= 0) return bytes.subarray(0, end + 1)
  let length = bytes.length
  while (length > 0 && ((bytes[length - 1] ?? 0) & 0xc0) === 0x80) length--
  return bytes.subarray(0, Math.max(0, length - 1))
}

function remark(
  kept: Buffer,
  first: number,
  totalLines: number | undefined,
  { outputBytes }: FileLimits,
): string {
  if (kept.at(-1) !== newline)
    return `\n[Cut here: line ${first} is longer than ${outputBytes} bytes, which is all that is shown at once. Search in the file for the rest.]`
  let count = 0
  for (const byte of kept) if (byte === newline) count++
  const next = first + count
  return `[Cut here: lines ${first} to ${next - 1}${totalLines === undefined ? '' : ` of ${totalLines}`} are shown, as ${outputBytes} bytes are shown at once. Go on with offset ${next}.]`
}
