// Structured logs: one JSON object a line, on stderr, scrubbed. Never bodies, never headers; at level debug, excerpts of
// what an upstream got wrong.

import { inspect } from 'node:util'
import { GatewayError } from '../core/errors.ts'
import type { Scrubber } from './scrub.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

const ranks: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 }

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

const longestText = 1_000

export interface LogOptions {
  level: LogLevel
  scrubber: Scrubber
  write?: (line: string) => void
}

export function createLog({
  level,
  scrubber,
  write = (line) => process.stderr.write(line),
}: LogOptions): Log {
  // Scrubbed value by value, and cut only then: half a secret would not be known as one. What an upstream said may hold
  // pieces of a conversation: for debugging only.
  const clean = (key: string, value: unknown) => {
    if (key === 'excerpt' && level !== 'debug') return undefined
    if (typeof value !== 'string') return value
    const text = scrubber.scrub(value)
    return text.length > longestText ? `${text.slice(0, longestText)}…` : text
  }
  // Field by field: a replacer that is asked for every number would take longer than all the rest.
  const member = (name: string, value: unknown): string => {
    if (Number.isFinite(value) || typeof value === 'boolean') return `,"${name}":${value}`
    const cleaned = clean(name, value)
    const text = typeof cleaned === 'string' ? JSON.stringify(cleaned) : JSON.stringify(cleaned, clean)
    return text === undefined ? '' : `,"${name}":${text}`
  }
  const at =
    (rank: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (ranks[rank] < ranks[level]) return
      let line = `{"time":"${new Date().toISOString()}","level":"${rank}","message":${JSON.stringify(clean('message', message))}`
      for (const name in fields) line += member(name, fields[name])
      write(`${line}}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
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
