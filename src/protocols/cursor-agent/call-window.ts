// Calls that come together are one answer. How long to wait for more of them: until as many have come as the service says, or, where
// it does not say or does not keep to it, until the stream has been quiet for a while.

import { entryCost, textCost } from '../../core/turn-budget.ts'

/** Until the stream has been quiet for this long. */
const quietMs = 60
/** The same while a call is announced whose request has not come yet. */
const announcedMs = 3_000
/** The same while fewer have come than the service said. */
const listedMs = 1_500
/** A quiet time is counted in steps: a process that stood still wakes to timers first, and reads what came meanwhile after them. */
const steps = 3

const costOf = (callId: string) => entryCost + textCost(callId)

export class CallWindow {
  readonly #announced = new Set<string>()
  readonly #askedIds = new Set<string>()
  /** What the ids take in memory. */
  bytes = 0
  #asked = 0
  /** How many calls the service has said that it makes; 0 where it has not. */
  #listed = 0
  /** Of those: asked for, or done without us. */
  #settled = 0
  #stepMs = 0
  #stepsLeft = 0
  #wakeAt = Number.POSITIVE_INFINITY

  get wakeAt(): number {
    return this.#wakeAt
  }

  announce(callId: string): void {
    this.#keep(this.#announced, callId)
  }

  /** The service makes so many calls at once. What was asked for and is not done is one of them. */
  list(count: number): void {
    this.#listed = count
    this.#settled = this.#asked
  }

  /** As many as the service said, and no sign of more. */
  get isComplete(): boolean {
    return this.#listed > 0 && this.#settled >= this.#listed && this.#announced.size <= this.#listed
  }

  /** Done without us, or refused at once: its request no longer counts against the calls that are still to come. */
  complete(callId: string): void {
    if (this.#announced.delete(callId)) this.bytes -= costOf(callId)
    if (callId !== '' && !this.#askedIds.has(stemOf(callId))) this.#settled++
    this.#asked = Math.min(this.#asked, this.#announced.size)
  }

  /** A call was asked for, whatever is made of it. */
  onAsked(callId: string): void {
    this.#keep(this.#askedIds, stemOf(callId))
    this.#asked++
    this.#settled++
  }

  open(now: number): void {
    // By number: the ids of an announcement and of its request need not be spelled the same.
    const isMoreToCome = this.#announced.size > this.#asked
    const isMoreListed = this.#settled < this.#listed
    const patienceMs = isMoreListed ? listedMs : isMoreToCome ? announcedMs : quietMs
    this.#stepMs = patienceMs / steps
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
    this.#askedIds.clear()
    this.bytes = 0
    this.#asked = 0
    this.#listed = 0
    this.#settled = 0
    this.#wakeAt = Number.POSITIVE_INFINITY
  }

  #keep(ids: Set<string>, callId: string): void {
    if (callId === '' || ids.has(callId)) return
    ids.add(callId)
    this.bytes += costOf(callId)
  }
}

/** Some models' ids have a second line that not every message of theirs has. */
const stemOf = (callId: string) => callId.split('\n', 1)[0] ?? ''
