// Canonical messages → the `system` and `messages` of a Messages request: two roles that alternate, results first,
// no empty blocks, thinking where it was.

import { GatewayError } from '../../core/errors.ts'
import type {
  AssistantPart,
  CacheHint,
  FilePart,
  MediaSource,
  Message,
  ReasoningPart,
  ResultPart,
  ToolCallPart,
  UserPart,
} from '../../core/request.ts'
import { parseExact } from '../exact-json.ts'
import { systemInside, systemInsideNote } from '../system-inside.ts'
import type { KeptBlock } from './kept-blocks.ts'
import { conformingId, type ToolNames } from './names.ts'

export type Block = Record<string, unknown>

export interface UpstreamMessage {
  role: 'user' | 'assistant'
  content: Block[]
}

export interface BlocksOptions {
  names: ToolNames
  /** The turn that made these calls, if it is still remembered and thinking may be replayed. */
  recall(calls: readonly ToolCallPart[]): readonly KeptBlock[] | undefined
  /** Ids of files are this service's own: the client speaks its dialect. */
  ownFiles: boolean
  note(text: string): void
}

export function toSystem(messages: readonly Message[]): { system: Block[]; rest: readonly Message[] } {
  let first = messages.findIndex((message) => message.role !== 'system')
  if (first < 0) first = messages.length
  const system: Block[] = []
  for (let at = 0; at < first; at++) {
    const message = messages[at]
    if (message?.role !== 'system') continue
    for (const part of message.content) system.push(...textBlock(part.text, part.cache))
  }
  return { system, rest: first === 0 ? messages : messages.slice(first) }
}

export function toUpstreamMessages(messages: readonly Message[], options: BlocksOptions): UpstreamMessage[] {
  const out: UpstreamMessage[] = []
  const ids = new IdAssignment()
  const push = (role: UpstreamMessage['role'], content: Block[]) => {
    if (content.length === 0) return
    const last = out.at(-1)
    if (last?.role !== role) {
      out.push({ role, content })
      return
    }
    // Behind what another message began with, thinking is refused: it goes back where it was, or not at all.
    const thinks = isThinking(last.content[0])
    // One by one: spread into a call, very many blocks would not fit on the stack.
    for (const block of content) if (thinks || !isThinking(block)) last.content.push(block)
  }
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        options.note(systemInsideNote)
        push(
          'user',
          message.content.flatMap((part) => textBlock(systemInside(part.text), part.cache)),
        )
        break
      case 'user':
        push('user', userBlocks(message.content, options))
        break
      case 'assistant':
        push('assistant', assistantBlocks(message, ids, options))
        break
      case 'tool':
        push(
          'user',
          message.results.map((result) => resultBlock(result, ids, options)),
        )
    }
  }
  return out
}

const isThinking = (block: Block | undefined) =>
  block?.type === 'thinking' || block?.type === 'redacted_thinking'

/** Upstream ids must be unique in the whole conversation; clients reuse `call_0` in every turn. */
class IdAssignment {
  readonly #used = new Set<string>()
  /** How often an id has come: the next copy is not searched for from the start. */
  readonly #copies = new Map<string, number>()
  #current = new Map<string, string>()

  startTurn(): void {
    this.#current = new Map()
  }

  assign(callId: string): string {
    const conforming = conformingId(callId)
    let id = conforming
    let copy = this.#copies.get(conforming) ?? 1
    while (this.#used.has(id)) id = `${conforming}_${++copy}`
    this.#copies.set(conforming, copy)
    this.#used.add(id)
    this.#current.set(callId, id)
    return id
  }

  of(callId: string): string {
    return this.#current.get(callId) ?? conformingId(callId)
  }
}

function assistantBlocks(
  message: Extract<Message, { role: 'assistant' }>,
  ids: IdAssignment,
  options: BlocksOptions,
): Block[] {
  const calls = message.content.filter((part) => part.type === 'tool-call')
  if (calls.length > 0) ids.startTurn()
  const callBlocks = new Map(calls.map((call) => [call.callId, callBlock(call, ids, options.names)]))
  const kept = options.recall(calls)
  if (kept) return replayed(kept, message, callBlocks)
  if (isProven(message.content[0])) return message.content.flatMap((part) => blockOf(part, callBlocks))
  return [...signedThinking(message), ...plainTexts(message), ...callBlocks.values()]
}

/**
 * A remembered turn in its own order. Thinking stays where it was among the calls: the API refuses it anywhere else.
 * Text that the client has changed stands where the first text was; calls that it dropped are dropped.
 */
function replayed(
  kept: readonly KeptBlock[],
  message: Extract<Message, { role: 'assistant' }>,
  callBlocks: Map<string, Block>,
): Block[] {
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const keptText = kept.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  const isSameText = keptText.trim() === text.trim()
  const texts = isSameText ? [] : plainTexts(message)
  const out = kept.flatMap((block): Block[] => {
    if (block.type === 'text') return isSameText ? textBlock(block.text, undefined) : texts.splice(0)
    if (block.type !== 'tool_use') return [block]
    const call = callBlocks.get(block.id)
    callBlocks.delete(block.id)
    return call ? [...texts.splice(0), call] : []
  })
  return [...out, ...texts, ...callBlocks.values()]
}

const plainTexts = (message: Extract<Message, { role: 'assistant' }>): Block[] =>
  message.content.flatMap((part) => (part.type === 'text' ? textBlock(part.text, part.cache) : []))

const signedThinking = (message: Extract<Message, { role: 'assistant' }>): Block[] =>
  message.content.flatMap((part) => (part.type === 'reasoning' ? thinkingBlock(part) : []))

/** Thinking that came with its proof is replayed; unsigned reasoning would be refused. */
function thinkingBlock(part: ReasoningPart): Block[] {
  if (part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }]
  return part.signature === undefined
    ? []
    : [{ type: 'thinking', thinking: part.text, signature: part.signature }]
}

