// What a server wants back with its own tool calls and clients do not carry: its reasoning, in the field it used, and
// proofs that only it can read (`reasoning_details`, and `extra_content` of a call, where Gemini puts its signatures), and
// its own ids of calls where it gave two calls one id.

import { type Fields, isObject } from '../../base/json.ts'
import type { ChatMessage } from './messages-out.ts'

export interface KeptTurn {
  /** Fields of the assistant message. */
  message: Fields
  /** What it thought, where it said so in parts of the content. */
  thinking?: string
  /** `extra_content` by call id. */
  callExtras: ReadonlyMap<string, unknown>
  /** The server's own ids, by the ids that clients have. */
  ownIds: ReadonlyMap<string, string>
}

/**
 * The message as the server sent it. What it thought goes before what the client has of it: the official SDK, for one, puts together
 * the pieces of fields that it knows, and of others keeps the last piece.
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
 * Calls and their results under the server's own ids. It tells calls with one id apart by their order, so the results take
 * the order of the calls. `kept` is what is known of each message.
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
