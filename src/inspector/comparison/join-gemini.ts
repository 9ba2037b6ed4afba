// Joins the chunks of Google's stream.

import { type Fields, isObject } from '../../base/json.ts'
import type { JoinedAnswer } from './joined-answer.ts'
import type { StreamEvent } from './stream-events.ts'

export function joinGemini(events: readonly StreamEvent[]): JoinedAnswer {
  const whole: Fields = {}
  const parts: unknown[] = []
  const candidate: Fields = {}
  const content: Fields = {}
  for (const { data } of events) {
    if (!isObject(data)) continue
    const { candidates, ...others } = data
    Object.assign(whole, others)
    const [one] = Array.isArray(candidates) ? candidates : []
    if (!isObject(one)) continue
    const { content: came, ...facts } = one
    Object.assign(candidate, facts)
    if (!isObject(came)) continue
    const { parts: pieces, ...rest } = came
    Object.assign(content, rest)
    for (const part of Array.isArray(pieces) ? pieces : []) add(parts, part)
  }
  return { whole: { candidates: [{ content: { parts, ...content }, ...candidate }], ...whole }, facts: [] }
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
