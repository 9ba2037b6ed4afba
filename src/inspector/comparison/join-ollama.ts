// Joins the lines of Ollama's stream.

import { type Fields, isObject } from '../../base/json.ts'
import type { JoinedAnswer } from './joined-answer.ts'
import type { StreamEvent } from './stream-events.ts'

export function joinOllama(events: readonly StreamEvent[]): JoinedAnswer {
  let whole: Fields = {}
  for (const { data } of events) if (isObject(data)) whole = joined(whole, data)
  return { whole, facts: [] }
}

/** Of `/api/generate`, the text is not in a message. */
const continued = new Set(['content', 'thinking', 'response'])

/** Texts go on, calls are added, a message is joined; the last of any other value counts. */
function joined(before: Fields, next: Fields): Fields {
  const all: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(next)) {
    const known = before[name]
    if (continued.has(name) && typeof known === 'string' && typeof value === 'string')
      all[name] = known + value
    else if (name === 'tool_calls' && Array.isArray(known) && Array.isArray(value))
      all[name] = [...known, ...value]
    else if (name === 'message' && isObject(known) && isObject(value)) all[name] = joined(known, value)
    else all[name] = value
  }
  return all
}
