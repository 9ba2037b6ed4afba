// The script format of the simulators: JSON lines, first metadata, then turns, each followed by its steps.
// The same steps can be written in TypeScript as arrays. docs/simulators.md shows the format by example.
// This file knows nothing of any wire: each simulator renders the steps in its own form.

import type { RecordedRequest } from './recording.ts'

export type ThinkStep = { think: string; signature?: string; pieces?: number }
type RedactedStep = { redacted: string }
export type SayStep = { say: string; pieces?: number }
/** `arguments` as a string is sent as it is, valid JSON or not. */
export type CallStep = {
  call: { name: string; arguments: Record<string, unknown> | string; id?: string }
  pieces?: number
  /** The manner of writing it, where calls are written as text. */
  as?: string
}
/** The reason may come from any dialect's vocabulary: `tool_use` and `tool_calls` mean the same. */
export type EndStep = { end: string; usage?: Record<string, unknown> }
type FrameStep = { frame: unknown; event?: string }
type RawStep = { raw: string }
type Raw64Step = { raw64: string }
export type StatusStep = { status: number; headers?: Record<string, string>; body?: unknown }
type WaitStep = { wait: number }
export type FaultStep = { fault: Fault }
type SplitStep = { split: number }
export type FloodStep = { flood: { deltas: number; text: string; everyMs?: number } }
export type ForeverStep = { forever: { everyMs: number; text?: string } }
/** A failure that the simulator knows by name; `num` is what the service counts in it. */
export type ErrorStep = { error: string; num?: number }

const FAULTS = ['reset', 'fin', 'hang', 'truncate'] as const
export type Fault = (typeof FAULTS)[number]

/** What a model says: rendered by each simulator in its own wire form. */
export type ContentStep = ThinkStep | RedactedStep | SayStep | CallStep
export type Step =
  | ContentStep
  | EndStep
  | FrameStep
  | RawStep
  | Raw64Step
  | StatusStep
  | WaitStep
  | FaultStep
  | SplitStep
  | FloodStep
  | ForeverStep
  | ErrorStep

export interface Turn {
  /** Partial match on the request body; a mismatch is answered with HTTP 500 and recorded. */
  readonly expect?: unknown
  /** Which request this turn is for (partial match on the body, or a predicate): others leave it queued. */
  readonly when?: Record<string, unknown> | ((request: RecordedRequest) => boolean)
  readonly steps: readonly Step[]
}

export interface Script {
  readonly kind: string
  readonly scenario: string
  readonly source: string
  readonly turns: readonly Turn[]
}

export class ScriptError extends Error {
  override readonly name = 'ScriptError'
}

interface FieldCheck {
  wants: string
  test: (value: unknown) => boolean
  optional?: true
  /** The only simulators that know the field; absent: all. */
  kinds?: readonly string[]
}

const text: FieldCheck = { wants: 'a string', test: (value) => typeof value === 'string' }
const count: FieldCheck = { wants: 'an integer of 1 or more', test: (value) => isInteger(value, 1) }
const milliseconds: FieldCheck = { wants: 'a number of 0 or more', test: (value) => isInteger(value, 0) }
const object: FieldCheck = { wants: 'an object', test: isObject }
const anything: FieldCheck = { wants: 'a value', test: (value) => value !== undefined }
const optional = (check: FieldCheck): FieldCheck => ({ ...check, optional: true })
const only = (kinds: readonly string[], check: FieldCheck): FieldCheck => ({ ...check, kinds })

const TEXT_ONLY = ['text', 'qwen-web']

/** One row per step, keyed by the field that names it; the other fields follow. */
const STEP_FIELDS: Record<string, Record<string, FieldCheck>> = {
  think: { think: text, signature: optional(text), pieces: optional(count) },
  redacted: { redacted: text },
  say: { say: text, pieces: optional(count) },
  call: {
    call: { wants: '{"name", "arguments", "id"?}', test: isCall },
    pieces: optional(count),
    as: only(TEXT_ONLY, optional(text)),
  },
  end: { end: text, usage: optional(object) },
  frame: { frame: anything, event: optional(text) },
  raw: { raw: text },
  raw64: { raw64: text },
  status: {
    status: { wants: 'an HTTP status', test: (value) => isInteger(value, 200) && Number(value) < 600 },
    headers: optional(object),
    body: optional(anything),
  },
  wait: { wait: milliseconds },
  fault: {
    fault: {
      wants: `one of ${FAULTS.join(', ')}`,
      test: (value) => FAULTS.some((fault) => fault === value),
    },
  },
  split: { split: milliseconds },
  flood: { flood: { wants: '{"deltas", "text", "everyMs"?}', test: isFlood } },
  forever: { forever: { wants: '{"everyMs", "text"?}', test: isForever } },
  error: { error: only(['qwen-web'], text), num: optional(count) },
}

