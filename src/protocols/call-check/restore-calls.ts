// Puts the calls of a conversation back as the model made them: the client has some of them corrected. A service that signs thinking
// binds it to everything before it, and prompt caches do so too.

import type { KnownCall } from '../../core/call-key.ts'
import type { AssistantPart, Message, ToolResult, TurnRequest } from '../../core/request.ts'
import { isMarked, unmarkId } from './marked-id.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** What the gateway knows about a call that the client sees otherwise. */
export type CallRecord =
  /** The arguments or the name were repaired. */
  | { type: 'repaired'; made: KnownCall }
  /** The model was asked again: its first answer, the complaints about it, and its second answer. */
  | {
      type: 'retried'
      first: readonly AssistantPart[]
      complaints: readonly ToolResult[]
      second: readonly AssistantPart[]
      /** The calls of both answers that the client has. */
      ids: readonly ShownId[]
    }

export interface ShownId {
  shown: string
  made: string
  answer: 'first' | 'second'
}

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
  let isLost = false
  const parts = content.map((part): AssistantPart => {
    if (part.type !== 'tool-call' || !isMarked(part.callId)) return part
    const record = recordOf(part)
    if (record?.type === 'repaired') return { type: 'tool-call', ...record.made }
    isLost ||= record === undefined
    return { ...part, callId: unmarkId(part.callId) }
  })
  const retried = content
    .map((part) => (part.type === 'tool-call' && isMarked(part.callId) ? recordOf(part) : undefined))
    .find((record) => record?.type === 'retried')
  if (retried?.type !== 'retried')
    return {
      messages: [
        { role: 'assistant', content: parts },
        ...inOne(results.map((result) => withId(result, unmarkId(result.callId)))),
      ],
      isLost,
    }
  return { messages: bothAnswers(retried, results), isLost: false }
}

/** Both answers of the model, each with the results of its own calls. */
function bothAnswers(
  { first, complaints, second, ids }: Extract<CallRecord, { type: 'retried' }>,
  results: readonly ToolResult[],
): Message[] {
  const resultsOf = (answer: ShownId['answer']) =>
    ids.flatMap(({ shown, made, answer: of }) => {
      const result = of === answer ? results.find(({ callId }) => callId === shown) : undefined
      return result ? [withId(result, made)] : []
    })
  return [
    { role: 'assistant', content: [...first] },
    ...inOne([...resultsOf('first'), ...complaints]),
    { role: 'assistant', content: [...second] },
    ...inOne(resultsOf('second')),
  ]
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
