// An answer as one whole, in the form that its dialect has for answers that are not streamed, and how it was streamed.

import { isObject } from '../../base/json.ts'
import { ChatJoin } from './join-chat.ts'
import { geminiWholeFacts, joinGemini } from './join-gemini.ts'
import { joinMessages } from './join-messages.ts'
import { joinOllama } from './join-ollama.ts'
import { joinResponses } from './join-responses.ts'
import { readAnswerText, type StreamEvent } from './stream-events.ts'

/** How an answer was written, which its whole does not show. */
export interface WireFact {
  term: string
  value: string
  /** Not as its dialect has it. */
  isOdd?: boolean
}

export interface JoinedAnswer {
  whole: unknown
  facts: WireFact[]
}

/** `asked`: the answer was to be streamed. */
export function joinAnswer(text: string, asked: boolean): JoinedAnswer {
  const { events, whole } = readAnswerText(text)
  if (events === undefined) {
    const facts: WireFact[] = [
      { term: 'how it came', value: 'as one whole', isOdd: asked && isObject(whole) && !('error' in whole) },
    ]
    return { whole, facts: [...facts, ...wholeFacts(whole)] }
  }
  const joined = joinEvents(events)
  return { ...joined, facts: [{ term: 'how it came', value: 'streamed', isOdd: false }, ...joined.facts] }
}

function joinEvents(events: readonly StreamEvent[]): JoinedAnswer {
  const types = events.map(({ data }) => (isObject(data) ? data : {}))
  if (types.some(({ type }) => typeof type === 'string' && type.startsWith('response.')))
    return joinResponses(events)
  if (types.some(({ type }) => typeof type === 'string' && /^(?:message|content_block)_/.test(type)))
    return joinMessages(events)
  if (types.some((data) => 'candidates' in data || 'usageMetadata' in data)) return joinGemini(events)
  if (types.some(({ done }) => typeof done === 'boolean')) return joinOllama(events)
  return new ChatJoin(events).joined()
}

function wholeFacts(whole: unknown): WireFact[] {
  if (!isObject(whole)) return []
  const items = Array.isArray(whole.output) ? whole.output : []
  if (
    items.some(
      (item) => isObject(item) && item.type === 'function_call' && typeof item.arguments !== 'string',
    )
  )
    return [{ term: 'arguments', value: 'no text', isOdd: true }]
  if (Array.isArray(whole.candidates)) return geminiWholeFacts(whole.candidates)
  if (!Array.isArray(whole.choices)) return []
  return new ChatJoin([{ data: whole }]).callFacts()
}
