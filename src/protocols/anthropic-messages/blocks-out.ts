// Canonical messages → `system` and `messages` of a Messages request: alternating roles, results first, no empty blocks, thinking in
// its original position.

import { parseExact } from '../../base/exact-json.ts'
import type {
  AssistantPart,
  CacheHint,
  Message,
  OpaquePart,
  ReasoningPart,
  ResultPart,
  TextPart,
  ToolCallPart,
} from '../../core/request.ts'
import { inlineSystem, inlineSystemNote } from '../requests/inline-system.ts'
import { isWrappedProof } from '../requests/proof-marks.ts'
import type { KeptBlock, KeptTurn } from './kept-blocks.ts'
import { type Block, cacheControl, textBlock, userBlocks } from './media-out.ts'
import { conformingId, type ToolNames } from './names.ts'
import { ConversationDigest, isThinking, mayPrecedeThinking } from './preserved-thinking.ts'

export interface UpstreamMessage {
  role: 'user' | 'assistant' | 'system'
  content: Block[]
}

/** An assistant turn as the client sends it back. */
export interface ReturnedTurn {
  calls: readonly ToolCallPart[]
  text: string
  /** Digest of the conversation before it. */
  conversation(): string
}

interface BlocksOptions {
  names: ToolNames
  /** The kept form of the turn, if there is one and thinking may be replayed. */
  recall(turn: ReturnedTurn): KeptTurn | undefined
  /** File ids are this service's own, because the client speaks its dialect. */
  ownFiles: boolean
  /** The model takes system messages inside the conversation. */
  systemMessages: boolean
  note(text: string): void
}

interface MessagesOut {
  messages: UpstreamMessage[]
  /** The kept turns of these messages. */
  kept: Map<UpstreamMessage, KeptTurn>
  digest: ConversationDigest
}

export function toSystem(messages: readonly Message[]): { system: Block[]; rest: readonly Message[] } {
  let first = messages.findIndex((message) => message.role !== 'system')
  if (first < 0) first = messages.length
  const system: Block[] = []
  for (let at = 0; at < first; at++) {
    const message = messages[at]
    if (message?.role !== 'system') continue
    for (const part of message.content) system.push(...systemBlock(part))
  }
  return { system, rest: first === 0 ? messages : messages.slice(first) }
}

const systemBlock = (part: TextPart | OpaquePart): Block[] =>
  part.type === 'text' ? textBlock(part.text, part.cache) : [{ ...part.value }]

export function toUpstreamMessages(messages: readonly Message[], options: BlocksOptions): MessagesOut {
  const writer = new MessagesWriter(options)
  for (const message of messages) writer.add(message)
  return writer.end()
}

const continuation = (): Block => ({ type: 'text', text: 'Continue.' })

class MessagesWriter {
  readonly #options: BlocksOptions
  readonly #out: UpstreamMessage[] = []
  readonly #kept = new Map<UpstreamMessage, KeptTurn>()
  readonly #ids = new IdAssignment()
  readonly #digest = new ConversationDigest(this.#out)
  /** System messages that wait for the end of the user's turn, the only place where the API takes them. */
  #waiting: Block[] = []

  constructor(options: BlocksOptions) {
    this.#options = options
  }

  add(message: Message): void {
    const options = this.#options
    switch (message.role) {
      case 'system':
        return this.#addSystem(message)
      case 'user':
        return this.#push('user', userBlocks(message.content, options))
      case 'assistant':
        return this.#addAssistant(message)
      case 'tool':
        return this.#push(
          'user',
          message.results.map((result) => resultBlock(result, this.#ids, options)),
        )
    }
  }

  end(): MessagesOut {
    this.#placeSystem()
    return { messages: this.#out, kept: this.#kept, digest: this.#digest }
  }

  #addSystem({ content }: Extract<Message, { role: 'system' }>): void {
    if (this.#options.systemMessages) {
      for (const part of content) this.#waiting.push(...systemBlock(part))
      return
    }
    this.#options.note(inlineSystemNote)
    this.#push(
      'user',
      content.flatMap((part) => (part.type === 'text' ? textBlock(inlineSystem(part.text), part.cache) : [])),
    )
  }

