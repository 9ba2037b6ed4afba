// The steps of a scripted turn, and their lines in a script file.
// docs/simulators.md shows the format by example.

import type { JsonValue } from '@bufbuild/protobuf'
import { parseScript, ScriptError } from '../script.ts'
import { EXEC_NAMES } from './exec-kinds.ts'
import { QUERY_NAMES } from './queries.ts'
import { type CursorErrorDetails, isConnectCode } from './refusal.ts'
import type { SceneView } from './scene.ts'

const CURSOR_FAULTS = [
  'reset',
  'fin',
  'hang',
  'truncate',
  'lying-length',
  'goaway',
  'rst-stream',
  'gzip-bomb',
] as const
type CursorFault = (typeof CURSOR_FAULTS)[number]

/** One name of an exec with its arguments as protobuf JSON; or `unknown`, with a field number and bytes. */
export type ExecJson = { readonly [name: string]: JsonValue }
export type ErrorStep = { error: { code: string; message?: string; details?: CursorErrorDetails } }
export type EndStep = { end: true | 'turn-only' | 'frame-only'; usage?: Record<string, number> }
export type KvStep = { kv: 'set' | 'get'; data?: string; blob?: string; missing?: boolean }
export type HeartbeatsStep = { heartbeats: { everyMs: number; count: number | 'forever' } }
export type FaultStep = { fault: CursorFault; code?: number; length?: number; bytes?: number }

export type CursorStep =
  | { say: string; pieces?: number }
  | { think: string; pieces?: number }
  | { exec: ExecJson; shown?: boolean }
  | { execs: readonly ExecJson[]; together?: boolean; shown?: boolean }
  | { await: 'results' }
  | KvStep
  | { blobText: string }
  | { query: string; args?: JsonValue; await?: boolean }
  | { abort: number }
  | { listed: number | false }
  | { checkpoint: true; usedTokens?: number }
  | HeartbeatsStep
  | EndStep
  | ErrorStep
  | { raw64: string }
  | { split: number }
  | { gzip: boolean }
  | { wait: number }
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | FaultStep
  | { 'repeat-exec': true | 'new-call' }
  | { reask: true | 'same-id'; shown?: boolean }
  | { serverMessage: JsonValue }
  | { flood: { deltas: number; text: string; everyMs?: number } }
  | { bare: true }

export interface CursorTurn {
  /** Partial match on the view of the request; a mismatch ends the run with an error and is recorded. */
  readonly expect?: unknown
  /** Which request this turn is for; other requests leave it in the queue. */
  readonly when?: Record<string, unknown> | ((view: SceneView) => boolean)
  readonly steps: readonly CursorStep[]
}

export interface CursorScript {
  readonly kind: string
  readonly scenario: string
  readonly source: string
  readonly turns: readonly CursorTurn[]
}

type Check = { readonly wants: string; readonly test: (value: unknown) => boolean }
type Fields = Readonly<Record<string, Check>>

const text: Check = { wants: 'a string', test: (value) => typeof value === 'string' }
const flag: Check = { wants: 'true or false', test: (value) => typeof value === 'boolean' }
const yes: Check = { wants: 'true', test: (value) => value === true }
const natural: Check = { wants: 'an integer of 0 or more', test: (value) => isInteger(value, 0) }
const positive: Check = { wants: 'an integer of 1 or more', test: (value) => isInteger(value, 1) }
const object: Check = { wants: 'an object', test: isObject }
const anything: Check = { wants: 'a value', test: (value) => value !== undefined }
const oneOf = (...values: readonly unknown[]): Check => ({
  wants: `one of ${values.join(', ')}`,
  test: (value) => values.includes(value),
})
const exec: Check = {
  wants: `one exec: {"read":{…}}, with one of ${EXEC_NAMES.join(', ')}, unknown`,
  test: isExec,
}

