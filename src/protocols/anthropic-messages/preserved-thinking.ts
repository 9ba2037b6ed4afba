// Models with a prefix check refuse a thinking block where the system prompt, the tools or an earlier message differs from
// what the block was made with, or where a block between others is missing. The same check is made here, over digests
// that were kept with each turn, so that only blocks are replayed which the service takes. What it finds all the same
// (its comparison has tolerances that this one lacks, and the other way round) costs the block, by `drop_block`.

import { createHash, type Hash } from 'node:crypto'
import type { UpstreamMessage } from './blocks-out.ts'
import type { KeptTurn } from './kept-blocks.ts'
import type { Block } from './media-out.ts'

export const isThinking = (block: Block | undefined): boolean =>
  block?.type === 'thinking' || block?.type === 'redacted_thinking'

/** How a block is remembered; servers that sign nothing have no check either. */
export const thinkingId = ({ signature, data }: Block): string =>
  createHash('sha256')
    .update(String(signature ?? data))
    .digest('base64url')
    .slice(0, 22)

/** A digest of the messages that grows with them. */
export class Trail {
  readonly #messages: readonly UpstreamMessage[]
  readonly #hash: Hash = createHash('sha256')
  /** Before each message that was looked at. */
  readonly #digests: string[] = []

  constructor(messages: readonly UpstreamMessage[]) {
    this.#messages = messages
  }

  /** Of all messages, or of those before `at`. What was looked at once must not change any more. */
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

/** Without cache marks, which may move, and without blanks around texts. A copy only where there is any of these. */
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

/** Of the whole prefix: the order of tools does not count. */
export function prefixDigest({ system, tools }: Setup, conversation: string): string {
  const named = tools.map((tool) => JSON.stringify(plain(tool))).sort()
  return createHash('sha256')
    .update(JSON.stringify([system.map(plain), named, conversation]))
    .digest('base64url')
}

interface Replay {
  messages: UpstreamMessage[]
  kept: ReadonlyMap<UpstreamMessage, KeptTurn>
  /** Digest of all that stands before this message. */
  prefixOf(at: number): string
  /** The service has refused it, or left it out. */
  isRefused(id: string): boolean
}

/**
 * Leaves out the thinking that the service would refuse, and says whether there was any. From the end: thinking may be
 * missing in front of a block and behind the last, so that each block stays whose successor names it.
 */
export function pruneThinking({ messages, kept, prefixOf, isRefused }: Replay): boolean {
  /** The turn behind, of those that stay and are known. */
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

/** A message of thinking alone is gone with it: what stood around it moves together. */
function joinMessages(messages: UpstreamMessage[]): void {
  if (messages.every(({ content }) => content.length > 0)) return
  const out: UpstreamMessage[] = []
  for (const message of messages) {
    if (message.content.length === 0) continue
    const last = out.at(-1)
    // A system message stands at the end of the user's turn.
    const into = message.role === 'user' && last?.role === 'system' ? out.at(-2) : last
    if (into?.role !== message.role) out.push(message)
    else for (const block of message.content) into.content.push(block)
  }
  messages.length = 0
  for (const message of out) messages.push(message)
}

/** The last thinking block that the service will look at. */
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
