// The parts of an answer that streams and whole answers share. A stream is one JSON object per line, and every line has every member
// that strict clients ask for.

import { jsonString } from '../../base/json-string.ts'
import type { FinishReason, Usage } from '../../core/events.ts'

export interface AnswerOptions {
  /** The model as the client named it. */
  model: string
  /** In seconds since 1970, as `now`. */
  createdAt: number
  now(): number
  /** Which route asked: their answers have the text in different places. */
  form: 'chat' | 'generate'
  showsThinking: boolean
}

/** Python's clients end a line at these too. JSON has them only inside of strings. */
const lineBreaks = /[\u0085\u2028\u2029]/
const allLineBreaks = /[\u0085\u2028\u2029]/g
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

export const hasLineBreak = (text: string): boolean => lineBreaks.test(text)

export const onOneLine = (json: string): string =>
  lineBreaks.test(json) ? json.replace(allLineBreaks, escaped) : json

export const text = (value: string): string => onOneLine(jsonString(value))

export const opening = ({ model, createdAt }: AnswerOptions): string =>
  `{"model":${text(model)},"created_at":"${new Date(createdAt * 1000).toISOString()}",`

/** `content` is JSON. `more`: further members beside it, with their comma. */
export const saying = (form: AnswerOptions['form'], content: string, more = ''): string =>
  form === 'chat'
    ? `"message":{"role":"assistant","content":${content}${more}}`
    : `"response":${content}${more}`

interface Call {
  callId: string
  name: string
  /** The text of a JSON object. It is inserted unparsed: parsing it would lose digits of large numbers. */
  input: string
}

export function callText({ callId, name, input }: Call, index: number): string {
  // Inside of strings, JSON has no line break.
  const args = onOneLine(/[\r\n]/.test(input) ? input.replace(/[\r\n]+/g, ' ') : input)
  return `{"id":${text(callId)},"function":{"index":${index},"name":${text(name)},"arguments":${args}}}`
}

/** For an answer without any text. */
export const filteredText = 'The service has withheld the answer (content filter).'
/** For one that has begun: this API has no word for its end. */
export const filteredNote = 'the service has ended the answer (content filter)'

const second = 1_000_000_000

/** What follows the last words. Durations are in nanoseconds, and never 0: clients divide by them. */
export function ending(
  reason: FinishReason,
  usage: Usage | undefined,
  { createdAt, now, form }: AnswerOptions,
): string {
  const { inputTokens = 0, outputTokens = 0, estimated } = usage ?? {}
  const duration = Math.max(1, (now() - createdAt) * second)
  return [
    `"done":true,"done_reason":"${reason === 'length' ? 'length' : 'stop'}"`,
    form === 'generate' ? ',"context":[]' : '',
    `,"total_duration":${duration},"load_duration":1`,
    // Real servers leave out a count of 0.
    inputTokens > 0 ? `,"prompt_eval_count":${inputTokens}` : '',
    ',"prompt_eval_duration":1',
    outputTokens > 0 ? `,"eval_count":${outputTokens}` : '',
    `,"eval_duration":${duration}`,
    estimated ? ',"estimated":true' : '',
  ].join('')
}
