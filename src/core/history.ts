// History repair: establishes the invariants of request.ts. Clients truncate, reorder and lose tool results, and strict upstreams
// refuse the whole conversation for it. Each kind of repair is a note.

import type { AssistantPart, Message, ToolCallPart, ToolResult, UserPart } from './request.ts'

type PlainMessage = Exclude<Message, { role: 'assistant' | 'tool' }>

export const repeatedIdNote = 'a repeated tool call id was made distinct'
export const missingResultNote = 'a tool call without a result was answered with an error'
export const missingResultText = 'No result was recorded for this tool call.'

/** The result was added by the repair, not sent by the client. */
export const isMissingResult = ({ content, isError }: ToolResult): boolean =>
  isError === true && content.every((part) => part.type === 'text' && part.text === missingResultText)

/** Calls `note` for each change. If it is never called, the messages are returned unchanged. */
export function repairHistory(messages: readonly Message[], note: (text: string) => void): Message[] {
  const repaired: Message[] = []
  let at = 0
  while (at < messages.length) {
    const message = messages[at++] as Message
    if (message.role === 'tool') {
      pushOrphans(repaired, message.results, note)
      continue
    }
    if (message.role !== 'assistant') {
      pushPlain(repaired, message, note)
      continue
    }
    const assistant = distinctIds(message.content, note)
    if (assistant.length === 0) {
      note('an empty assistant message was left out')
      continue
    }
    repaired.push(assistant === message.content ? message : { role: 'assistant', content: assistant })
    const calls = assistant.filter((part) => part.type === 'tool-call')
    const given = message.content.filter((part) => part.type === 'tool-call').map(({ callId }) => callId)
    if (calls.length > 0) at = pushResults({ repaired, messages, at, calls, given, note })
  }
  return repaired
}

interface ResultSearch {
  repaired: Message[]
  messages: readonly Message[]
  at: number
  calls: ToolCallPart[]
  /** The ids that the client sent, which may repeat. */
  given: readonly string[]
  note: (text: string) => void
}

/** Collects the results of `calls` from all messages before the next assistant message; the other messages follow them. */
function pushResults({ repaired, messages, at, calls, given, note }: ResultSearch): number {
  const wanted = new Set(calls.map((call) => call.callId))
  const owners = ownersOf(calls, given)
  const found = new Map<string, ToolResult>()
  const between: PlainMessage[] = []
  const orphans: ToolResult[] = []
  let end = at
  for (; end < messages.length && messages[end]?.role !== 'assistant'; end++) {
    const message = messages[end] as Message
    if (message.role !== 'tool') {
      between.push(message as PlainMessage)
      continue
    }
    if (between.length > 0) note('tool results were moved up to the calls they answer')
    for (const came of message.results) {
      const result = owners ? withOwner(came, owners) : came
      if (!wanted.has(result.callId)) orphans.push(result)
      else {
        if (found.has(result.callId)) note('of two results for one tool call the last was kept')
        found.set(result.callId, result)
      }
    }
  }
  for (const id of wanted) {
    if (found.has(id)) continue
    note(missingResultNote)
    found.set(id, { callId: id, content: [{ type: 'text', text: missingResultText }], isError: true })
  }
  repaired.push({ role: 'tool', results: [...found.values()] })
  pushOrphans(repaired, orphans, note)
  for (const message of between) pushPlain(repaired, message, note)
  return end
}

/** The new ids of the calls that were sent with the same id, last first; undefined if no id was repeated. */
function ownersOf(
  calls: readonly ToolCallPart[],
  given: readonly string[],
): Map<string, string[]> | undefined {
  if (calls.every(({ callId }, at) => callId === given[at])) return undefined
  const owners = new Map<string, string[]>()
  for (const [at, id] of given.entries()) {
    const ids = owners.get(id) ?? []
    ids.push(calls[at]?.callId ?? id)
    owners.set(id, ids)
  }
  for (const ids of owners.values()) ids.reverse()
  return owners
}

/** Each of several results with the same id answers the next call that was sent with it. */
function withOwner(result: ToolResult, owners: Map<string, string[]>): ToolResult {
  const ids = owners.get(result.callId)
  const id = ids && (ids.length > 1 ? ids.pop() : ids[0])
  if (id === undefined || id === result.callId) return result
  const { source: _, ...rest } = result
  return { ...rest, callId: id }
}

function pushPlain(repaired: Message[], message: PlainMessage, note: (text: string) => void): void {
  if (message.content.length > 0) repaired.push(message)
  else note(`an empty ${message.role} message was left out`)
}

/** Results without a call become text: the model may need them, and no upstream accepts them as results. */
function pushOrphans(
  repaired: Message[],
  orphans: readonly ToolResult[],
  note: (text: string) => void,
): void {
  if (orphans.length === 0) return
  note('a tool result without its call was passed on as text')
  const content: UserPart[] = []
  for (const orphan of orphans) {
    content.push({ type: 'text', text: `Result of an earlier tool call (${orphan.callId}):` })
    for (const part of orphan.content) content.push(part)
  }
  repaired.push({ role: 'user', content })
}

/** If two calls in one message have the same id, the later one gets a new id. */
function distinctIds(content: AssistantPart[], note: (text: string) => void): AssistantPart[] {
  const ids = new Set<string>()
  /** The last suffix per repeated id, so that many copies do not each count from the start. */
  const copies = new Map<string, number>()
  let changed = false
  const distinct = content.map((part) => {
    if (part.type !== 'tool-call') return part
    let callId = part.callId
    let copy = copies.get(part.callId) ?? 1
    while (ids.has(callId)) callId = `${part.callId}_${++copy}`
    copies.set(part.callId, copy)
    ids.add(callId)
    if (callId === part.callId) return part
    changed = true
    return { ...part, callId }
  })
  if (changed) note(repeatedIdNote)
  return changed ? distinct : content
}
