// Validates frames: the required fields by side and action. Further fields are allowed.

import { type Fields, isObject } from '../base/json.ts'

interface Check {
  wants: string
  test(value: unknown): boolean
}

const text: Check = { wants: 'a text', test: (value) => typeof value === 'string' }
const count: Check = { wants: 'a number', test: (value) => typeof value === 'number' && value >= 0 }
const flag: Check = { wants: 'true or false', test: (value) => typeof value === 'boolean' }
const whole: Check = {
  wants: 'a whole number from 1',
  test: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
}
const status: Check = {
  wants: 'an HTTP status',
  test: (value) => Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 599,
}
const anything: Check = { wants: 'a value', test: () => true }
const texts: Check = {
  wants: 'a list of texts',
  test: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
}
const object: Check = { wants: 'an object', test: isObject }
const headers: Check = {
  wants: 'an object of texts',
  test: (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
}
const base64: Check = {
  wants: 'base64',
  test: (value) =>
    typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
}
const oneOf = (...values: string[]): Check => ({
  wants: `one of ${values.join(', ')}`,
  test: (value) => typeof value === 'string' && values.includes(value),
})

const target = { backend: text, origin: text, path: text, headers }
const exchange = { exchange: whole }

const frames = new Map<string, Record<string, Check>>([
  ['client request', { method: text, path: text, headers, body: text }],
  ['client response', { status, headers }],
  ['client write', { text }],
  ['client end', {}],
  ['client gone', {}],
  ['upstream request', { ...exchange, ...target, method: text, body: text }],
  ['upstream response', { ...exchange, status, headers }],
  ['upstream data', exchange],
  ['upstream end', exchange],
  ['upstream error', { ...exchange, message: text }],
  ['run open', { ...exchange, ...target, transport: oneOf('http2', 'sse') }],
  ['run sent', { ...exchange, base64 }],
  ['run received', { ...exchange, base64 }],
  ['run clock', exchange],
  ['run end', exchange],
  ['run error', { ...exchange, message: text }],
  ['tool offer', { tools: texts, root: text, settings: object }],
  ['tool begin', { run: whole, job: object }],
  ['tool output', { run: whole, stream: oneOf('stdout', 'stderr'), text }],
  ['tool end', { run: whole, outcome: object }],
  ['gateway begin', { door: text, model: text, stream: flag, key: text, createdAt: count }],
  ['gateway target', { backend: text, kind: text, model: text, settings: object }],
  [
    'gateway failure',
    { backend: text, model: text, code: text, message: text, next: oneOf('retry', 'fallback', 'give up') },
  ],
  ['gateway session', { state: oneOf('live', 'resumed', 'fresh'), id: text }],
  ['gateway recall', { memory: text, look: whole, value: anything }],
  ['gateway note', { text }],
  ['gateway finish', { outcome: text, calls: count, inputTokens: count, outputTokens: count }],
])

/** `SIDE DO` */
export const frameKinds: readonly string[] = [...frames.keys()]

const sides = ['client', 'upstream', 'run', 'tool', 'gateway']

/** The problem in words; undefined for a valid frame. */
export function frameProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'is not a frame: a frame is a JSON object'
  const common = fieldProblem(value, { at: count, turn: text, side: oneOf(...sides), do: text })
  if (common !== undefined) return common
  const checks = frames.get(`${value.side} ${value.do}`)
  if (!checks) return `is a frame of side "${value.side}" that does ${quoted(value.do)}, which none does`
  return fieldProblem(value, checks) ?? contentProblem(value) ?? mannerProblem(value) ?? usageProblem(value)
}

function fieldProblem(frame: Fields, checks: Record<string, Check>): string | undefined {
  for (const [name, { wants, test }] of Object.entries(checks)) {
    const value = Object.hasOwn(frame, name) ? frame[name] : undefined
    if (value === undefined) return `is a frame without "${name}"`
    if (!test(value)) return `is a frame whose "${name}" is not ${wants}`
  }
  return undefined
}

/** Data is either text or base64. */
function contentProblem(frame: Fields): string | undefined {
  if (frame.side !== 'upstream' || frame.do !== 'data') return undefined
  const isText = Object.hasOwn(frame, 'text')
  if (isText === Object.hasOwn(frame, 'base64')) return 'is a frame without either "text" or "base64"'
  return fieldProblem(frame, isText ? { text } : { base64 })
}

const manner = { toolArguments: oneOf('whole', 'streamed'), customCalls: oneOf('function', 'custom') }

function mannerProblem({ side, do: what, manner: given }: Fields): string | undefined {
  if (side !== 'gateway' || what !== 'begin' || given === undefined) return undefined
  if (!isObject(given)) return 'is a frame whose "manner" is not an object'
  return fieldProblem({ toolArguments: 'whole', customCalls: 'function', ...given }, manner)
}

const usageParts = { cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count }

function usageProblem(frame: Fields): string | undefined {
  if (frame.side !== 'gateway' || frame.do !== 'finish') return undefined
  return fieldProblem({ cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, ...frame }, usageParts)
}

const quoted = (value: unknown) => JSON.stringify(String(value).slice(0, 40))
