// Compaction: the model itself sums up the conversation in an ordinary turn. The client gets the summary sealed, as a `compaction`
// item, and sends that instead of the conversation.

import { GatewayError } from '../../core/errors.ts'
import type { FinishReason } from '../../core/events.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import type { Fields } from '../requests/decode.ts'
import type { Item } from './items-out.ts'
import { listedItem } from './listed-items.ts'

const question = `Write a summary of this conversation that replaces it. Another model continues the work from your summary alone.
State what the user asked for, every decision and constraint, names, numbers, paths and values that matter, what is done, what was
found out, what failed, and what remains to be done, in this order. Quote exactly what must not change. Leave out pleasantries. Answer
with the summary only; call no tools.`

const heading = 'The conversation so far was summed up. Continue from this summary:'

/** The turn that sums up the conversation of another. */
export function summaryTurn(turn: TurnRequest): TurnRequest {
  const { model, messages, stream, origin, user, maxOutputTokens } = turn
  const asked: Message = { role: 'user', content: [{ type: 'text', text: question }] }
  return {
    model,
    messages: [...messages, asked],
    tools: [],
    stream,
    ...(user === undefined ? {} : { user }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    origin: { dialect: origin.dialect, body: {}, faithful: false },
  }
}

/** What is sealed. `said`: the latest words of the user, where the client keeps none. */
export const sealedSummary = (summary: string, said: readonly string[] = []) =>
  [
    heading,
    summary.trim(),
    ...(said.length > 0 ? ['The latest messages of the user, word for word:', ...said] : []),
  ].join('\n\n')

/** Throws if the model's answer is no summary. */
export function checkSummary(text: string, reason: FinishReason): void {
  if (reason === 'length' || reason === 'content-filter')
    throw new GatewayError('upstream-protocol', 'The model did not finish its summary of the conversation.')
  if (text.trim() === '')
    throw new GatewayError('upstream-protocol', 'The model wrote no summary of the conversation.')
}

export const compactionItem = (id: string, index: number, sealed: string): Item => ({
  id: `cmp_${id}_${index}`,
  type: 'compaction',
  encrypted_content: sealed,
})

/** Older words of the user are in the summary alone. */
const mostKept = 64 * 1024

const isMessage = ({ type, role }: Fields) => (type ?? 'message') === 'message' && typeof role === 'string'

/** The messages that stay beside the summary: rules, and the latest of the user. */
export function messagesKept(items: readonly Fields[], owner: string): Fields[] {
  let room = mostKept
  const kept = items.toReversed().filter((item) => {
    if (!isMessage(item) || item.role === 'assistant') return false
    if (item.role !== 'user') return true
    room -= JSON.stringify(item.content ?? '').length
    return room > 0
  })
  return kept.toReversed().map((item, at) => listedItem(item, at, owner))
}

/** The latest texts of the user. */
export function textsKept(messages: readonly Message[]): string[] {
  let room = mostKept / 4
  const texts = messages.toReversed().flatMap((message) => {
    if (message.role !== 'user') return []
    const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    room -= text.length
    return room > 0 && text.trim() !== '' && !text.startsWith(heading) ? [text] : []
  })
  return texts.toReversed()
}
