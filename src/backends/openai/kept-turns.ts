// What one server's answers leave for later requests: kept turns by their tool calls, and by model the field of its reasoning.

import { BoundedMap, entryBytes } from '../../base/bounded-map.ts'
import { callKey, type KnownCall } from '../../core/call-key.ts'
import { type Caller, callerId } from '../../core/caller.ts'
import type { KeptTurn } from '../../protocols/openai-chat/kept-turn.ts'
import type { ChatReader } from '../../protocols/openai-chat/read.ts'
import type { ReasoningField } from '../../protocols/openai-chat/reasoning-out.ts'

const fieldLimits = { maxBytes: 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }
const turnLimits = { maxBytes: 32 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

export class KeptTurns {
  readonly #turns = new BoundedMap<string, KeptTurn>(turnLimits)
  readonly #fields = new BoundedMap<string, ReasoningField>(fieldLimits)

  fieldOf(model: string): ReasoningField | undefined {
    return this.#fields.get(model)
  }

  recall(caller: Caller, model: string, call: KnownCall): KeptTurn | undefined {
    return this.#turns.size === 0 ? undefined : this.#turns.get(callKey(callerId(caller), model, call))
  }

  keep(caller: Caller, model: string, calls: readonly KnownCall[], reader: ChatReader): void {
    const { reasoningField } = reader
    if (reasoningField !== undefined) this.#fields.set(model, reasoningField, 2 * model.length + entryBytes)
    const kept = calls.length > 0 ? reader.kept : undefined
    if (!kept) return
    const parts = [kept.message, kept.thinking, ...kept.callExtras.values(), ...kept.ownIds]
    const bytes = JSON.stringify(parts).length * 2
    const owner = callerId(caller)
    for (const call of calls)
      this.#turns.set(callKey(owner, model, call), kept, bytes / calls.length + entryBytes)
  }
}
