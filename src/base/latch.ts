// A latch: it trips once, for good, and calls its listeners with the reason. Not an AbortSignal: each turn joins two of them
// (the client leaves, the gateway stops), and `AbortSignal.any` costs more than the rest of a small request.

import { Link, LinkedList } from './linked-list.ts'

type Listener = (reason: unknown) => void

export class Latch {
  readonly #listeners = new LinkedList<Listener>()
  #tripped = false
  #reason: unknown

  get tripped(): boolean {
    return this.#tripped
  }

  get reason(): unknown {
    return this.#reason
  }

  /** Only the first call counts. */
  trip(reason?: unknown): void {
    if (this.#tripped) return
    this.#tripped = true
    this.#reason = reason
    const listeners = this.#listeners
    for (let link = listeners.first; link; link = listeners.first) {
      link.remove()
      link.value(reason)
    }
  }

  /** Calls the listener at once if the latch has tripped. Returns a function that removes it. */
  on(listener: Listener): () => void {
    const link = new Link(listener)
    if (this.#tripped) listener(this.#reason)
    else this.#listeners.add(link)
    return () => void link.remove()
  }

  off(listener: Listener): void {
    for (let link = this.#listeners.first; link; link = link.next)
      if (link.value === listener) return void link.remove()
  }
}
