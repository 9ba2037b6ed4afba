// What a server wants back with its own tool calls and clients do not carry: its reasoning, in the field it used, and
// proofs that only it can read (`reasoning_details`, and `extra_content` of a call, where Gemini puts its signatures).

import { type Fields, isObject } from '../json.ts'
import type { ChatMessage } from './messages-out.ts'

export interface KeptTurn {
  /** Fields of the assistant message. */
  message: Fields
  /** `extra_content` by call id. */
  callExtras: ReadonlyMap<string, unknown>
}

/** The message as the server sent it; what the client does carry stays as the client has it. */
export function withKept(message: ChatMessage, kept: KeptTurn): ChatMessage {
  const calls = message.tool_calls as readonly unknown[]
  return {
    ...kept.message,
    ...Object.fromEntries(
      Object.entries(message).filter(([name, value]) => !(name in kept.message) || isGiven(value)),
    ),
    role: message.role,
    tool_calls: calls.map((call) =>
      isObject(call) ? withExtra(call, kept.callExtras.get(String(call.id))) : call,
    ),
  }
}

const isGiven = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

function withExtra(call: Fields, extra: unknown): Fields {
  return extra === undefined || call.extra_content !== undefined ? call : { ...call, extra_content: extra }
}
