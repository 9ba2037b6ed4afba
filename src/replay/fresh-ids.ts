// Ids that the gateway makes at random and a service repeats: on the tape they are others than in the replay. Messages that the gateway
// sent then and sends now are compared, and what the service says is told with the ids of now.

const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

const idsIn = (message: Uint8Array): string[] =>
  Buffer.from(message).toString('latin1').match(idPattern) ?? []

export class FreshIds {
  readonly #byThen = new Map<string, string>()

  compare(then: Uint8Array, now: Uint8Array): void {
    const fresh = idsIn(now)
    const recorded = idsIn(then)
    if (fresh.length !== recorded.length) return
    for (const [at, id] of recorded.entries()) if (fresh[at] !== id) this.#byThen.set(id, fresh[at] as string)
  }

  /** All ids have the same length, so the message stays valid. */
  renew(message: Uint8Array): Uint8Array {
    if (this.#byThen.size === 0) return message
    const text = Buffer.from(message).toString('latin1')
    return Buffer.from(
      text.replace(idPattern, (id) => this.#byThen.get(id) ?? id),
      'latin1',
    )
  }
}
