// Calls that come together are one answer. How long to wait for more of them.

import { entryCost, textCost } from '../../core/turn-budget.ts'

/** Until the stream has been quiet for this long. */
const quietMs = 60
/** The same while a call is announced whose request has not come yet. */
const announcedMs = 3_000
/** A quiet time is counted in steps: a process that stood still wakes to timers first, and reads what came meanwhile after them. */
const steps = 3

const costOf = (callId: string) => entryCost + textCost(callId)

export class CallWindow {
  readonly #announced = new Set<string>()
  /** What the announcements take in memory. */
  bytes = 0
  #asked = 0
  #stepMs = 0
  #stepsLeft = 0
  #wakeAt = Number.POSITIVE_INFINITY

  get wakeAt(): number {
    return this.#wakeAt
  }

  announce(callId: string): void {
    if (this.#announced.has(callId)) return
    this.#announced.add(callId)
    this.bytes += costOf(callId)
  }

  /** Done without us, or refused at once: its request no longer counts against the calls that are still to come. */
  complete(callId: string): void {
    if (this.#announced.delete(callId)) this.bytes -= costOf(callId)
    this.#asked = Math.min(this.#asked, this.#announced.size)
  }

  /** A call was asked for, whatever is made of it. */
  onAsked(): void {
    this.#asked++
  }

  open(now: number): void {
    // By number: the ids of an announcement and of its request need not be spelled the same.
    const isMoreToCome = this.#announced.size > this.#asked
    this.#stepMs = (isMoreToCome ? announcedMs : quietMs) / steps
    this.#stepsLeft = steps
    this.#wakeAt = now + this.#stepMs
  }

  /** Something came. */
  extend(now: number): void {
    if (this.#wakeAt !== Number.POSITIVE_INFINITY) this.open(now)
  }

  /** True once the stream has been quiet for long enough. */
  elapse(now: number): boolean {
    if (now < this.#wakeAt) return false
    this.#stepsLeft--
    this.#wakeAt = now + this.#stepMs
    return this.#stepsLeft <= 0
  }

  close(): void {
    this.#announced.clear()
    this.bytes = 0
    this.#asked = 0
    this.#wakeAt = Number.POSITIVE_INFINITY
  }
}
