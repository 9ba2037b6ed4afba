// The rules about the order and the content of messages: roles, empty content, prefill, images.

import type { AnthropicModel } from './models.ts'
import { Refusal } from './refusal.ts'
import {
  type Block,
  isThinking,
  type MessagesRequest,
  nestedBlocks,
  toBlocks,
  type WireMessage,
} from './request.ts'

export function checkMessages(request: MessagesRequest, model: AnthropicModel): void {
  const { messages } = request
  if (messages.length === 0) throw new Refusal('messages: at least one message is required')
  for (const [index, message] of messages.entries()) {
    checkRole(message, index, model)
    if (message.role === 'system') checkSystemPlace(messages, index)
    checkNotEmpty(message, index, index === messages.length - 1)
    checkBlocks(message, index)
  }
  if (messages[0]?.role !== 'user') throw new Refusal('messages: first message must use the "user" role')
  checkPrefill(messages.at(-1), model)
  if (Array.isArray(request.system) && request.system.some((block) => block.text === '')) {
    throw new Refusal('system: text content blocks must be non-empty')
  }
}

function checkRole({ role }: WireMessage, index: number, model: AnthropicModel): void {
  if (role === 'user' || role === 'assistant') return
  if (role !== 'system') {
    throw new Refusal(`messages: Unexpected role "${role}". Allowed roles are "user" or "assistant"`)
  }
  if (!model.systemMessages) throw new Refusal("role 'system' is not supported on this model")
  if (index === 0) {
    throw new Refusal(`messages.0: use the top-level 'system' parameter for the initial system prompt`)
  }
}

/** The shapes admit changes of tools only with their beta. */
const SYSTEM_BLOCKS: ReadonlySet<string> = new Set(['text', 'tool_addition', 'tool_removal'])

/** After a user turn, and at the end or before an assistant turn. Several in a row count as one. The error text is not the service's. */
function checkSystemPlace(messages: readonly WireMessage[], index: number): void {
  const isTurn = ({ role }: WireMessage) => role !== 'system'
  const before = messages.slice(0, index).findLast(isTurn)
  const after = messages.slice(index + 1).find(isTurn)
  const last = before && toBlocks(before.content).at(-1)
  const isBehindResult = before?.role === 'assistant' && last?.type.endsWith('_tool_result') === true
  if (before?.role !== 'user' && !isBehindResult) {
    throw new Refusal(`messages.${index}: a system message must follow a user message`)
  }
  if (after !== undefined && after.role !== 'assistant') {
    throw new Refusal(
      `messages.${index}: a system message must be last, or be followed by an assistant message`,
    )
  }
  const other = toBlocks(messages[index]?.content ?? []).find(({ type }) => !SYSTEM_BLOCKS.has(type))
  if (other)
    throw new Refusal(`messages.${index}: system messages can only contain text, not \`${other.type}\``)
}

function checkNotEmpty(message: WireMessage, index: number, isLast: boolean): void {
  const { role, content } = message
  if (content.length === 0) {
    // A system message may have nothing but an effort.
    if (role === 'system' && message.output_config !== undefined) return
    if (role === 'user') throw new Refusal(`messages.${index}: user messages must have non-empty content`)
    if (isLast) return
    throw new Refusal(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    )
  }
  for (const block of toBlocks(content).flatMap((outer) => [outer, ...nestedBlocks(outer)])) {
    if (block.type !== 'text') continue
    if (block.text === '') throw new Refusal('messages: text content blocks must be non-empty')
    if (String(block.text).trim() === '') {
      throw new Refusal('messages: text content blocks must contain non-whitespace text')
    }
  }
}

/** The role of each block type. Types without an entry may be in both roles. */
const BLOCK_ROLES: Readonly<Record<string, string>> = {
  tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_result: 'user',
  image: 'user',
  document: 'user',
}

function checkBlocks({ role, content }: WireMessage, index: number): void {
  const blocks = toBlocks(content)
  for (const [position, block] of blocks.entries()) {
    const at = `messages.${index}.content.${position}`
    const wanted = BLOCK_ROLES[block.type]
    if (wanted !== undefined && wanted !== role) {
      throw new Refusal(`${at}: \`${block.type}\` blocks can only be in \`${wanted}\` messages`)
    }
    for (const media of [block, ...nestedBlocks(block)]) checkSource(media, at)
  }
  const [first] = blocks
  if (role === 'assistant' && first && blocks.some(isThinking) && !mayBeFirst(first)) {
    throw new Refusal(
      `messages.${index}.content.0.type: If an assistant message contains any thinking blocks, the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${first.type}\`.`,
    )
  }
}

/** Before thinking: a compaction, which stands for all that came before it. */
const mayBeFirst = (block: ReturnType<typeof toBlocks>[number]) =>
  isThinking(block) || block.type === 'compaction'

function checkPrefill(last: WireMessage | undefined, model: AnthropicModel): void {
  if (last?.role !== 'assistant') return
  if (!model.prefill) {
    throw new Refusal(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
  }
  const block = toBlocks(last.content).at(-1)
  if (block?.type === 'text' && /\s$/.test(String(block.text))) {
    throw new Refusal('messages: final assistant content cannot end with trailing whitespace')
  }
}

const MAGIC: Readonly<Record<string, RegExp>> = {
  'image/jpeg': /^\xff\xd8\xff/,
  'image/png': /^\x89PNG/,
  'image/gif': /^GIF8/,
  'image/webp': /^RIFF[\s\S]{4}WEBP/,
  'application/pdf': /^%PDF/,
}

function checkSource(block: Block, at: string): void {
  if (block.type !== 'image' && block.type !== 'document') return
  const source = block.source as { type: string; media_type?: string; data?: string; url?: string }
  const path = `${at}.${block.type}.source.${source.type}`
  if (source.type === 'url' && !source.url?.startsWith('https://')) {
    throw new Refusal(`${path}.url: Only HTTPS URLs are supported.`)
  }
  if (source.type !== 'base64') return
  const data = source.data ?? ''
  if (data === '') throw new Refusal(`${at}.${block.type}.source: ${block.type} cannot be empty`)
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data) || data.length % 4 !== 0) {
    throw new Refusal(`${path}.data: Invalid base64 data`)
  }
  const head = Buffer.from(data.slice(0, 24), 'base64').toString('latin1')
  const actual = Object.keys(MAGIC).find((mediaType) => MAGIC[mediaType]?.test(head))
  if (block.type === 'document' && actual !== 'application/pdf') {
    throw new Refusal(`${path}.data: The PDF specified was not valid.`)
  }
  if (block.type === 'image' && actual === undefined) throw new Refusal('Could not process image')
  if (block.type === 'image' && actual !== source.media_type) {
    throw new Refusal(
      `${path}: The image was specified using the ${source.media_type} media type, but the image appears to be a ${actual} image`,
    )
  }
}
