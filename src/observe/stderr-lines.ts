// Log lines on stderr. Lines that arrive together share a write, which is a system call. A closed reader, a full pipe or a full
// disk costs log lines, never the process: such lines are dropped and counted.

import { isoTime } from '../base/iso-time.ts'

interface Lines {
  add(line: string): void
  /** Writes at once. */
  flush(): void
}

/** PIPE_BUF: a pipe takes this much atomically, so lines of several processes do not mix. */
const mostTogether = 4_096
/** Short enough for a reader to see lines immediately. */
const gatherMs = 10

export function createLines(write: (text: string) => void): Lines {
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = gathered
    gathered = ''
    if (text !== '') write(text)
  }
  return {
    add(line) {
      if (gathered.length + line.length > mostTogether) flush()
      gathered += line
      timer ??= setTimeout(flush, gatherMs).unref()
    },
    flush,
  }
}

/** The part of a writable stream that a log needs. */
interface LogStream {
  readonly writableLength: number
  write(text: string, done: (error?: Error | null) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

interface LossyWriter {
  write(text: string): void
  /** Lines dropped so far. */
  readonly lost: number
}

/** The limit of unwritten bytes for a slow reader. */
export const mostPendingBytes = 1024 * 1024
/** The pause after a failed write: the disk may have space again, a FIFO another reader. */
const retryMs = 1_000

/** Writes to a stream that may stall or fail. The first text after a loss begins with a line that says how much was lost. */
export function createLossyWriter(stream: LogStream, now: () => number = Date.now): LossyWriter {
  let lost = 0
  let untold = 0
  let brokenUntil = 0
  const drop = (lines: number) => {
    lost += lines
    untold += lines
  }
  const fail = (lines: number) => {
    brokenUntil = now() + retryMs
    drop(lines)
  }
  // Without a listener, a failed write would be an uncaught exception.
  stream.on('error', () => fail(0))
  return {
    get lost() {
      return lost
    },
    write(text) {
      const lines = countLines(text)
      if (now() < brokenUntil || stream.writableLength > mostPendingBytes) return drop(lines)
      const told = untold
      untold = 0
      try {
        stream.write(told === 0 ? text : lossLine(told) + text, (error) => {
          if (!error) return
          fail(lines)
          untold += told
        })
      } catch {
        fail(lines)
        untold += told
      }
    },
  }
}

const lossLine = (lines: number) =>
  `${JSON.stringify({ time: isoTime(), level: 'warn', message: 'log lines were lost', lines })}\n`

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

let shared: { lines: Lines; writer: LossyWriter } | undefined

export function stderrLines(): Lines {
  if (!shared) {
    const writer = createLossyWriter(process.stderr)
    shared = { lines: createLines(writer.write), writer }
    process.once('exit', shared.lines.flush)
  }
  return shared.lines
}

/** For this process. */
export const lostLogLines = (): number => shared?.writer.lost ?? 0
