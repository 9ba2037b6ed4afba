// Messages fitted to the service: what it is known to refuse is repaired. Other messages keep their identity.

import { createHash } from 'node:crypto'
import { type Fields, isObject } from '../../base/json.ts'
import type { KnownCall } from '../../core/call-key.ts'
import { GatewayError } from '../../core/errors.ts'
import { type KeptTurn, withOwnIds } from './kept-turn.ts'
import type { ChatMessage } from './messages-out.ts'
import { withOneSystem } from './one-system.ts'
import { type ReasoningOptions, withReasoning } from './reasoning-out.ts'
import type { ServerTraits } from './servers.ts'

export interface HistoryOptions extends ReasoningOptions {
  /** What this server sent with the turn that made a call, if it is still kept. */
  recall(call: KnownCall): KeptTurn | undefined
}

export function adaptMessages(
  messages: readonly ChatMessage[],
  options: HistoryOptions & { sameDialect: boolean },
): readonly ChatMessage[] {
  const { traits, note, sameDialect } = options
  let adapted = traits.developerRole ? [...messages] : messages.map(withSystemRole)
  // A client of this dialect may know its server. Translated requests use only what every server takes.
  const unsure = traits.systemMessages === 'unknown' && !sameDialect
  if (unsure || traits.systemMessages === 'in front') adapted = withOneSystem(adapted, note)
  // After that step, which may add user messages: reasoning may be allowed only after the last user message.
  const kept = adapted.map((message) => recallTurn(message, options))
  adapted = withReasoning(adapted, kept, options).map(withContent)
  if (!traits.uniqueCallIds) adapted = withOwnIds(adapted, kept)
  if (traits.nineCharacterIds) adapted = adapted.map(withShortIds)
  if (traits.assistantAfterTool) adapted = withBridges(adapted, note)
  adapted = withTakenFields(adapted, traits, note)
  // The same list if nothing changed: then its text is forwarded byte for byte.
  const isSame =
    adapted.length === messages.length && adapted.every((message, at) => message === messages[at])
  return isSame ? messages : adapted
}

/** What this server sent with the calls of a message, if it is still kept. */
function recallTurn({ role, tool_calls: calls }: ChatMessage, { recall }: HistoryOptions) {
  if (role !== 'assistant' || !Array.isArray(calls)) return undefined
  for (const call of calls) {
    const kept = recall(toKnownCall(call))
    if (kept) return kept
  }
  return undefined
}

function toKnownCall(call: Fields): KnownCall {
  const { name, arguments: input } = isObject(call.function) ? call.function : {}
  return { callId: String(call.id), name: String(name), input: String(input) }
}

/** An answer that was cut off during thinking has no content, and null content is valid only beside calls. */
const withContent = (message: ChatMessage): ChatMessage =>
  message.role === 'assistant' && (message.content ?? null) === null && !message.tool_calls
    ? { ...message, content: '' }
    : message

const withSystemRole = (message: ChatMessage): ChatMessage =>
  message.role === 'developer' ? { ...message, role: 'system' } : message

/** A user message right after tool results, before the model answered them. */
function withBridges(messages: readonly ChatMessage[], note: (text: string) => void): ChatMessage[] {
  return messages.flatMap((message, at) => {
    if (message.role !== 'user' || messages[at - 1]?.role !== 'tool') return [message]
    note('an assistant message was added between tool results and the user: the upstream needs one there')
    return [{ role: 'assistant', content: 'Understood.' }, message]
  })
}

function withShortIds(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { ...message, tool_call_id: shortId(String(message.tool_call_id)) }
  if (!Array.isArray(message.tool_calls)) return message
  return {
    ...message,
    tool_calls: message.tool_calls.map((call: Fields) => ({ ...call, id: shortId(String(call.id)) })),
  }
}

const shortId = (id: string) =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)

function withTakenFields(
  messages: ChatMessage[],
  traits: ServerTraits,
  note: (text: string) => void,
): ChatMessage[] {
  let adapted = messages
  if (traits.strictMessages) adapted = adapted.map(withoutParsed)
  if (!traits.imageUrls) for (const message of messages) refuseImageUrls(message)
  if (traits.names !== 'any') adapted = adapted.map((message) => withoutName(message, traits, note))
  if (traits.markedPrefix) adapted = withPrefix(adapted)
  if (!traits.nullFields) adapted = adapted.map(withoutNulls)
  return traits.plainText ? adapted.map(withPlainText) : adapted
}

function withoutName(message: ChatMessage, { names }: ServerTraits, note: (text: string) => void) {
  if (message.name === undefined || (names === 'tool' && message.role === 'tool')) return message
  const { name: _, ...rest } = message
  note('the name of messages was left out: the service refuses it')
  return { ...rest, role: message.role }
}

/** Removes fields that the official SDK adds to streamed messages for its own use. */
function withoutParsed(message: ChatMessage): ChatMessage {
  const { parsed: _, tool_calls: calls, ...rest } = message
  const isMarked = Array.isArray(calls) && calls.some((call) => hasParsed(call))
  if (!('parsed' in message) && !isMarked) return message
  const tool_calls = isMarked ? calls.map(withoutParsedInput) : calls
  return { ...rest, role: message.role, ...(tool_calls === undefined ? {} : { tool_calls }) }
}

const hasParsed = (call: unknown) =>
  isObject(call) && isObject(call.function) && 'parsed_arguments' in call.function

function withoutParsedInput(call: Fields): Fields {
  if (!hasParsed(call)) return call
  const { parsed_arguments: _, ...described } = call.function as Fields
  return { ...call, function: described }
}

/** The model continues an assistant message at the end. */
function withPrefix(messages: ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || last.tool_calls !== undefined || last.prefix === true) return messages
  return [...messages.slice(0, -1), { ...last, prefix: true }]
}

/** Null content beside calls is valid everywhere. */
const isKept = ([name, value]: [string, unknown]) => value !== null || name === 'content'

function withoutNulls(message: ChatMessage): ChatMessage {
  const entries = Object.entries(message)
  return entries.every(isKept)
    ? message
    : { ...Object.fromEntries(entries.filter(isKept)), role: message.role }
}

/** Joins content that consists of text parts only. */
function withPlainText(message: ChatMessage): ChatMessage {
  const { content, role } = message
  if (!Array.isArray(content) || content.length === 0) return message
  const texts = content.flatMap((part) =>
    isObject(part) && part.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
  )
  if (texts.length < content.length) return message
  return { ...message, content: texts.join(role === 'assistant' ? '' : '\n\n') }
}

function refuseImageUrls({ content }: ChatMessage): void {
  const urls = (Array.isArray(content) ? content : []).map((part) =>
    isObject(part) && isObject(part.image_url) ? String(part.image_url.url) : '',
  )
  if (!urls.some((url) => /^https?:/i.test(url))) return
  throw new GatewayError(
    'unsupported',
    'This service takes images only as data, not as URLs: send them in base64 (data:image/png;base64,…).',
    { param: 'messages' },
  )
}
