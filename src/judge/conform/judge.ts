// Assertions of the cases.

import { isDeepStrictEqual } from 'node:util'
import { type Answer, isStream, type Rule } from '../clients/answer.ts'
import type { Reply } from '../clients/http.ts'
import { at, isShape, parsed, textAt } from '../clients/json.ts'
import { Unmet } from './case.ts'
import { type Client, everyone, nobody, ruleNoticed } from './noticed.ts'

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === undefined ? 'nothing' : text.length > 400 ? `${text.slice(0, 400)}…` : text
}

export function same(what: string, came: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(came, expected)) throw new Unmet(`${what}: ${shown(expected)}`, shown(came))
}

/** Everything expected is there; more may be. */
export function includes(what: string, came: unknown, expected: unknown): void {
  const missing = missingIn(came, expected, '')
  if (missing !== undefined) throw new Unmet(`${what}, with ${missing}`, shown(came))
}

function missingIn(came: unknown, expected: unknown, path: string): string | undefined {
  if (!isShape(expected)) return isDeepStrictEqual(came, expected) ? undefined : `${path}: ${shown(expected)}`
  for (const [key, value] of Object.entries(expected)) {
    const missing = missingIn(at(came, key), value, path === '' ? key : `${path}.${key}`)
    if (missing !== undefined) return missing
  }
  return undefined
}

export function holds(condition: boolean, expected: string, came: unknown): void {
  if (!condition) throw new Unmet(expected, shown(came))
}

/** An answer, not an error. Only clients that send such a request notice a refusal: the case names them. */
export function answered({ reply, error }: Answer, noticedBy?: readonly Client[]): void {
  if (reply.status !== 200)
    throw new Unmet('HTTP 200', `HTTP ${reply.status}: ${shown(reply.text)}`, noticedBy)
  if (error) throw new Unmet('an answer', `the error ${shown(error.message)}`, noticedBy)
}

/** As `answered`, to a request that every client sends. */
export const succeeded = (answer: Answer): void => answered(answer, everyone)

/** Calls with parsed arguments: another case checks their exact text. */
export const callsOf = (answer: Answer): unknown[] =>
  answer.calls.map((call) => [call.name, parsed(call.arguments) ?? call.arguments])

/** Exactly these calls, with distinct ids. */
export function calls(answer: Answer, expected: readonly (readonly [string, unknown])[]): void {
  succeeded(answer)
  same('the calls', callsOf(answer), expected)
  same('distinct ids', new Set(answer.calls.map(({ id }) => id)).size, expected.length)
}

export function noViolation(answer: Answer, ...rules: Rule[]): void {
  const found = answer.violations.filter(({ rule }) => rules.includes(rule))
  if (found.length > 0)
    throw new Unmet(
      promises[rules[0] ?? 'shape'],
      [...new Set(found.map(({ message }) => message))].join('; '),
      found.flatMap(({ rule }) => ruleNoticed[rule]),
    )
}

const promises: Record<Rule, string> = {
  type: 'the content-type of the requested form',
  frame: 'only well-formed events that hold JSON',
  name: 'events under their own names',
  shape: 'every required field of the protocol',
  constant: 'ids, model and time that stay the same',
  role: 'the role, once, at the beginning',
  index: 'indexes that count from 0',
  call: 'calls with id, name, type and JSON arguments',
  finish: 'a finish reason of the protocol',
  usage: 'usage where it belongs',
  end: 'the end of the stream, once, and nothing after it',
  order: 'events in their order',
  exact: 'numbers without gaps, and a last event that repeats the items',
}

