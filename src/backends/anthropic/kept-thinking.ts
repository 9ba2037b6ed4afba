// The thinking of earlier turns, for clients of dialects that cannot carry it: the API wants it back byte for byte. Turns with calls
// are found by their calls, others by the conversation before them and by their text. Bounded in size and time.

import { createHash } from 'node:crypto'
import { BoundedMap, entryBytes } from '../../base/bounded-map.ts'
import { asMade } from '../../core/call-check.ts'
import { callKey } from '../../core/call-key.ts'
import type { CollectedTurn } from '../../core/collect.ts'
import type { ReturnedTurn } from '../../protocols/anthropic-messages/blocks-out.ts'
import { type KeptTurn, toKeptBlocks } from '../../protocols/anthropic-messages/kept-blocks.ts'
import { isThinking } from '../../protocols/anthropic-messages/preserved-thinking.ts'
import type { TurnPosition } from '../../protocols/anthropic-messages/request-out.ts'

/** Enough for some thousand turns. A tool loop that pauses longer than this continues without thinking. */
const limits = { maxBytes: 64 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

/** The owner of a turn. Blocks are bound to their model, and some to the account. */
export interface Owner {
  /** The caller, within the account at the service. */
  caller: string
  model: string
}

interface KeepOptions {
  position: TurnPosition | undefined
  /** Also keep thinking without a proof. */
  unsigned: boolean
  unasked: boolean
}

/** Marks a key of two different turns. */
const ambiguous: KeptTurn = { blocks: [] }

export class KeptThinking {
  readonly #turns = new BoundedMap<string, KeptTurn>(limits)
  readonly #refused = new BoundedMap<string, true>({ ...limits, maxBytes: 4 * 1024 * 1024 })
  /** Some turn without calls is kept. Without one, no digest of the conversation is computed. */
  #hasTexts = false

  keep(owner: Owner, turn: CollectedTurn, { position, unsigned, unasked }: KeepOptions): void {
    const blocks = toKeptBlocks(turn.parts, { unsigned })
    if (!blocks.some(isThinking)) return
    const calls = turn.parts.filter((part) => part.type === 'tool-call')
    const kept: KeptTurn = { blocks, prefix: position?.prefix(), previous: position?.previous(), unasked }
    const bytes = JSON.stringify(blocks).length * 2
    for (const call of calls)
      this.#turns.set(
        callKey(owner.caller, owner.model, asMade(call)),
        kept,
        bytes / calls.length + entryBytes,
      )
    if (calls.length > 0 || !position) return
    const key = textKey(owner, position.conversation(), textOf(turn))
    const before = this.#turns.get(key)
    const isSame = before === undefined || JSON.stringify(before.blocks) === JSON.stringify(blocks)
    this.#turns.set(key, isSame ? kept : ambiguous, bytes + entryBytes)
    this.#hasTexts = true
  }

  recall(owner: Owner, { calls, text, conversation }: ReturnedTurn): KeptTurn | undefined {
    if (this.#turns.size === 0) return undefined
    for (const call of calls) {
      const kept = this.#turns.get(callKey(owner.caller, owner.model, call))
      if (kept) return kept
    }
    if (calls.length > 0 || !this.#hasTexts) return undefined
    const kept = this.#turns.get(textKey(owner, conversation(), text))
    return kept === ambiguous ? undefined : kept
  }

  /** The service does not take this block, or no longer. */
  refuse(id: string): void {
    this.#refused.set(id, true, entryBytes)
  }

  readonly isRefused = (id: string): boolean => this.#refused.size > 0 && this.#refused.get(id) === true
}

const textOf = ({ parts }: CollectedTurn) =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')

const textKey = ({ caller, model }: Owner, conversation: string, text: string) =>
  createHash('sha256')
    .update(JSON.stringify([caller, model, conversation, text.trim()]))
    .digest('base64url')
