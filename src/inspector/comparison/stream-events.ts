// The events of an answer that was streamed, in any dialect's framing.

import { createParser } from 'eventsource-parser'
import { isObject, parseJson } from '../../base/json.ts'
import { isTooDeep } from '../../tapes/depth.ts'

export interface StreamEvent {
  name?: string | undefined
  data: unknown
}

interface AnswerText {
  events: StreamEvent[] | undefined
  /** The answer that was not streamed: JSON, or text where it is none. */
  whole?: unknown
}

export function readAnswerText(text: string): AnswerText {
  const json = jsonOf(text)
  if (Array.isArray(json) && json.every(isObject)) return { events: json.map((data) => ({ data })) }
  const lines = json === undefined ? linesIn(text) : undefined
  if (lines) return { events: lines }
  if (json !== undefined || !/^(?:data|event|id|retry)?:/m.test(text.slice(0, 4_096)))
    return { events: undefined, whole: json ?? text }
  const events: StreamEvent[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ name: event, data: jsonOf(data) ?? data }),
  })
  parser.feed(text.endsWith('\n\n') ? text : `${text}\n\n`)
  return { events }
}

/** One object per line. The last one may be cut off. */
function linesIn(text: string): StreamEvent[] | undefined {
  if (!text.startsWith('{')) return undefined
  const [first, ...others] = text.split('\n').filter((line) => line !== '')
  const opening = jsonOf(first ?? '')
  return isObject(opening)
    ? [{ data: opening }, ...others.map((line) => ({ data: jsonOf(line) ?? line }))]
    : undefined
}

export function jsonOf(text: string): unknown {
  const json = parseJson(text)
  return isTooDeep(json) ? undefined : json
}
