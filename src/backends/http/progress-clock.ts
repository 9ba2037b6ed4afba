// Progress deadline of a turn. Bytes are not progress, because pings can flow forever: only a message that moves the turn on resets the
// clock. A reset stores the time and touches no timer; the one timer compares when it fires, and is set again for the rest.

import { GatewayError } from '../../core/errors.ts'
import type { TurnReader } from '../../protocols/streams/reader.ts'

export interface ProgressLimits {
  backend: string
  /** The longest time without progress, once the upstream has begun to answer. */
  progressMs: number
  /** The longest time to the first output, and of thinking that the upstream does not show. */
  firstByteMs: number
}

/** A timer that fires later than this shows that the process itself was blocked. */
const mostLatenessMs = 50

export class ProgressClock {
  readonly #limits: ProgressLimits
  #cancel: ((reason: Error) => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #patienceMs = 0
  #movedAt = 0
  #dueAt = 0
  #seen = 0
  #held = false
  expired: GatewayError | undefined

  constructor(limits: ProgressLimits) {
    this.#limits = limits
  }

  start(): void {
    this.#movedAt = performance.now()
    this.#patienceMs = this.#limits.firstByteMs
    this.#wait(this.#patienceMs)
  }

  readonly onCancelable = (cancel: (reason: Error) => void): void => {
    this.#cancel = cancel
  }

  cancel(reason: Error): void {
    this.#cancel?.(reason)
  }

  /** A read without events. It counts if it moved the turn on. */
  check(reader: TurnReader, now?: number): void {
    if (reader.progress === this.#seen) return
    this.#movedAt = now ?? performance.now()
    this.#look(reader)
  }

  /** Stops the clock while the client takes a batch: the upstream does not cause that delay. */
  hold(reader: TurnReader): void {
    this.#held = true
    this.#look(reader)
  }

  #look({ progress, mayBeSilent }: TurnReader): void {
    this.#seen = progress
    const { progressMs, firstByteMs } = this.#limits
    const patienceMs = mayBeSilent ? Math.max(progressMs, firstByteMs) : progressMs
    const isShorter = patienceMs < this.#patienceMs
    this.#patienceMs = patienceMs
    if (isShorter) this.#wait(patienceMs)
  }

  release(): void {
    this.#held = false
    this.#movedAt = performance.now()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#dueAt = performance.now() + ms
    this.#timer = setTimeout(this.#onDue, ms)
  }

  readonly #onDue = (): void => {
    const now = performance.now()
    const remainingMs = this.#movedAt + this.#patienceMs - now
    if (this.#held || remainingMs > 0) return this.#wait(this.#held ? this.#patienceMs : remainingMs)
    // After a block, timers fire before the process has read what came in the meantime: the upstream gets that time again.
    const lateMs = now - this.#dueAt
    if (lateMs > mostLatenessMs) return this.#wait(Math.min(lateMs, this.#patienceMs))
    this.expired = new GatewayError(
      'timeout',
      `${this.#limits.backend}: no progress from the upstream for ${this.#patienceMs / 1000} s.`,
      // The upstream has worked on the request all that time: a retry would be billed again.
      { retryable: false },
    )
    this.cancel(this.expired)
  }
}
