// Parallel calls are one answer. Decides when an answer has all its calls: when as many have arrived as the service announced, or,
// if it announced none or too many, when the stream has been quiet for a while.

import { entryCost, textCost } from '../../core/turn-budget.ts'

/** The stream must be quiet for this long. */
const quietMs = 60
/** The same while the request of an announced call is missing. */
const announcedMs = 3_000
/** The same while fewer calls have arrived than the service listed. */
const listedMs = 1_500
/** Quiet time is counted in steps: a process that was suspended runs its timers first, and reads what arrived meanwhile after that. */
const steps = 3

const costOf = (callId: string) => entryCost + textCost(callId)

export class CallWindow {
  readonly #announced = new Set<string>()
  readonly #askedIds = new Set<string>()
  /** About how much memory the ids use. */
  bytes = 0
  #asked = 0
  /** How many calls the service has listed; 0 if it has not. */
  #listed = 0
  /** How many of those were requested, or completed without the client. */
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

  /** The service makes `count` calls at once. Requested calls that are not complete are among them. */
  list(count: number): void {
    this.#listed = count
    this.#settled = this.#asked
  }

  /** As many calls as listed have arrived, and no more are announced. */
  get isComplete(): boolean {
    return this.#listed > 0 && this.#settled >= this.#listed && this.#announced.size <= this.#listed
  }

  /** Completed without the client, or refused at once: its request no longer counts against the announced calls. */
  complete(callId: string): void {
    if (this.#announced.delete(callId)) this.bytes -= costOf(callId)
    if (callId !== '' && !this.#askedIds.has(stemOf(callId))) this.#settled++
    this.#asked = Math.min(this.#asked, this.#announced.size)
  }

  /** A call was requested, whatever the decision about it. */
  onAsked(callId: string): void {
    this.#keep(this.#askedIds, stemOf(callId))
    this.#asked++
    this.#settled++
  }

  open(now: number): void {
    // Compared by number: the ids of an announcement and of its request may be spelled differently.
    const isMoreToCome = this.#announced.size > this.#asked
    const isMoreListed = this.#settled < this.#listed
    const patienceMs = isMoreListed ? listedMs : isMoreToCome ? announcedMs : quietMs
    this.#stepMs = patienceMs / steps
    this.#stepsLeft = steps
    this.#wakeAt = now + this.#stepMs
  }

  /** A message arrived: the quiet time starts again. */
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

/** Some models' ids have a second line that not every message repeats. */
const stemOf = (callId: string) => callId.split('\n', 1)[0] ?? ''
