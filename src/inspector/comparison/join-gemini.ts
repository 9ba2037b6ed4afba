// Joins the chunks of Google's stream.

import { type Fields, isObject } from '../../base/json.ts'
import type { JoinedAnswer, WireFact } from './joined-answer.ts'
import type { StreamEvent } from './stream-events.ts'

export function joinGemini(events: readonly StreamEvent[]): JoinedAnswer {
  const whole: Fields = {}
  const parts: unknown[] = []
  const candidate: Fields = {}
  const content: Fields = {}
  let isLate = false
  for (const { data } of events) {
    if (!isObject(data)) continue
    const { candidates, ...others } = data
    Object.assign(whole, others)
    const [one] = Array.isArray(candidates) ? candidates : []
    if (!isObject(one)) continue
    const { content: came, ...facts } = one
    const isEnded = candidate.finishReason !== undefined
    Object.assign(candidate, facts)
    if (!isObject(came)) continue
    const { parts: pieces, ...rest } = came
    Object.assign(content, rest)
    const list: unknown[] = Array.isArray(pieces) ? pieces : []
    isLate ||= isEnded && list.some((part) => isObject(part) && part.text !== '')
    for (const part of list) add(parts, part)
  }
  const late: WireFact[] = isLate ? [{ term: 'output after the end', value: 'some', isOdd: true }] : []
  return {
    whole: { candidates: [{ content: { parts, ...content }, ...candidate }], ...whole },
    facts: [...late, ...callFacts(parts)],
  }
}

/** Of an answer that is not streamed. */
export function geminiWholeFacts([candidate]: readonly unknown[]): WireFact[] {
  const content = isObject(candidate) ? candidate.content : undefined
  return isObject(content) && Array.isArray(content.parts) ? callFacts(content.parts) : []
}

/** Arguments are a value in this dialect. */
function callFacts(parts: readonly unknown[]): WireFact[] {
  const isText = parts.some(
    (part) => isObject(part) && isObject(part.functionCall) && typeof part.functionCall.args === 'string',
  )
  return isText ? [{ term: 'arguments', value: 'a text', isOdd: true }] : []
}

/** A text goes on where the last part is a text of the same kind. */
function add(parts: unknown[], part: unknown): void {
  const last = parts.at(-1)
  const isNext =
    isObject(part) && isObject(last) && typeof part.text === 'string' && typeof last.text === 'string'
  if (isNext && part.thought === last.thought)
    parts[parts.length - 1] = { ...last, ...part, text: `${last.text}${part.text}` }
  else parts.push(part)
}