/** Thinking with its proof in front: the whole turn is as its service gave it, and stays in that order. */
const isProven = (part: AssistantPart | undefined) =>
  part?.type === 'reasoning' && (part.signature !== undefined || part.redacted !== undefined)

function blockOf(part: AssistantPart, callBlocks: ReadonlyMap<string, Block>): Block[] {
  if (part.type === 'text') return textBlock(part.text, part.cache)
  return part.type === 'reasoning' ? thinkingBlock(part) : [callBlocks.get(part.callId) ?? {}]
}

function callBlock(call: ToolCallPart, ids: IdAssignment, names: ToolNames): Block {
  const input = parseExact(call.input)
  return {
    type: 'tool_use',
    id: ids.assign(call.callId),
    name: names.toUpstream(call.name),
    input,
  }
}

function resultBlock(
  result: { callId: string; content: ResultPart[]; isError?: boolean; cache?: CacheHint },
  ids: IdAssignment,
  options: BlocksOptions,
): Block {
  const blocks = userBlocks(result.content, options)
  const [only] = blocks
  const content =
    blocks.length === 1 && only?.type === 'text' && only.cache_control === undefined ? only.text : blocks
  return {
    type: 'tool_result',
    tool_use_id: ids.of(result.callId),
    ...(blocks.length > 0 ? { content } : {}),
    ...(result.isError ? { is_error: true } : {}),
    ...cacheControl(result.cache),
  }
}

/** Blank text is refused by the API ("text content blocks must contain non-whitespace text"). */
export function textBlock(text: string, cache: CacheHint | undefined): Block[] {
  if (text.trim() === '') return []
  return [cache === undefined ? { type: 'text', text } : { type: 'text', text, ...cacheControl(cache) }]
}

export function cacheControl(cache: CacheHint | undefined): Block {
  return cache === undefined
    ? {}
    : { cache_control: { type: 'ephemeral', ...(cache.ttl ? { ttl: cache.ttl } : {}) } }
}

const imageTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

function userBlocks(parts: readonly UserPart[], { ownFiles }: BlocksOptions): Block[] {
  const blocks: Block[] = []
  for (const part of parts) blocks.push(...userBlock(part, ownFiles))
  return blocks
}

function userBlock(part: UserPart, ownFiles: boolean): Block[] {
  switch (part.type) {
    case 'text':
      return textBlock(part.text, part.cache)
    case 'image':
      return [{ type: 'image', source: imageSource(part.source, ownFiles), ...cacheControl(part.cache) }]
    case 'file':
      return [fileBlock(part, ownFiles)]
    case 'audio':
      throw unsupported('Audio input is not supported by Anthropic models.')
  }
}

function imageSource(source: MediaSource, ownFiles: boolean): Block {
  if ('url' in source) {
    if (source.url.startsWith('https://')) return { type: 'url', url: source.url }
    throw unsupported('Image URLs must be https or base64 data URLs for Anthropic models.')
  }
  if ('fileId' in source) {
    if (ownFiles) return { type: 'file', file_id: source.fileId }
    throw unsupported('Image file ids of another service cannot be used with Anthropic models.')
  }
  const mediaType = source.mediaType === 'image/jpg' ? 'image/jpeg' : source.mediaType
  if (!imageTypes.has(mediaType))
    throw unsupported(
      `Images of type ${mediaType || '(none)'} are not supported; use JPEG, PNG, GIF or WebP.`,
    )
  return { type: 'base64', media_type: mediaType, data: source.data }
}

function fileBlock({ source, filename, cache }: FilePart, ownFiles: boolean): Block {
  const title = filename === undefined ? {} : { title: filename }
  const document = (from: Block): Block => ({
    type: 'document',
    source: from,
    ...title,
    ...cacheControl(cache),
  })
  if ('fileId' in source) {
    if (ownFiles) return document({ type: 'file', file_id: source.fileId })
    throw unsupported(
      'File ids of another service cannot be used with Anthropic models; send the file itself.',
    )
  }
  if ('url' in source) return document({ type: 'url', url: source.url })
  const { mediaType, data } = source
  if (imageTypes.has(mediaType))
    return { type: 'image', source: imageSource(source, ownFiles), ...cacheControl(cache) }
  if (mediaType === 'application/pdf') return document({ type: 'base64', media_type: mediaType, data })
  if (mediaType.startsWith('text/') || mediaType === 'application/json') {
    const text = Buffer.from(data, 'base64').toString('utf8')
    return document({ type: 'text', media_type: 'text/plain', data: text })
  }
  throw unsupported(`Files of type ${mediaType || '(none)'} are not supported; use PDF or text.`)
}

const unsupported = (message: string) => new GatewayError('unsupported', message, { param: 'messages' })
