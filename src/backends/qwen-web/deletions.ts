// Deletes chats from the account, four at a time: the service's anti-bot gate reacts to hundreds of requests at once. A chat
// that cannot be deleted stays in the account, as it would without the setting.

import { GatewayError } from '../../core/errors.ts'

const atOnce = 4
const patienceMs = 5_000

export class Deletions {
  readonly #remove: (id: string, signal: AbortSignal) => Promise<void>
  readonly #stop = new AbortController()
  readonly #workers = new Set<Promise<void>>()
  #waiting: string[] = []

  constructor(remove: (id: string, signal: AbortSignal) => Promise<void>) {
    this.#remove = remove
  }

  add(id: string): void {
    this.#waiting.push(id)
    if (this.#workers.size >= atOnce) return
    const worker = this.#work().finally(() => this.#workers.delete(worker))
    this.#workers.add(worker)
  }

  /** Waits for pending deletions, at most five seconds. */
  async settle(): Promise<void> {
    const timer = setTimeout(() => {
      this.#waiting = []
      this.#stop.abort()
    }, patienceMs)
    await Promise.all(this.#workers)
    clearTimeout(timer)
  }

  async #work(): Promise<void> {
    for (let id = this.#waiting.shift(); id !== undefined; id = this.#waiting.shift()) {
      try {
        await this.#remove(id, AbortSignal.any([AbortSignal.timeout(patienceMs), this.#stop.signal]))
      } catch (error) {
        // The gate is closed: the others would fail too.
        if (GatewayError.from(error).code === 'upstream-challenge') this.#waiting = []
      }
    }
  }
}
