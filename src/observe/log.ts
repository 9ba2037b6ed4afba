// Structured logs: one scrubbed JSON object per line, on stderr. Never bodies, never headers; at level debug, excerpts of invalid
// upstream data.

import { inspect } from 'node:util'
import { isoTime } from '../base/iso-time.ts'
import { jsonString, memberLead } from '../base/json-string.ts'
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

/** The level follows the configuration. */
export interface AdjustableLog extends Log {
  setLevel(level: LogLevel): void
}

/** Linux's PIPE_BUF: a pipe takes this much atomically, so lines of several processes do not mix. */
export const longestSharedLine = 4_096

const longestText = 1_000
/** Texts are cut to this length where a line is too long. */
const shorterText = 200

interface LogOptions {
  level: LogLevel
  scrubber: Scrubber
  write?: (line: string) => void
  /** Fields of every line. */
  always?: Record<string, unknown>
  /** A longer line is shortened. */
  longestLine?: number
}

export function createLog({
  level: first,
  scrubber,
  write,
  always = {},
  longestLine = Number.POSITIVE_INFINITY,
}: LogOptions): AdjustableLog {
  let level = first
  // Scrub each value before cutting it: half a secret is not recognized. Upstream excerpts may contain pieces of a conversation:
  // debug only.
  const cleanTo = (longest: number) => (key: string, value: unknown) => {
    if (key === 'excerpt' && level !== 'debug') return undefined
    if (typeof value !== 'string') return value
    const text = scrubber.scrub(value)
    return text.length > longest ? `${text.slice(0, longest)}…` : text
  }
  const lines = write ? { add: write, flush: () => undefined } : stderrLines()
  const short = (text: string) => scrubber.scrubToJson(text)
  const toLine = lineWriter(short, cleanTo(longestText))
  const toShorterLine = lineWriter(short, cleanTo(shorterText))
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
      // A warning may precede a crash.
      if (rank === 'warn' || rank === 'error') lines.flush()
    }
  const setLevel = (next: LogLevel) => {
    level = next
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), setLevel }
}

/** The id of a turn is the gateway's own: no two are equal, and none is a secret. */
const isOwnId = (name: string, value: string) => name === 'turn' && ownId.test(value)
const ownId = /^turn_[A-Za-z0-9]{16}$/

/** A text of this length is never cut. */
const shortText = 64

/**
 * Writes field by field: a JSON replacer that is called for every number takes longer than all the rest. `short` gives the JSON of a
 * short text, `clean` a value for any other.
 */
function lineWriter(short: (text: string) => string, clean: (key: string, value: unknown) => unknown) {
  const jsonOf = (name: string, value: unknown): string | undefined => {
    if (Number.isFinite(value) || typeof value === 'boolean') return String(value)
    if (typeof value === 'string' && value.length <= shortText && name !== 'excerpt')
      return isOwnId(name, value) ? `"${value}"` : short(value)
    const cleaned = clean(name, value)
    return typeof cleaned === 'string' ? jsonString(cleaned) : JSON.stringify(cleaned, clean)
  }
  const member = (name: string, value: unknown): string => {
    const text = value === undefined ? undefined : jsonOf(name, value)
    return text === undefined ? '' : memberLead(name) + text
  }
  return (head: Record<string, unknown>, fields: Record<string, unknown>): string => {
    let members = ''
    for (const name in head) members += member(name, Object.hasOwn(fields, name) ? fields[name] : head[name])
    for (const name in fields) if (!Object.hasOwn(head, name)) members += member(name, fields[name])
    return asciiControls(`{${members.slice(1)}}\n`)
  }
}

/** An error may be among its own causes. */
const mostCauses = 5

/** The log fields of any thrown value: message, causes, and the upstream excerpt. */
export function errorFields(error: unknown, causes = mostCauses): Record<string, unknown> {
  // Not String(): some values cannot be converted.
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