/** Throws a ScriptError that names the line. */
export function parseScript(source: string): Script {
  let head: Omit<Script, 'turns'> | undefined
  const turns: (Omit<Turn, 'steps'> & { steps: Step[] })[] = []
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const at = `line ${index + 1}`
    const value = parseLine(line, at)
    if (head === undefined) {
      head = readHead(value, at)
    } else if ('turn' in value) {
      turns.push({ ...readTurn(value, at), steps: [] })
    } else {
      const turn = turns.at(-1)
      if (turn === undefined) throw new ScriptError(`${at}: a step before the first {"turn":{}} line`)
      turn.steps.push(readStep(value, at, head.kind))
    }
  }
  if (head === undefined) throw new ScriptError('line 1: an empty script; the first line is its metadata')
  return { ...head, turns }
}

function parseLine(line: string, at: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new ScriptError(`${at}: not JSON (${cause instanceof Error ? cause.message : cause})`, { cause })
  }
  if (!isObject(value)) throw new ScriptError(`${at}: each line is a JSON object`)
  return value
}

function readHead(value: Record<string, unknown>, at: string): Omit<Script, 'turns'> {
  if (value.script !== 1) {
    throw new ScriptError(`${at}: the first line is metadata: {"script":1,"kind":"…","scenario":"…"}`)
  }
  const { kind, scenario = '', source = '' } = value
  if (typeof kind !== 'string') throw new ScriptError(`${at}: "kind" names the simulator, as a string`)
  return { kind, scenario: String(scenario), source: String(source) }
}

function readTurn(value: Record<string, unknown>, at: string): Omit<Turn, 'steps'> {
  const { turn } = value
  if (!isObject(turn)) throw new ScriptError(`${at}: "turn" is an object, possibly empty`)
  for (const key of Object.keys(turn)) {
    if (key !== 'expect' && key !== 'when') {
      throw new ScriptError(`${at}: "turn" takes "expect" and "when", not "${key}"`)
    }
  }
  const { expect, when } = turn
  if (when !== undefined && !isObject(when)) throw new ScriptError(`${at}: "when" must be an object`)
  return { ...(expect !== undefined && { expect }), ...(when !== undefined && { when }) }
}

function readStep(value: Record<string, unknown>, at: string, scriptKind: string): Step {
  const known = stepsOf(scriptKind)
  const named = Object.keys(value).filter((key) => key in known)
  const [kind] = named
  if (kind === undefined || named.length > 1) {
    throw new ScriptError(`${at}: a step has exactly one of ${Object.keys(known).join(', ')}`)
  }
  const fields = known[kind] ?? {}
  for (const key of Object.keys(value)) {
    if (!(key in fields)) throw new ScriptError(`${at}: the step "${kind}" has no field "${key}"`)
  }
  for (const [key, check] of Object.entries(fields)) {
    if (check.optional && value[key] === undefined) continue
    if (!check.test(value[key])) throw new ScriptError(`${at}: "${key}" must be ${check.wants}`)
  }
  return value as Step
}

/** The steps and their fields that this kind of simulator knows. */
function stepsOf(scriptKind: string): typeof STEP_FIELDS {
  const isKnown = ({ kinds }: FieldCheck) => kinds?.includes(scriptKind) ?? true
  return Object.fromEntries(
    Object.entries(STEP_FIELDS).flatMap(([kind, fields]) => {
      const kept = Object.entries(fields).filter(([, check]) => isKnown(check))
      return kept.some(([key]) => key === kind) ? [[kind, Object.fromEntries(kept)]] : []
    }),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isInteger(value: unknown, minimum: number): boolean {
  return Number.isInteger(value) && Number(value) >= minimum
}

function isCall(value: unknown): boolean {
  if (!isObject(value) || typeof value.name !== 'string') return false
  const { arguments: input, id } = value
  return (isObject(input) || typeof input === 'string') && (id === undefined || typeof id === 'string')
}

function isFlood(value: unknown): boolean {
  if (!isObject(value) || !isInteger(value.deltas, 1) || typeof value.text !== 'string') return false
  return value.everyMs === undefined || isInteger(value.everyMs, 0)
}

function isForever(value: unknown): boolean {
  if (!isObject(value)) return false
  return isInteger(value.everyMs, 0) && (value.text === undefined || typeof value.text === 'string')
}
