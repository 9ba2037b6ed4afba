// The answer of a turn in full, read from the writes to the client: five dialects, streamed or whole, finished or not.

import { isObject } from '../../base/json.ts'
import type { Steps } from '../../base/slices.ts'
import { answerEvents } from '../../tapes/answer-events.ts'
import type { Frame } from '../../tapes/frame.ts'
import { readGemini } from './answer-gemini.ts'
import { type OpenBlocks, partOf, readMessagesEvent } from './answer-messages.ts'
import { readOllama } from './answer-ollama.ts'
import { readChat, readResponse, readResponsesEvent } from './answer-openai.ts'
import { AnswerParts } from './answer-parts.ts'
import type { NewPart } from './entry.ts'

type Write = Extract<Frame, { side: 'client'; do: 'write' }>

const eventsAtOnce = 50

export function* readAnswer(frames: readonly Frame[]): Steps<NewPart[]> {
  const writes = frames.filter(
    (frame): frame is Write & Frame => frame.side === 'client' && frame.do === 'write',
  )
  const parts = new AnswerParts()
  const open: OpenBlocks = new Map()
  let count = 0
  for (const { event } of answerEvents(writes)) {
    readEvent(event, parts, open)
    if (++count % eventsAtOnce === 0) yield
  }
  for (const block of open.values()) parts.add(partOf(block))
  if (parts.isEmpty) addUnread(writes, parts)
  addEnd(frames, parts)
  return parts.finished().map((part) => withState(part, frames))
}

function readEvent(event: unknown, parts: AnswerParts, open: OpenBlocks): void {
  if (!isObject(event)) return
  const { choices, candidates, type, object, error } = event
  if (Array.isArray(choices)) readChat(choices, parts)
  if (Array.isArray(candidates) || isObject(event.promptFeedback)) readGemini(event, parts)
  else if (typeof event.done === 'boolean') readOllama(event, parts)
  else if (object === 'response' || object === 'response.compaction') readResponse(event, parts)
  else if (typeof type === 'string' && type.startsWith('response.')) readResponsesEvent(event, parts)
  else if (typeof type === 'string' && type !== 'error') readMessagesEvent(event, parts, open)
  else if (type === 'error' && !isObject(error)) parts.error(event.code, event.message)
  else if (isObject(error)) parts.error(error.code ?? error.type ?? error.status, error.message)
  else if (typeof error === 'string') parts.error('error', error)
}

/** A body that is no JSON: nothing of an answer is hidden. */
function addUnread(writes: readonly Write[], parts: AnswerParts): void {
  const text = writes.map((write) => write.text).join('')
  if (text.trim() !== '' && !/^\s*(?:data:|:|event:|[[{])/.test(text)) parts.add({ kind: 'raw', text })
}

/** What the gateway says of the end, unless the answer says it. */
function addEnd(frames: readonly Frame[], parts: AnswerParts): void {
  const finish = frames.findLast((frame) => frame.side === 'gateway' && frame.do === 'finish')
  if (finish?.side !== 'gateway' || finish.do !== 'finish' || !finish.error) return
  if (!parts.hasError) parts.error(finish.error.code, finish.error.message)
}

/** A call is open while its arguments may still come. */
function withState(part: NewPart, frames: readonly Frame[]): NewPart {
  if (part.kind !== 'call' || !isCutShort(part.text)) return part
  const isOver = frames.some(
    (frame) => frame.side === 'client' && (frame.do === 'end' || frame.do === 'gone'),
  )
  return isOver ? part : { ...part, isOpen: true }
}

const isCutShort = (text: string) => !/[}\]"]\s*$/.test(text.slice(-50))
