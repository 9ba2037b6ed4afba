// Hands out connections to workers in turn, one at a time: a busy worker has not acknowledged its last one yet. A connection stays
// here until it is acknowledged, so another worker gets it if the first one dies.

/** The part of a socket that is needed here. */
export interface Connection {
  readonly destroyed: boolean
  /** Closes the handle of this process; the worker keeps its own. */
  destroy(): unknown
}

export interface Taker<C> {
  hand(connection: C): void
}

export class Handout<C extends Connection> {
  /** Workers without an unacknowledged connection, the longest idle first. */
  #free: Taker<C>[] = []
  readonly #members = new Set<Taker<C>>()
  readonly #inHand = new Map<Taker<C>, C>()
  readonly #waiting: C[] = []

  add(connection: C): void {
    this.#waiting.push(connection)
    this.#handOut()
  }

  join(taker: Taker<C>): void {
    this.#members.add(taker)
    this.#free.push(taker)
    this.#handOut()
  }

  /** Stop sending connections to this worker. It keeps its unacknowledged one. */
  leave(taker: Taker<C>): void {
    this.#members.delete(taker)
    this.#free = this.#free.filter((other) => other !== taker)
  }

  taken(taker: Taker<C>): void {
    this.#inHand.get(taker)?.destroy()
    this.#inHand.delete(taker)
    if (this.#members.has(taker)) this.#free.push(taker)
    this.#handOut()
  }

  /** The worker is gone: its unacknowledged connection goes to the next. */
  gone(taker: Taker<C>): void {
    this.leave(taker)
    const connection = this.#inHand.get(taker)
    this.#inHand.delete(taker)
    if (connection) this.#waiting.unshift(connection)
    this.#handOut()
  }

  #handOut(): void {
    for (;;) {
      const [taker] = this.#free
      const connection = taker && this.#waiting.shift()
      if (!connection) return
      if (connection.destroyed) continue
      this.#free.shift()
      this.#inHand.set(taker, connection)
      taker.hand(connection)
    }
  }
}
