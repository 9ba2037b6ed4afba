// What a server wants back with its own tool calls although clients do not send it: its reasoning in the field it used, its
// opaque proofs (`reasoning_details`, and the `extra_content` of a call, where Gemini puts signatures), and its own call ids if it
// gave two calls the same id.

import { type Fields, isObject } from '../../base/json.ts'
import type { ChatMessage } from './messages-out.ts'

export interface KeptTurn {
  /** Fields of the assistant message. */
  message: Fields
  /** Reasoning that arrived as parts of the content. */
  thinking?: string
  /** `extra_content` by call id. */
  callExtras: ReadonlyMap<string, unknown>
  /** The server's own ids, by the client's ids. */
  ownIds: ReadonlyMap<string, string>
}

/**
 * The message as the server sent it. The kept reasoning overrides the client's copy: the official SDK, for example, joins the
 * deltas of fields that it knows and keeps only the last delta of others.
 */
export function withKept(message: ChatMessage, kept: KeptTurn): ChatMessage {
  const calls = message.tool_calls as readonly unknown[]
  return {
    ...message,
    ...kept.message,
    role: message.role,
    tool_calls: calls.map((call) =>
      isObject(call) ? withExtra(call, kept.callExtras.get(String(call.id))) : call,
    ),
  }
}

function withExtra(call: Fields, extra: unknown): Fields {
  return extra === undefined || call.extra_content !== undefined ? call : { ...call, extra_content: extra }
}

/**
 * Restores the server's own ids in calls and results. The server tells calls with the same id apart by order, so the results are
 * put into the order of the calls. `kept` has an entry per message.
 */
export function withOwnIds(
  messages: readonly ChatMessage[],
  kept: readonly (KeptTurn | undefined)[],
): ChatMessage[] {
  const renamed = [...messages]
  for (const [at, turn] of kept.entries()) {
    const message = messages[at]
    if (!turn || turn.ownIds.size === 0 || !message) continue
    const own = (id: unknown) => turn.ownIds.get(String(id)) ?? id
    const calls = message.tool_calls as readonly Fields[]
    if (calls.every(({ id }) => own(id) === id)) continue
    renamed[at] = { ...message, tool_calls: calls.map((call) => ({ ...call, id: own(call.id) })) }
    let end = at + 1
    while (messages[end]?.role === 'tool') end++
    const places = new Map(calls.map(({ id }, place) => [id, place]))
    const placeOf = ({ tool_call_id: id }: ChatMessage) => places.get(id) ?? calls.length
    const results = messages.slice(at + 1, end).toSorted((one, other) => placeOf(one) - placeOf(other))
    for (const [place, result] of results.entries()) {
      const id = own(result.tool_call_id)
      renamed[at + 1 + place] = id === result.tool_call_id ? result : { ...result, tool_call_id: id }
    }
  }
  return renamed
}
