// The prefix check of thinking blocks. Some models refuse a thinking block if the system prompt, the tools or an earlier message
// differ from those at its creation, or if a block between others is missing. This module makes the same check with digests that are
// kept per turn, so only blocks that the service accepts are replayed. The two comparisons tolerate different changes: a block that
// the service still rejects is dropped by `drop_block`.

import { createHash, type Hash } from 'node:crypto'
import { textOf } from '../../base/json.ts'
import type { UpstreamMessage } from './blocks-out.ts'
import type { KeptTurn } from './kept-blocks.ts'
import type { Block } from './media-out.ts'

export const isThinking = (block: Block | undefined): boolean =>
  block?.type === 'thinking' || block?.type === 'redacted_thinking'

/** False for blocks that cannot begin a message with thinking. A compaction can, and so may blocks of later versions. */
export const mayPrecedeThinking = (type: unknown): boolean =>
  !['text', 'tool_use', 'server_tool_use'].includes(textOf(type)) && !textOf(type).endsWith('_tool_result')

/** The key of a kept block. Servers that do not sign have no prefix check either. */
export const thinkingId = ({ signature, data }: Block): string =>
  createHash('sha256')
    .update(textOf(signature ?? data))
    .digest('base64url')
    .slice(0, 22)

/** A running digest of the messages. */
export class ConversationDigest {
  readonly #messages: readonly UpstreamMessage[]
  readonly #hash: Hash = createHash('sha256')
  /** The digest before each message that was hashed so far. */
  readonly #digests: string[] = []

  constructor(messages: readonly UpstreamMessage[]) {
    this.#messages = messages
  }

  /** The digest of all messages, or of those before `at`. Messages that were hashed must not change afterwards. */
  conversation(at = this.#messages.length): string {
    while (this.#digests.length <= at) {
      const message = this.#messages[this.#digests.length - 1]
      if (message) this.#hash.update(messageText(message))
      this.#digests.push(this.#hash.copy().digest('base64url'))
    }
    return this.#digests[at] ?? ''
  }
}

const messageText = ({ role, content }: UpstreamMessage) =>
  JSON.stringify([role, content.filter((block) => !isThinking(block)).map(plain)])

/** The block without cache marks, which may move, and without blanks around texts. The same object if it has neither. */
function plain(block: Block): Block {
  const { cache_control: mark, text, content } = block
  const trimmed = typeof text === 'string' ? text.trim() : text
  const hasBlocks = block.type === 'tool_result' && Array.isArray(content)
  if (mark === undefined && trimmed === text && !hasBlocks) return block
  const { cache_control: _, ...rest } = block
  if (trimmed !== text) rest.text = trimmed
  if (hasBlocks) rest.content = content.map(plain)
  return rest
}

interface Setup {
  system: readonly Block[]
  tools: readonly Block[]
}

/** The digest of the whole prefix. The order of tools does not matter. */
export function prefixDigest({ system, tools }: Setup, conversation: string): string {
  const named = tools.map((tool) => JSON.stringify(plain(tool))).sort()
  return createHash('sha256')
    .update(JSON.stringify([system.map(plain), named, conversation]))
    .digest('base64url')
}

interface Replay {
  messages: UpstreamMessage[]
  kept: ReadonlyMap<UpstreamMessage, KeptTurn>
  /** Digest of everything before this message. */
  prefixOf(at: number): string
  /** The service has refused or dropped this block. */
  isRefused(id: string): boolean
}

/**
 * Removes the thinking that the service would refuse. Returns true if there was any. Works from the end: thinking may be missing
 * before a block and after the last one, so a block stays if its successor names it.
 */
export function pruneThinking({ messages, kept, prefixOf, isRefused }: Replay): boolean {
  /** The following turn whose thinking stays, if it is known. */
  let next: KeptTurn | undefined
  let isChanged = false
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]
    const thoughts = message?.content.filter(isThinking) ?? []
    const last = thoughts.at(-1)
    if (!message || !last) continue
    const turn = kept.get(message)
    const fits =
      (next === undefined || next.previous === thinkingId(last)) &&
      !thoughts.some((block) => isRefused(thinkingId(block))) &&
      (turn?.prefix === undefined || turn.prefix === prefixOf(at))
    if (fits) next = turn
    else {
      isChanged = true
      message.content = message.content.filter((block) => !isThinking(block))
    }
  }
  if (isChanged) joinMessages(messages)
  return isChanged
}

/** Removes messages that are empty now, and joins their neighbours of the same role. */
function joinMessages(messages: UpstreamMessage[]): void {
  if (messages.every(({ content }) => content.length > 0)) return
  const out: UpstreamMessage[] = []
  for (const message of messages) {
    if (message.content.length === 0) continue
    const last = out.at(-1)
    // A system message must be the last of the user's turn.
    const into = message.role === 'user' && last?.role === 'system' ? out.at(-2) : last
    if (into?.role !== message.role) out.push(message)
    else for (const block of message.content) into.content.push(block)
  }
  messages.length = 0
  for (const message of out) messages.push(message)
}

/** The last thinking block that the service will check. */
export function lastThinking(
  messages: readonly UpstreamMessage[],
  isRefused: Replay['isRefused'],
): string | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const ids = messages[at]?.content.filter(isThinking).map(thinkingId) ?? []
    const id = ids.findLast((each) => !isRefused(each))
    if (id !== undefined) return id
  }
  return undefined
}
