// The reasoning of earlier answers, in the field where the service takes it back. Clients drop it. Some services refuse the
// conversation without it, others refuse it in the wrong field.

import { type Fields, isObject } from '../../base/json.ts'
import { type KeptTurn, withKept } from './kept-turn.ts'
import type { ChatMessage } from './messages-out.ts'
import type { ServerTraits } from './servers.ts'

export type ReasoningField = 'reasoning_content' | 'reasoning'

export interface ReasoningOptions {
  traits: ServerTraits
  /** The field that this model's answers used, if known. */
  answered?: ReasoningField | undefined
  note(text: string): void
}

/** Restores the kept reasoning of each message unchanged. `turns` has an entry per message. */
export function withReasoning(
  messages: readonly ChatMessage[],
  turns: readonly (KeptTurn | undefined)[],
  options: ReasoningOptions,
): ChatMessage[] {
  const { traits } = options
  const lastUser = traits.lastTurnReasoning ? messages.findLastIndex(({ role }) => role === 'user') : -1
  return messages.map((message, at) => {
    if (message.role !== 'assistant') return message
    const kept = traits.reasoning === 'nowhere' ? undefined : turns[at]
    const known = kept ? withKept(message, kept) : message
    const placed = at < lastUser ? withoutReasoning(known, options) : inPlace(known, kept, options)
    return traits.thoughtSignatures ? withSignature(placed, options) : placed
  })
}

function inPlace(message: ChatMessage, kept: KeptTurn | undefined, options: ReasoningOptions): ChatMessage {
  const { traits, answered } = options
  if (kept?.thinking !== undefined && (traits.reasoning === 'parts' || traits.reasoning === 'as answered'))
    return withThinkingPart(withoutFields(message), kept.thinking)
  if (traits.reasoning === 'nowhere' || traits.reasoning === 'parts')
    return withoutReasoning(message, options)
  const field = traits.reasoning === 'as answered' ? (fieldOf(kept?.message) ?? answered) : traits.reasoning
  const moved = field ? inField(message, field, kept !== undefined, options) : message
  return isWanted(moved, traits)
    ? { ...moved, [field ?? 'reasoning_content']: traits.reasoningFiller }
    : moved
}

function isWanted(message: ChatMessage, { reasoningWanted }: ServerTraits): boolean {
  if (reasoningWanted === 'nowhere' || fieldOf(message) !== undefined) return false
  return reasoningWanted === 'everywhere' || hasCalls(message)
}

const hasCalls = ({ tool_calls: calls }: ChatMessage) => Array.isArray(calls) && calls.length > 0

const hasText = (value: unknown) => typeof value === 'string' && value !== ''

function fieldOf(message: Readonly<Fields> | undefined): ReasoningField | undefined {
  if (hasText(message?.reasoning_content)) return 'reasoning_content'
  return hasText(message?.reasoning) ? 'reasoning' : undefined
}

/** Moves the reasoning into `field`: servers read one of the two fields, and some refuse the other. */
function inField(
  message: ChatMessage,
  field: ReasoningField,
  isKept: boolean,
  { note, traits }: ReasoningOptions,
): ChatMessage {
  const other = field === 'reasoning' ? 'reasoning_content' : 'reasoning'
  const details = traits.reasoning === 'reasoning' && 'reasoning_details' in message
  if (!(other in message) && !details) return message
  const { [other]: text, reasoning_details, ...rest } = message
  const moved: ChatMessage = { ...rest, role: message.role }
  if (!details && reasoning_details !== undefined) moved.reasoning_details = reasoning_details
  if (!hasText(text) || hasText(moved[field])) return moved
  moved[field] = text
  if (!isKept) note(`${other} of messages was sent as ${field}, which is what the upstream reads`)
  return moved
}

const fields = ['reasoning_content', 'reasoning', 'reasoning_details']

function withoutReasoning(message: ChatMessage, { note }: ReasoningOptions): ChatMessage {
  if (!fields.some((name) => name in message)) return message
  if (fieldOf(message)) note('the reasoning of earlier answers was left out: the upstream does not take it')
  return withoutFields(message)
}

function withoutFields(message: ChatMessage): ChatMessage {
  if (!fields.some((name) => name in message)) return message
  const rest = Object.entries(message).filter(([name]) => !fields.includes(name))
  return { ...Object.fromEntries(rest), role: message.role }
}

/** Mistral's form: a thinking part before the text. */
function withThinkingPart(message: ChatMessage, text: string): ChatMessage {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text }], closed: true }
  const { content } = message
  if (Array.isArray(content)) return { ...message, content: [thinking, ...content] }
  return { ...message, content: hasText(content) ? [thinking, { type: 'text', text: content }] : [thinking] }
}

/** Google documents this value for calls made by another model. */
const fillerSignature = 'skip_thought_signature_validator'

/** Only the first of several parallel calls has the signature. */
function withSignature(message: ChatMessage, { note }: ReasoningOptions): ChatMessage {
  const [first, ...siblings] = hasCalls(message) ? (message.tool_calls as unknown[]) : []
  if (!isObject(first)) return message
  const extra = isObject(first.extra_content) ? first.extra_content : {}
  const google = isObject(extra.google) ? extra.google : {}
  if (hasText(google.thought_signature)) return message
  note('a tool call without its thought_signature was sent with the filler that Google documents')
  const filled = { ...extra, google: { ...google, thought_signature: fillerSignature } }
  return { ...message, tool_calls: [{ ...first, extra_content: filled }, ...siblings] }
}
