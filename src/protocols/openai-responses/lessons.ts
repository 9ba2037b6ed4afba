// Lessons: refusals of a Responses service whose text says what to change. The request is sent again in that form, and the lesson is
// kept for the model.

import { type Fields, isObject } from '../../base/json.ts'
import type { ResponsesLesson, ResponsesTraits } from './traits.ts'

interface RefusedRequest {
  text: string
  param: string | undefined
  body: Readonly<Fields>
  traits: ResponsesTraits
}

/** Fields that are never dropped: without them it would be a different request. */
const essential = new Set(['model', 'input', 'tools', 'tool_choice', 'stream', 'text.format', 'store'])

/** Undefined if the text names no change, or only one that the traits already contain. */
export function responsesLesson(refused: RefusedRequest): ResponsesLesson | undefined {
  return onSummary(refused) ?? onEffort(refused) ?? onField(refused)
}

/** A schema that is not in the strict subset. */
export const refusesStrict = (text: string): boolean =>
  /invalid schema for function|invalid_function_parameters|schema is too complex/i.test(text.slice(0, 2_000))

/** Organisations that are not verified may not have summaries of some models. */
function onSummary({ text, param, body, traits }: RefusedRequest): ResponsesLesson | undefined {
  if (param !== 'reasoning.summary' && !/reasoning summar(?:y|ies)/i.test(text)) return undefined
  return dropping('reasoning.summary', body, traits)
}

/** Reads `Supported values are: 'none', 'low'.` */
function onEffort({ text, param, body }: RefusedRequest): ResponsesLesson | undefined {
  const effort = isObject(body.reasoning) ? body.reasoning.effort : undefined
  const list = /supported values are:/i.exec(text)
  if (typeof effort !== 'string' || !list) return undefined
  if (param !== 'reasoning.effort' && !text.includes(`'${effort}'`)) return undefined
  const listed = text.slice(list.index, list.index + 400)
  const found = [...listed.matchAll(/\b(?:none|minimal|low|medium|high|xhigh|ultra|max|default)\b/g)]
  const efforts = found.map(([name]) => name)
  return efforts.length === 0 || efforts.includes(effort) ? undefined : { efforts }
}

const nameLast =
  /(?:(?:unsupported|unknown) parameter|unrecognized request argument supplied|argument not supported(?: on this model)?)\s?:?\s?['"`]?([a-z_.]{1,80})/i
const nameFirst =
  /['"`]([a-z_.]{1,80})['"`](?: is not supported (?:with|by|for|on) this model|: extra inputs are not permitted)/i

function onField({ text, body, traits }: RefusedRequest): ResponsesLesson | undefined {
  const named = nameLast.exec(text)?.[1] ?? nameFirst.exec(text)?.[1]
  const path = named?.replace(/^body\./, '').replace(/\.$/, '')
  if (path === undefined || essential.has(path)) return undefined
  if (path === 'reasoning.effort' || path === 'reasoning') return dropping('reasoning', body, traits)
  return dropping(path, body, traits)
}

function dropping(path: string, body: Readonly<Fields>, { refuses }: ResponsesTraits) {
  const [name = '', inner] = path.split('.', 2)
  const value = body[name]
  const isSent = inner === undefined ? value !== undefined : isObject(value) && value[inner] !== undefined
  return !isSent || refuses.includes(path) ? undefined : { refuses: [...refuses, path] }
}