  #placeSystem(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    if (this.#out.at(-1)?.role === 'user') return this.#push('system', waiting)
    // The API takes no system message after an assistant message.
    this.#options.note(inlineSystemNote)
    this.#push(
      'user',
      waiting.flatMap((block) =>
        block.type === 'text' ? [{ ...block, text: inlineSystem(String(block.text)) }] : [],
      ),
    )
  }

  #addAssistant(message: Extract<Message, { role: 'assistant' }>): void {
    if (!message.content.some(isSent)) return
    this.#placeSystem()
    if (this.#out.length === 0) {
      this.#options.note('a user message was added at the start: the upstream needs one first')
      this.#push('user', [continuation()])
    }
    const calls = message.content.filter((part) => part.type === 'tool-call')
    if (calls.length > 0) this.#ids.startTurn()
    const callBlocks = new Map(
      calls.map((call) => [call.callId, callBlock(call, this.#ids, this.#options.names)]),
    )
    // A message that is joined to another was not one turn.
    const isWhole = this.#out.at(-1)?.role !== 'assistant'
    const kept = isWhole ? this.#recall(message, calls) : undefined
    this.#push(
      'assistant',
      kept ? replayed(kept.blocks, message, callBlocks) : assistantBlocks(message, callBlocks),
    )
    const last = this.#out.at(-1)
    if (kept && last) this.#kept.set(last, kept)
  }

  #recall({ content }: Extract<Message, { role: 'assistant' }>, calls: readonly ToolCallPart[]) {
    return this.#options.recall({
      calls,
      text: textOf(content),
      conversation: () => this.#digest.conversation(),
    })
  }

  #push(role: UpstreamMessage['role'], content: Block[]): void {
    if (content.length === 0) return
    const last = this.#out.at(-1)
    if (last?.role !== role) {
      this.#out.push({ role, content })
      return
    }
    // The API refuses thinking after the content of another message: it is replayed in its original position or not at all.
    const thinks = isThinking(last.content[0])
    // One by one: spreading very many blocks into a call would overflow the stack.
    for (const block of content) if (thinks || !isThinking(block)) last.content.push(block)
  }
}

/** False for blank text and for reasoning without a signature. */
const isSent = (part: AssistantPart) =>
  part.type === 'text' ? part.text.trim() !== '' : part.type !== 'reasoning' || isProven(part)

const textOf = (content: readonly AssistantPart[]) =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')

/** Upstream ids must be unique in the whole conversation. Clients reuse `call_0` in every turn. */
class IdAssignment {
  readonly #used = new Set<string>()
  /** The number of copies of an id, so the search for a free one does not start over. */
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
  callBlocks: ReadonlyMap<string, Block>,
): Block[] {
  if (isProven(message.content[0]) || message.content.some(isOpaque)) {
    const blocks = message.content.flatMap((part) => blockOf(part, callBlocks))
    // Thinking is in its original position or nowhere.
    return mayPrecedeThinking(blocks[0]?.type) ? blocks : blocks.filter((block) => !isThinking(block))
  }
  return [...signedThinking(message), ...plainTexts(message), ...callBlocks.values()]
}

/**
 * A kept turn in its original order. Thinking keeps its position among the calls: the API refuses it anywhere else. Text that the
 * client changed takes the position of the first text. Calls that the client dropped stay dropped.
 */
function replayed(
  kept: readonly KeptBlock[],
  message: Extract<Message, { role: 'assistant' }>,
  callBlocks: Map<string, Block>,
): Block[] {
  const text = textOf(message.content)
  const keptText = kept.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  const isSameText = keptText.trim() === text.trim()
  const texts = isSameText ? [] : plainTexts(message)
  const out = kept.flatMap((block): Block[] => {
    if (block.type === 'text') return isSameText ? textBlock(block.text, undefined) : texts.splice(0)
    if (block.type !== 'tool_use') return [{ ...block }]
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

/** Thinking with a proof is replayed. The API would refuse unsigned reasoning. */
function thinkingBlock(part: ReasoningPart): Block[] {
  if (!isProven(part)) return []
  if (part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }]
  return part.signature === undefined
    ? []
    : [{ type: 'thinking', thinking: part.text, signature: part.signature }]
}

/** A turn with parts that only this dialect has is as the service sent it, too. */
const isOpaque = (part: AssistantPart) => part.type === 'opaque'

/** Thinking with a proof. If a turn begins with it, the turn is as the service sent it and keeps its order. */
const isProven = (part: AssistantPart | undefined) =>
  part?.type === 'reasoning' &&
  (part.signature !== undefined || part.redacted !== undefined) &&
  !isWrappedProof(part.signature ?? part.redacted)

function blockOf(part: AssistantPart, callBlocks: ReadonlyMap<string, Block>): Block[] {
  if (part.type === 'text') return textBlock(part.text, part.cache)
  if (part.type === 'opaque') return [{ ...part.value }]
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
