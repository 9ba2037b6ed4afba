// Lessons: refusals whose text says what to change. If a service is not in rows.ts, or has changed since, the request is retried
// once in the form that the refusal asks for, and the lesson is kept for that model. A lesson is a set of traits, so the change
// and its note are the same as for a known service.

import type { Fields } from '../../../base/json.ts'
import { followedBy, oneOf, type Words } from '../../../base/words.ts'
import type { ServerTraits } from './traits.ts'

export interface RefusedRequest {
  /** The text of the service's error. */
  text: string
  param: string | undefined
  /** The request body that was refused. */
  body: Readonly<Fields>
  traits: ServerTraits
}

export type Lesson = Partial<ServerTraits>

/** Undefined if the text names no change, or only one that the traits already contain. */
export function lessonOf(refused: RefusedRequest): Lesson | undefined {
  for (const learn of rules) {
    const lesson = learn(refused)
    if (lesson && isNew(lesson, refused.traits)) return lesson
  }
  return undefined
}

/** The traits do not contain the lesson yet. */
export const isNew = (lesson: Lesson, traits: ServerTraits) =>
  Object.entries(lesson).some(
    ([name, value]) => JSON.stringify(traits[name as keyof ServerTraits]) !== JSON.stringify(value),
  )

/** Both; turns that run side by side may have learned of different fields. */
export function mergedLesson<Known extends { refuses?: readonly string[] }>(
  known: Known | undefined,
  lesson: Known,
): Known {
  if (!known?.refuses || !lesson.refuses) return { ...known, ...lesson }
  return { ...known, ...lesson, refuses: [...new Set([...known.refuses, ...lesson.refuses])] }
}

type Rule = (refused: RefusedRequest) => Lesson | undefined

const when =
  (says: Words, lesson: Lesson | ((traits: ServerTraits) => Lesson)): Rule =>
  ({ text, traits }) =>
    says.test(text) ? (typeof lesson === 'function' ? lesson(traits) : lesson) : undefined

/** Fields that are never dropped: without them it would be a different request. */
const essential = new Set(['messages', 'model', 'n', 'response_format', 'stream', 'tools'])

/** Field names in the text of a refusal. Only a name that the request contains counts. */
const nameLast =
  /(?:(?:unsupported|unknown|support) parameter|unrecognized request argument supplied|argument not supported(?: on this model)?|field|property)\s?:?\s?['"`]?([a-z_]{1,60})/gi
const nameFirst =
  /['"`.]?([a-z_]{1,60})['"`]?(?: is not supported (?:with|by|for|on) this model|: extra inputs are not permitted| is unsupported| does not support )/gi

const namedFields = (text: string): string[] =>
  [nameLast, nameFirst].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, name = '']) => snakeCase(name)),
  )

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The next place to try for reasoning in messages; after that, none. */
const otherPlace = ({ reasoning }: ServerTraits, refused: string): Lesson => ({
  reasoning: refused === 'reasoning_content' && reasoning !== 'reasoning' ? 'reasoning' : 'nowhere',
})

const inMessages = ['reasoning_content', 'reasoning', 'reasoning_details']

const isNullInMessages = (name: string, messages: unknown) =>
  Array.isArray(messages) && messages.some((message: Fields) => message[name] === null)

function onField({ text, param, body, traits }: RefusedRequest): Lesson | undefined {
  const named = namedFields(text)
  const inHistory = inMessages.find((name) => named.includes(name) && !(name in body))
  if (inHistory !== undefined) return otherPlace(traits, inHistory)
  if (named.some((name) => isNullInMessages(name, body.messages))) return { nullFields: false }
  const isSent = (name: string) => body[name] !== undefined && !essential.has(name)
  // `param` says which field the error is about, not that the service refuses it.
  const field = named.find(isSent)
  if (field === undefined || (param !== undefined && field !== param && named.includes(param)))
    return undefined
  if (field === 'max_tokens') return { limitField: 'max_completion_tokens' }
  if (field === 'max_completion_tokens') return { limitField: 'max_tokens' }
  if (field === 'stream_options') return { streamOptions: false }
  if (field === 'reasoning_effort') return { efforts: [] }
  return { refuses: [...traits.refuses, field] }
}

/** Reads `Supported values are: 'none', 'low'.` and `(must be "low", "high" or "none")`. */
function onEffort({ text, param, body: { reasoning_effort: effort }, traits }: RefusedRequest) {
  const list = /supported values are:|must be (?:one of )?/i.exec(text)
  if (typeof effort !== 'string' || !list) return undefined
  const isAboutEffort = param === 'reasoning_effort' || /effort|reasoning value/i.test(text)
  if (!isAboutEffort && !text.includes(`'${effort}'`)) return undefined
  // Tools need reasoning off, and this model cannot turn it off: no request with tools can succeed.
  if (effort === 'none' && traits.chatTools === 'stated none') return { chatTools: 'never' as const }
  const listed = text.slice(list.index + list[0].length, list.index + 400)
  const efforts = [...listed.matchAll(/\b(?:none|minimal|low|medium|high|xhigh|ultra|max|default)\b/g)]
  return efforts.length === 0 ? undefined : { efforts: efforts.map(([name]) => name) }
}

/** Google's message about a keyword in a tool's schema. */
function onKeyword({ text, traits: { schemaKeywords } }: RefusedRequest): Lesson | undefined {
  if (!/\bparameters\b/.test(text)) return undefined
  const named = [...text.matchAll(/unknown name "([$\w]{1,60})"/gi)].flatMap(([, name = '']) => name)
  const unknown = named.filter((name) => !schemaKeywords.includes(name))
  return unknown.length === 0 ? undefined : { schemaKeywords: [...schemaKeywords, ...new Set(unknown)] }
}

/** Not a lesson for the model: the thinking of this one conversation is another model's, or was changed in transit. */
export const isAboutThisHistory = (text: string): boolean =>
  /invalid `?signature`? in `?thinking`? block/i.test(text)

const rules: readonly Rule[] = [
  when({ test: isAboutThisHistory }, { reasoning: 'nowhere' }),
  onKeyword,
  when(/function tools with reasoning_effort are not supported/i, { chatTools: 'stated none' }),
  onEffort,
  when(/must be passed back/i, { reasoning: 'reasoning_content', reasoningWanted: 'everywhere' }),
  when(/reasoning_content is missing/i, { reasoning: 'reasoning_content', reasoningWanted: 'with calls' }),
  when(/missing a thought_signature/i, { thoughtSignatures: true }),
  when(
    oneOf(
      /does not support this tool_choice/i,
      followedBy(/tool_choice/i, /thinking|reasoning/i),
      followedBy(/thinking|reasoning/i, /tool_choice/i),
    ),
    { forcedWhileThinking: false, thinks: true },
  ),
  when(/invalid temperature: only 1 is allowed/i, ({ fixed }) => ({
    fixed: [...fixed, 'temperature'],
    fixedWhile: 'always',
  })),
  when(/system message must be at the beginning/i, { systemMessages: 'in front' }),
  when(/expected a string|content must be a string/i, { plainText: true }),
  when(/must be a-z, A-Z, 0-9, with a length of 9/i, { nineCharacterIds: true }),
  when(/unexpected role 'user' after role 'tool'/i, { assistantAfterTool: true }),
  onField,
  // Any other wording that names the field.
  ({ text, traits }) =>
    followedBy(/reasoning_content/i, /not (?:permitted|supported|allowed)|unsupported|unexpected/i).test(text)
      ? otherPlace(traits, 'reasoning_content')
      : undefined,
]
