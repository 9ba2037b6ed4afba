// Puts the calls of a conversation back as the model made them: the client has some of them corrected. A service that signs thinking
// binds it to everything before it, and prompt caches do so too.

import type { KnownCall } from '../../core/call-key.ts'
import type { AssistantPart, Message, ToolCallPart, ToolResult, TurnRequest } from '../../core/request.ts'
import { isMarked, unmarkId } from './marked-id.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** What the gateway knows about a call that the client sees otherwise. */
export type CallRecord =
  /** The arguments or the name were repaired. */
  | { type: 'repaired'; made: KnownCall }
  /** The model was asked again: what was added to the conversation for it, and its second answer. */
  | {
      type: 'retried'
      added: readonly Message[]
      second: readonly AssistantPart[]
      /** The calls of the second answer: as the client has them, and as the model made them. */
      ids: ReadonlyMap<string, string>
    }

type RetriedRecord = Extract<CallRecord, { type: 'retried' }>

export const lostRecordNote =
  'thinking was left out from a corrected tool call on: the call as the model made it is no longer known'

interface Restored {
  messages: Message[]
  /** A call's record is lost: thinking from here on is bound to a conversation that cannot be restored. */
  isLost: boolean
}

/** The request itself if the client has no corrected calls. */
export function restoreCalls(
  request: TurnRequest,
  recordOf: (call: KnownCall) => CallRecord | undefined,
  note: (text: string) => void,
): TurnRequest {
  if (!request.messages.some(hasMarked)) return request
  const messages: Message[] = []
  let isLost = false
  const push = (message: Message) => {
    const sent = isLost ? withoutThinking(message) : message
    if (sent !== message) note(lostRecordNote)
    messages.push(sent)
  }
  for (let at = 0; at < request.messages.length; at++) {
    const message = request.messages[at] as Message
    if (message.role !== 'assistant' || !hasMarked(message)) {
      push(message)
      continue
    }
    const next = request.messages[at + 1]
    const results = next?.role === 'tool' ? next.results : []
    if (next?.role === 'tool') at++
    const restored = restore(message, results, recordOf)
    isLost ||= restored.isLost
    for (const each of restored.messages) push(each)
  }
  return { ...request, messages, origin: { ...request.origin, faithful: false } }
}

const hasMarked = (message: Message): boolean =>
  message.role === 'assistant' &&
  message.content.some((part) => part.type === 'tool-call' && isMarked(part.callId))

function restore(
  { content }: AssistantMessage,
  results: readonly ToolResult[],
  recordOf: (call: KnownCall) => CallRecord | undefined,
): Restored {
  const calls = content.filter((part) => part.type === 'tool-call')
  const records = new Map(calls.filter(isCorrected).map((call) => [call.callId, recordOf(call)]))
  const retried = [...records.values()].find((record) => isWhole(record, calls))
  const ids = distinctIds(calls, records, retried?.ids)
  const asMade = (part: AssistantPart): AssistantPart => {
    if (part.type !== 'tool-call') return part
    const record = records.get(part.callId)
    const { name, input } = record?.type === 'repaired' ? record.made : part
    return { type: 'tool-call', callId: ids.get(part.callId) ?? part.callId, name, input }
  }
  const answered = (parts: AssistantPart[], own: readonly ToolResult[]): Message[] =>
    parts.length > 0
      ? [
          { role: 'assistant', content: parts },
          ...inOne(own.map((one) => withId(one, ids.get(one.callId) ?? one.callId))),
        ]
      : []
  if (!retried) return { messages: answered(content.map(asMade), results), isLost: isLost(calls, records) }
  const isOfSecond = ({ callId }: { callId: string }) => retried.ids.has(callId)
  const others = calls.filter((call) => !isOfSecond(call))
  return {
    messages: [
      ...retried.added,
      ...answered([...retried.second], results.filter(isOfSecond)),
      // Good calls of the first answer follow: the second was made without them, and its thinking is bound to that.
      ...answered(
        others.map(asMade),
        results.filter((result) => !isOfSecond(result)),
      ),
    ],
    isLost: isLost(others, records),
  }
}

const isLost = (
  calls: readonly ToolCallPart[],
  records: ReadonlyMap<string, CallRecord | undefined>,
): boolean => calls.some((call) => isCorrected(call) && records.get(call.callId)?.type !== 'repaired')

const isCorrected = ({ callId }: ToolCallPart) => isMarked(callId)

/** The client has all calls of the second answer. Otherwise it has changed the answer, and has another conversation. */
function isWhole(record: CallRecord | undefined, calls: readonly ToolCallPart[]): record is RetriedRecord {
  if (record?.type !== 'retried') return false
  const known = new Set(calls.map(({ callId }) => callId))
  return [...record.ids.keys()].every((id) => known.has(id))
}

/**
 * The ids of the calls for the service, by those that the client has. Two answers of one model may have the same ids. Good calls that
 * follow a second answer get new ones: by its id a call finds the thinking before it, which is in another place.
 */
function distinctIds(
  calls: readonly ToolCallPart[],
  records: ReadonlyMap<string, CallRecord | undefined>,
  ofSecond: ReadonlyMap<string, string> | undefined,
): Map<string, string> {
  const ids = new Map(ofSecond)
  const taken = new Set(ids.values())
  const take = (shown: string, made: string) => {
    if (ids.has(shown)) return
    let id = ofSecond ? `${made}_2` : made
    for (let copy = 3; taken.has(id); copy++) id = `${made}_${copy}`
    taken.add(id)
    ids.set(shown, id)
  }
  for (const call of calls) if (!isCorrected(call)) take(call.callId, call.callId)
  for (const { callId } of calls) {
    const record = records.get(callId)
    take(callId, record?.type === 'repaired' ? record.made.callId : unmarkId(callId))
  }
  return ids
}

const inOne = (results: ToolResult[]): Message[] => (results.length > 0 ? [{ role: 'tool', results }] : [])

function withId(result: ToolResult, callId: string): ToolResult {
  if (callId === result.callId) return result
  // The source has the id that the client knows.
  const { source: _, ...rest } = result
  return { ...rest, callId }
}

/** Thinking without a proof stays: no service checks it. */
function withoutThinking(message: Message): Message {
  if (message.role !== 'assistant' || !message.content.some(isProven)) return message
  const content = message.content.filter((part) => !isProven(part))
  return { role: 'assistant', content: content.length > 0 ? content : [{ type: 'text', text: '…' }] }
}

const isProven = (part: AssistantPart) =>
  part.type === 'reasoning' && (part.signature !== undefined || part.redacted !== undefined)
