// Structured logs: one JSON object a line, on stderr, scrubbed. Never bodies, never headers; at level debug, excerpts of
// what an upstream got wrong.

import { inspect } from 'node:util'
import { isoTime } from '../base/iso-time.ts'
import { jsonString } from '../base/json-string.ts'
import { asciiControls } from '../base/visible-text.ts'
import { GatewayError } from '../core/errors.ts'
import type { Scrubber } from './scrub.ts'
import { stderrLines } from './stderr-lines.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

const ranks: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 }

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** What a pipe takes at once (PIPE_BUF of Linux): lines of several processes come out of it whole. */
export const longestSharedLine = 4_096

const longestText = 1_000
/** Where a line would be too long. */
const shorterText = 200

interface LogOptions {
  level: LogLevel
  scrubber: Scrubber
  write?: (line: string) => void
  /** In every line. */
  always?: Record<string, unknown>
  /** Beyond so many bytes a line is made shorter. */
  longestLine?: number
}

export function createLog({
  level,
  scrubber,
  write,
  always = {},
  longestLine = Number.POSITIVE_INFINITY,
}: LogOptions): Log {
  // Scrubbed value by value, and cut only then: half a secret would not be known as one. What an upstream said may hold
  // pieces of a conversation: for debugging only.
  const cleanTo = (longest: number) => (key: string, value: unknown) => {
    if (key === 'excerpt' && level !== 'debug') return undefined
    if (typeof value !== 'string') return value
    const text = scrubber.scrub(value)
    return text.length > longest ? `${text.slice(0, longest)}…` : text
  }
  const lines = write ? { add: write, flush: () => undefined } : stderrLines()
  const toLine = lineWriter(cleanTo(longestText))
  const toShorterLine = lineWriter(cleanTo(shorterText))
  const isTooLong = (line: string) =>
    longestLine < Number.POSITIVE_INFINITY && Buffer.byteLength(line) > longestLine
  const lineOf = (head: Record<string, unknown>, fields: Record<string, unknown>) => {
    const line = toLine(head, fields)
    if (!isTooLong(line)) return line
    const shorter = toShorterLine(head, fields)
    return isTooLong(shorter) ? toShorterLine(head, { cut: true }) : shorter
  }
  const at =
    (rank: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (ranks[rank] < ranks[level]) return
      lines.add(lineOf({ time: isoTime(), level: rank, message, ...always }, fields))
      // Something is wrong: who knows what comes next.
      if (rank === 'warn' || rank === 'error') lines.flush()
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Field by field: a replacer that is asked for every number would take longer than all the rest. */
function lineWriter(clean: (key: string, value: unknown) => unknown) {
  const member = (name: string, value: unknown): string => {
    if (value === undefined) return ''
    if (Number.isFinite(value) || typeof value === 'boolean') return `,${jsonString(name)}:${value}`
    const cleaned = clean(name, value)
    const text = typeof cleaned === 'string' ? jsonString(cleaned) : JSON.stringify(cleaned, clean)
    return text === undefined ? '' : `,${jsonString(name)}:${text}`
  }
  return (head: Record<string, unknown>, fields: Record<string, unknown>): string => {
    let members = ''
    for (const name in head) members += member(name, Object.hasOwn(fields, name) ? fields[name] : head[name])
    for (const name in fields) if (!Object.hasOwn(head, name)) members += member(name, fields[name])
    return asciiControls(`{${members.slice(1)}}\n`)
  }
}

/** An error can be among its own causes. */
const mostCauses = 5

/** An error for the log: with its causes, and what the upstream said. Of anything that can be thrown. */
export function errorFields(error: unknown, causes = mostCauses): Record<string, unknown> {
  // Not String(): there are things that cannot be made one.
  if (!(error instanceof Error)) return { error: typeof error === 'string' ? error : inspect(error) }
  const cause =
    error.cause === undefined || causes === 0 ? {} : { cause: errorFields(error.cause, causes - 1) }
  if (error instanceof GatewayError) {
    return {
      code: error.code,
      error: error.message,
      ...(error.upstream ? { upstream: error.upstream } : {}),
      ...cause,
    }
  }
  return { error: error.message, stack: error.stack, ...cause }
}
