// Calls that come together are one answer. How long to wait for more of them.

/** Until the stream has been quiet for this long. */
const quietMs = 60
/** The same while a call is announced whose request has not come yet. */
const announcedMs = 3_000

export class CallWindow {
  readonly #announced = new Set<string>()
  #asked = 0
  #closesAt = Number.POSITIVE_INFINITY

  get closesAt(): number {
    return this.#closesAt
  }

  announce(callId: string): void {
    this.#announced.add(callId)
  }

  /** Done without us, or refused at once: its request no longer counts against the calls that are still to come. */
  complete(callId: string): void {
    this.#announced.delete(callId)
    this.#asked = Math.min(this.#asked, this.#announced.size)
  }

  /** A call was asked for, whatever is made of it. */
  onAsked(): void {
    this.#asked++
  }

  open(now: number): void {
    // By number: the ids of an announcement and of its request need not be spelled the same.
    const isMoreToCome = this.#announced.size > this.#asked
    this.#closesAt = now + (isMoreToCome ? announcedMs : quietMs)
  }

  /** Something came. */
  extend(now: number): void {
    if (this.#closesAt !== Number.POSITIVE_INFINITY) this.open(now)
  }

  close(): void {
    this.#announced.clear()
    this.#asked = 0
    this.#closesAt = Number.POSITIVE_INFINITY
  }
}
