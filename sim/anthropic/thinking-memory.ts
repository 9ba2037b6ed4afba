// Remembers the thinking blocks that were sent with each tool call, so that a replay which lost or changed
// one is noticed, and so that signatures which a script made up are known again.

import type { Block } from './request.ts'
import { type Binding, readSealed, readSignature } from './signature.ts'

const MAX_CALLS = 10_000

export class ThinkingMemory {
  readonly #byCall = new Map<string, string>()
  readonly #sent = new Map<string, string>()

  remember(blocks: readonly Block[], callIds: readonly string[], model: string): void {
    for (const block of blocks) if (!readProof(block)) this.#sent.set(canonical([block]), model)
    for (const id of callIds) this.#byCall.set(id, canonical(blocks))
    for (const oldest of this.#byCall.keys()) {
      if (this.#byCall.size <= MAX_CALLS) break
      this.#byCall.delete(oldest)
    }
  }

  /** What proves a block; undefined for one that was changed, or never sent. */
  proofOf(block: Block): Binding | undefined {
    const model = this.#sent.get(canonical([block]))
    return model === undefined ? readProof(block) : { model }
  }

  /** Whether these are not exactly the blocks that this call came with. */
  isChanged(blocks: readonly Block[], callId: string): boolean {
    const sent = this.#byCall.get(callId)
    return sent !== undefined && sent !== canonical(blocks)
  }
}

/** Redacted thinking holds nothing readable: its data is the signature of a text that is not shown. */
function readProof(block: Block): Binding | undefined {
  return block.type === 'redacted_thinking'
    ? readSealed(String(block.data))
    : readSignature(String(block.thinking), String(block.signature))
}

function canonical(blocks: readonly Block[]): string {
  return JSON.stringify(
    blocks.map(({ type, thinking, signature, data }) => [type, thinking, signature, data]),
  )
}
