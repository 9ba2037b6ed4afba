// Connections go to the workers in turn, one at a time to each: whoever is busy says so by not having taken the last one
// yet. Until a worker has taken a connection it is kept here, too, so that the next one gets it should that worker die.

/** As much of a socket as is needed here. */
export interface Connection {
  readonly destroyed: boolean
  /** In this process: whoever has it by then keeps it. */
  destroy(): unknown
}

export interface Taker<C> {
  hand(connection: C): void
}

export class Handout<C extends Connection> {
  /** Those that have nothing in hand, the one that waited longest first. */
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

  /** Nothing more for this one; what it has in hand it takes. */
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

  /** It is no more: what it had in hand is the next one's. */
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