/** One row for each step, by the field that names it, which is required; the others are optional. */
const STEPS: Readonly<Record<string, Fields>> = {
  say: { say: text, pieces: positive },
  think: { think: text, pieces: positive },
  exec: { exec, shown: flag },
  execs: {
    execs: { wants: 'a list of execs', test: (value) => Array.isArray(value) && value.every(isExec) },
    together: flag,
    shown: flag,
  },
  // Before "await", which is one of its fields.
  query: { query: oneOf(...QUERY_NAMES), args: anything, await: flag },
  await: { await: oneOf('results') },
  kv: { kv: oneOf('set', 'get'), data: text, blob: text, missing: flag },
  blobText: { blobText: text },
  abort: { abort: positive },
  listed: {
    listed: { wants: 'a number of calls, or false', test: (value) => value === false || isInteger(value, 0) },
  },
  checkpoint: { checkpoint: yes, usedTokens: natural },
  heartbeats: { heartbeats: { wants: '{"everyMs", "count"}', test: isHeartbeats } },
  end: { end: oneOf(true, 'turn-only', 'frame-only'), usage: object },
  error: { error: { wants: '{"code", "message"?, "details"?}', test: isError } },
  raw64: { raw64: text },
  split: { split: natural },
  gzip: { gzip: flag },
  wait: { wait: natural },
  status: { status: { wants: 'an HTTP status', test: isStatus }, headers: object, body: anything },
  fault: { fault: oneOf(...CURSOR_FAULTS), code: natural, length: natural, bytes: positive },
  'repeat-exec': { 'repeat-exec': oneOf(true, 'new-call') },
  reask: { reask: oneOf(true, 'same-id'), shown: flag },
  serverMessage: { serverMessage: object },
  flood: { flood: { wants: '{"deltas", "text", "everyMs"?}', test: isFlood } },
  bare: { bare: yes },
}

/** Throws a ScriptError that names the line. */
export function parseCursorScript(source: string): CursorScript {
  const lines = source.split(/\r?\n/)
  const isStep = lines.map((line, index) => index > firstLine(lines) && !/^\s*(?:\{\s*"turn"|$)/.test(line))
  // Heads and turns are written as for all simulators; blank lines keep the numbers right.
  const { turns, ...head } = parseScript(lines.map((line, index) => (isStep[index] ? '' : line)).join('\n'))
  const steps: CursorStep[][] = turns.map(() => [])
  let current = -1
  for (const [index, line] of lines.entries()) {
    if (/^\s*\{\s*"turn"/.test(line)) current++
    if (!isStep[index]) continue
    const at = `line ${index + 1}`
    const turn = steps[current]
    if (turn === undefined) throw new ScriptError(`${at}: a step before the first {"turn":{}} line`)
    turn.push(readStep(line, at))
  }
  return {
    ...head,
    turns: turns.map(({ expect, when }, index) => ({
      ...(expect !== undefined && { expect }),
      ...(isObject(when) && { when }),
      steps: steps[index] ?? [],
    })),
  }
}

function firstLine(lines: readonly string[]): number {
  return lines.findIndex((line) => line.trim() !== '')
}

function readStep(line: string, at: string): CursorStep {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new ScriptError(`${at}: not JSON (${cause instanceof Error ? cause.message : cause})`, { cause })
  }
  if (!isObject(value)) throw new ScriptError(`${at}: each line is a JSON object`)
  const step = value
  const kind = Object.keys(STEPS).find((name) => name in step)
  if (kind === undefined) throw new ScriptError(`${at}: a step has one of ${Object.keys(STEPS).join(', ')}`)
  const fields = STEPS[kind] ?? {}
  for (const [key, given] of Object.entries(step)) {
    const check = fields[key]
    if (check === undefined) throw new ScriptError(`${at}: the step "${kind}" has no field "${key}"`)
    if (!check.test(given)) throw new ScriptError(`${at}: "${key}" must be ${check.wants}`)
  }
  return step as CursorStep
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isInteger(value: unknown, minimum: number): boolean {
  return Number.isInteger(value) && Number(value) >= minimum
}

function isExec(value: unknown): boolean {
  if (!isObject(value)) return false
  const names = Object.keys(value)
  return names.length === 1 && [...EXEC_NAMES, 'unknown'].includes(names[0] ?? '')
}

function isHeartbeats(value: unknown): boolean {
  return (
    isObject(value) && isInteger(value.everyMs, 0) && (value.count === 'forever' || isInteger(value.count, 1))
  )
}

function isError(value: unknown): boolean {
  if (!isObject(value) || !isConnectCode(value.code)) return false
  return value.details === undefined || (isObject(value.details) && isInteger(value.details.error, 0))
}

function isStatus(value: unknown): boolean {
  return isInteger(value, 200) && Number(value) < 600
}

function isFlood(value: unknown): boolean {
  return isObject(value) && isInteger(value.deltas, 1) && typeof value.text === 'string'
}
