// Web searches and fetches of earlier answers as calls and results that any model understands. In the dialects that have them, call and
// result are parts of one assistant message; here each pair becomes a call with its result in the message after it.

import type { AssistantPart, Message, OpaquePart, ToolResult } from '../../core/request.ts'
import type { WebKind, WebPart } from '../../core/web.ts'

/** `names`: what the model calls the tools now. Kinds without a name are left as they are. */
export function withWebHistory(messages: readonly Message[], names: ReadonlyMap<WebKind, string>): Message[] {
  const out: Message[] = []
  /** Results that belong to the calls of the last assistant message. */
  let pending: ToolResult[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      out.push({ role: 'tool', results: [...pending, ...message.results] })
      pending = []
      continue
    }
    if (pending.length > 0) out.push({ role: 'tool', results: pending })
    pending = []
    if (message.role !== 'assistant' || !message.content.some(isWeb)) out.push(message)
    else pending = split(message.content, names, out)
  }
  if (pending.length > 0) out.push({ role: 'tool', results: pending })
  return out
}

const isWeb = (part: AssistantPart): part is OpaquePart & { web: WebPart } =>
  part.type === 'opaque' && part.web !== undefined

/** Adds the messages that one assistant message becomes, and returns the results of the last. */
function split(
  parts: readonly AssistantPart[],
  names: ReadonlyMap<WebKind, string>,
  out: Message[],
): ToolResult[] {
  const results = new Map(
    parts.flatMap((part) =>
      isWeb(part) && part.web.result !== undefined ? [[part.web.id, part.web.result]] : [],
    ),
  )
  let content: AssistantPart[] = []
  let answered: ToolResult[] = []
  const flush = () => {
    out.push({ role: 'assistant', content }, { role: 'tool', results: answered })
    content = []
    answered = []
  }
  for (const part of parts) {
    if (!isWeb(part) || !names.has(part.web.kind)) {
      // What follows a result was written after it, unless calls of the client are still open.
      if (answered.length > 0 && !hasOwnCall(content, answered)) flush()
      content.push(part)
      continue
    }
    const { id, kind, input } = part.web
    if (input === undefined) continue
    content.push({ type: 'tool-call', callId: id, name: names.get(kind) ?? '', input })
    const text = results.get(id) ?? 'The result is not in the conversation any more.'
    answered.push({ callId: id, content: [{ type: 'text', text }] })
  }
  if (answered.length > 0 && !hasOwnCall(content, answered)) {
    flush()
    return []
  }
  if (content.length > 0) out.push({ role: 'assistant', content })
  return answered
}

/** A call of the client's own tools: its result is in the message after it. */
const hasOwnCall = (content: readonly AssistantPart[], answered: readonly ToolResult[]): boolean =>
  content.some((part) => part.type === 'tool-call' && !answered.some(({ callId }) => callId === part.callId))