/** The gateway says that it changed something: in a header, in a comment, or in a member of Gemini's last chunk. */
export function announces({ reply, comments }: Answer): boolean {
  const name = /(^|[-_])(notes?|warnings?|repairs?)$/i
  return (
    Object.keys(reply.headers).some((header) => name.test(header)) ||
    comments.some((comment) => name.test(comment.split(':')[1]?.trim() ?? '')) ||
    /"[a-z]+Notes":\[/.test(reply.text)
  )
}

/** An error that the client notices, by status or in the stream, and no regular end. */
export function failed(answer: Answer): void {
  const { reply, error, finish } = answer
  if (reply.status >= 400) return errorShaped(reply)
  // A Responses answer can say that it failed.
  if (answer.rawFinish === 'failed' && error !== undefined)
    return holds(error.message !== '', 'an error with a message', reply.text.slice(-300))
  holds(isStream(reply), 'an HTTP status of 400 or above', `HTTP ${reply.status}: ${reply.text}`)
  if (error === undefined)
    throw new Unmet(
      'an error, by status or in the stream',
      `HTTP ${reply.status}, finish ${finish}, ${shown(reply.text.slice(-300))}`,
      // Claude Code, Codex and Gemini CLI miss the last event themselves.
      answer.ended || finish !== undefined ? undefined : ['AI SDK', 'openai SDK', 'Google GenAI SDK'],
    )
  holds((error?.message ?? '') !== '', 'an error with a message', reply.text.slice(-300))
  holds(
    finish === undefined || finish === 'content_filter',
    'no regular end',
    `finish ${finish} beside the error`,
  )
}

/** As `failed`, or a broken connection: SDKs throw on that too. */
export function noticed(answer: Answer): void {
  if (!answer.reply.cut || answer.error !== undefined) return failed(answer)
  holds(answer.finish === undefined, 'no regular end', `finish ${answer.finish}`)
}

/** `failed`, before any content: SDKs retry by the status alone. */
export function failedByStatus(answer: Answer, least: number): void {
  const { reply } = answer
  holds(
    reply.status >= least || (answer.rawFinish === 'failed' && !isStream(reply)),
    `an HTTP status of ${least} or above`,
    `HTTP ${reply.status}: ${reply.text}`,
  )
  failed(answer)
}

/** No usage for a client that did not ask for it. Only a chunk without choices harms anyone. */
export function noUsage({ usages, violations }: Answer): void {
  const isHarmless = violations.some(({ message }) => message === 'usage in a chunk with choices')
  if (usages > 0) throw new Unmet('chunks with usage: 0', String(usages), isHarmless ? nobody : undefined)
}

/** Repeated usage harms only clients that add it up, and none is known. */
export function usageOnce({ usages }: Answer): void {
  if (usages !== 1)
    throw new Unmet('number of usage reports: 1', String(usages), usages > 1 ? nobody : undefined)
}

export function refused(reply: Reply, statuses: readonly number[]): void {
  if (!statuses.includes(reply.status))
    throw new Unmet(`HTTP ${statuses.join(' or ')}`, `HTTP ${reply.status}: ${shown(reply.text)}`)
  errorShaped(reply)
}

/** The error body of all dialects: {"error": {"message", "type"}}; Google says `status` in place of `type`. */
export function errorShaped(reply: Reply): void {
  const body = parsed(reply.text)
  const hasMessage = textAt(body, 'error', 'message') !== ''
  const hasType = ['type', 'status'].some((name) => typeof at(body, 'error', name) === 'string')
  if (hasMessage && hasType) return
  throw new Unmet(
    'an error body with error.message and error.type',
    `HTTP ${reply.status}: ${shown(reply.text || 'an empty body')}`,
    // Clients show the message; none is known to need the type.
    hasMessage ? nobody : undefined,
  )
}

/** The last request to the upstream. */
export function asked(context: {
  expected: { seen: { body: Record<string, unknown>; problems: string[] }[] }
}) {
  const last = context.expected.seen.at(-1)
  if (last === undefined) throw new Unmet('a request to the upstream', 'none')
  return last
}

export function acceptable(context: Parameters<typeof asked>[0]): void {
  const { problems } = asked(context)
  if (problems.length > 0) throw new Unmet('a request that the upstream accepts', problems.join('; '))
}
