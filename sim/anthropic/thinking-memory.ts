// Remembers the thinking blocks of each tool call, to detect a replay that lost or changed one, and to accept signatures that a
// script made up.

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

  /** The binding of a block; undefined for one that was changed or never sent. */
  proofOf(block: Block): Binding | undefined {
    const model = this.#sent.get(canonical([block]))
    return model === undefined ? readProof(block) : { model }
  }

  /** True unless these are exactly the blocks that were sent with this call. */
  isChanged(blocks: readonly Block[], callId: string): boolean {
    const sent = this.#byCall.get(callId)
    return sent !== undefined && sent !== canonical(blocks)
  }
}

/** Redacted thinking has no readable text: its data is the signature of a hidden text. */
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
