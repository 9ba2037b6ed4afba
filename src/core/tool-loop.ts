// The open tool loop of a conversation: the model made calls, and the request brings their results.

import type { Message, ToolCallPart } from './request.ts'

interface ToolLoop {
  /** The calls whose results the request contains. */
  readonly calls: readonly ToolCallPart[]
  /** The conversation as it was when the loop began. */
  readonly before: readonly Message[]
}

/** Undefined if no results follow the last answer. Reminders that a client adds after the results do not end a loop. */
export function openToolLoop(messages: readonly Message[]): ToolLoop | undefined {
  const last = messages.findLastIndex(({ role }) => role === 'tool' || role === 'assistant')
  if (messages[last]?.role !== 'tool') return undefined
  let [first, calls]: [number, ToolCallPart[] | undefined] = [last, undefined]
  for (let at = last - 1; at >= 0; at--) {
    const message = messages[at]
    if (message?.role !== 'assistant') continue
    const made = message.content.filter((part) => part.type === 'tool-call')
    if (made.length === 0) break
    calls ??= made
    first = at
  }
  return { calls: calls ?? [], before: messages.slice(0, first) }
}
