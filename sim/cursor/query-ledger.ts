// Open questions to the user: each needs its own answer.

import type { InteractionResponse } from '../../proto/gen/agent/v1/interaction_pb.ts'
import { Refusal } from './refusal.ts'

interface PendingQuery {
  readonly wanted: string
  readonly askedAt: number
  resolve(response: InteractionResponse): void
  reject(reason: unknown): void
}

export class QueryLedger {
  readonly #pending = new Map<number, PendingQuery>()

  /** `wanted`: the field of the right answer. */
  add(id: number, wanted: string, askedAt: number): Promise<InteractionResponse> {
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { wanted, askedAt, resolve, reject })
    })
  }

  onAnswer(response: InteractionResponse): void {
    const pending = this.#pending.get(response.id)
    if (pending === undefined) {
      throw new Refusal('invalid_argument', `an answer to query ${response.id}, which nobody asked`)
    }
    if (response.result.case !== pending.wanted) {
      const given = response.result.case ?? 'nothing'
      throw new Refusal('invalid_argument', `query ${response.id} wants a ${pending.wanted}, not ${given}`)
    }
    this.#pending.delete(response.id)
    pending.resolve(response)
  }

  checkPatience(now: number, patienceMs: number): void {
    for (const [id, { askedAt }] of this.#pending) {
      if (now - askedAt < patienceMs) continue
      throw new Refusal('internal', `interaction query ${id} was not answered for ${patienceMs} ms`)
    }
  }

  abandonAll(reason: unknown): void {
    for (const { reject } of this.#pending.values()) reject(reason)
    this.#pending.clear()
  }
}
