// Reads a tape file, which may hold several tapes. Errors name the line.

import { type Fields, isObject } from '../base/json.ts'
import { FileProblem, type ReadFileOptions, readRegularFile } from '../base/read-file.ts'
import { frameProblem } from './check-frame.ts'
import { isTooDeep } from './depth.ts'
import type { Frame, TapeHead } from './frame.ts'

export interface ReadTape {
  head: TapeHead
  /** The line of the head; the first frame is on the next line. */
  line: number
  turn: string
  frames: Frame[]
  /** The line of each frame. */
  lines: number[]
}

export interface TapeFile {
  path: string
  bytes: number
  /** In file order; at least one. */
  tapes: ReadTape[]
}

/** A problem with a tape, worded for the person who supplied it. */
export class TapeError extends Error {
  override readonly name = 'TapeError'
  readonly path: string
  readonly problem: string

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`)
    this.path = path
    this.problem = problem
  }
}

const tapeFormat = 1
/** Recorders stop far below this; a longer file is no tape. */
const maxBytes = 256 * 1024 * 1024

/** `pipeMs`: accept a pipe in place of a file, and read it for so long. */
export function readTapeFile(path: string, options: Pick<ReadFileOptions, 'pipeMs'> = {}): TapeFile {
  const bytes = readBytes(path, options)
  return { path, bytes: bytes.length, tapes: parseTapes(textOf(bytes, path), path) }
}

export function parseTapes(text: string, path: string): ReadTape[] {
  if (text.trim() === '') throw new TapeError(path, 'is not a tape: it is empty')
  const tapes: ReadTape[] = []
  const lines = text.split('\n')
  for (const [at, source] of lines.entries()) {
    if (source.trim() === '') continue
    const line = at + 1
    const last = tapes.at(-1)
    const value = parseLine(source)
    if (!last) checkFirst(value, { text, source, line, path })
    else if (value === undefined)
      throw new TapeError(path, `line ${line} ${notJson(source, at === lines.length - 1)}`)
    if (isTooDeep(value)) throw new TapeError(path, `line ${line} is nested too deeply`)
    if (isHead(value)) tapes.push(readHead(value, line, path))
    else if (last) addFrame(last, value, line, path)
  }
  for (const tape of tapes) {
    if (tape.frames.length === 0) throw new TapeError(path, `line ${tape.line} begins a tape without frames`)
    tape.turn = turnOf(tape.frames)
  }
  return tapes
}

/** Undefined for anything but JSON. Parses synchronously: only commands read tapes, and no turn waits for a long line. */
function parseLine(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

const isHead = (value: unknown): value is Fields => isObject(value) && Object.hasOwn(value, 'tape')

/** Incomplete JSON at the end of a file means that writing was interrupted. */
const notJson = (source: string, isLast: boolean) =>
  isLast && /^\s*\{/.test(source)
    ? 'is cut off: the file ends in the middle of it'
    : `is not JSON: ${JSON.stringify(source.slice(0, 40))}`

function readHead(head: Fields, line: number, path: string): ReadTape {
  const { tape } = head
  if (typeof tape === 'number' && tape > tapeFormat)
    throw new TapeError(
      path,
      `line ${line}: the format is newer (${tape}); this program reads format ${tapeFormat}: update it`,
    )
  if (tape !== tapeFormat)
    throw new TapeError(path, `is not a tape: line ${line} has "tape", but no valid format number`)
  for (const name of ['dragoman', 'recordedAt'])
    if (typeof head[name] !== 'string') throw new TapeError(path, `line ${line}: the head has no "${name}"`)
  if (head.origin !== 'recorded' && head.origin !== 'made')
    throw new TapeError(path, `line ${line}: the head's "origin" is neither "recorded" nor "made"`)
  for (const name of ['continues', 'title', 'replay'])
    if (head[name] !== undefined && typeof head[name] !== 'string')
      throw new TapeError(path, `line ${line}: the head's "${name}" is not a text`)
  return { head: head as unknown as TapeHead, line, turn: '', frames: [], lines: [] }
}

function addFrame(tape: ReadTape, value: unknown, line: number, path: string): void {
  const problem = frameProblem(value)
  if (problem !== undefined) throw new TapeError(path, `line ${line} ${problem}`)
  tape.frames.push(value as Frame)
  tape.lines.push(line)
}

/** The turn that begins on the tape. */
function turnOf(frames: readonly Frame[]): string {
  const begun = frames.find((frame) => frame.side === 'gateway' && frame.do === 'begin')
  return (begun ?? frames[0])?.turn ?? ''
}

interface First {
  text: string
  source: string
  line: number
  path: string
}

function checkFirst(value: unknown, { text, source, line, path }: First): void {
  if (isHead(value)) return
  const known = foreignName(value ?? parseLine(text))
  if (known !== undefined) throw new TapeError(path, `is not a tape: it looks like ${known}`)
  const what =
    value === undefined ? `is not JSON: ${JSON.stringify(source.slice(0, 40))}` : `has no "tape" field`
  throw new TapeError(path, `is not a tape: its first line (${line}) ${what}`)
}

/** Names other .jsonl and .json files that people confuse with tapes. */
function foreignName(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const has = (...names: string[]) => names.every((name) => Object.hasOwn(value, name))
  if (isObject(value.log) && Object.hasOwn(value.log, 'entries')) return "a browser's HAR file"
  if (has('script', 'kind')) return "a simulator's script (`dragoman sim KIND --script FILE` plays it)"
  if (has('custom_id')) return 'an OpenAI batch file'
  if (has('time', 'turn', 'key', 'outcome')) return "a gateway's usage log"
  if (has('time', 'level') || has('time', 'msg')) return "a gateway's log"
  if (has('messages')) return 'a list of conversations'
  return has('at', 'turn', 'side', 'do') ? 'a tape without its first line, the head' : undefined
}

function readBytes(path: string, options: Pick<ReadFileOptions, 'pipeMs'>): Buffer {
  try {
    return readRegularFile(path, { maxBytes, ...options })
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    throw new TapeError(path, fileProblems[error.code] ?? error.message)
  }
}

const fileProblems: Record<string, string> = {
  EISDIR: 'is a folder; `dragoman tape ls FOLDER` lists its tapes',
  EFBIG: `is not a tape: it is longer than ${maxBytes / 1024 / 1024} MiB`,
  DEVICE: 'is not a tape: it is a device, not a file',
}

function textOf(bytes: Buffer, path: string): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw new TapeError(path, 'is compressed with gzip; decompress it first (`gunzip FILE`)')
  if (bytes.includes(0)) throw new TapeError(path, 'is not a tape: it is binary')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new TapeError(path, 'is not a tape: it is not UTF-8')
  }
}
