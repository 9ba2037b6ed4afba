// Remembers the thinking blocks that were sent with each tool call, so that a replay which lost or changed
// one is noticed, and so that signatures which a script made up are known again.

import type { Block } from './request.ts'
import { isSealedThinking, isSignedThinking } from './signature.ts'

const MAX_CALLS = 10_000

export class ThinkingMemory {
  readonly #byCall = new Map<string, string>()
  readonly #sent = new Set<string>()

  remember(blocks: readonly Block[], callIds: readonly string[], model: string): void {
    for (const block of blocks) {
      if (!this.isGenuine(block, model)) this.#sent.add(`${model} ${canonical([block])}`)
    }
    for (const id of callIds) this.#byCall.set(id, canonical(blocks))
    for (const oldest of this.#byCall.keys()) {
      if (this.#byCall.size <= MAX_CALLS) break
      this.#byCall.delete(oldest)
    }
  }

  isGenuine(block: Block, model: string): boolean {
    if (this.#sent.has(`${model} ${canonical([block])}`)) return true
    if (block.type === 'redacted_thinking') return isSealedThinking(String(block.data), model)
    return isSignedThinking(String(block.thinking), String(block.signature), model)
  }

  /** Whether these are not exactly the blocks that this call came with. */
  isChanged(blocks: readonly Block[], callId: string): boolean {
    const sent = this.#byCall.get(callId)
    return sent !== undefined && sent !== canonical(blocks)
  }
}

function canonical(blocks: readonly Block[]): string {
  return JSON.stringify(
    blocks.map(({ type, thinking, signature, data }) => [type, thinking, signature, data]),
  )
}
