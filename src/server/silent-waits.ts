// Clients that retry for minutes without a word to their user: one that has met nothing but an absent backend for a while is told that
// this is final, and shows the reason. Until then its retries outlast a restart of the backend. Such clients do not say how often they
// have tried, so the gateway counts.

import { BoundedMap } from '../base/bounded-map.ts'
import { type Caller, callerId } from '../core/caller.ts'
import { GatewayError } from '../core/errors.ts'

interface Wait {
  since: number
  failures: number
}

/**
 * The session's failures before the last one, and how long they went on: either pair is enough. Claude Code's fifth request comes after
 * about 15 s; a host that does not even refuse takes half a minute for each.
 */
const limits = [
  { failures: 4, waitedMs: 10_000 },
  { failures: 2, waitedMs: 45_000 },
]

/** The longest pause between two failures of one wait. */
const longestPauseMs = 60_000

export class SilentWaits {
  readonly #waits: BoundedMap<string, Wait>
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#waits = new BoundedMap({ maxEntries: 1_000, ttlMs: longestPauseMs, now })
  }

  /** The failure as the client is told it. Only a session is known to be the same one. */
  after(failure: GatewayError, caller: Caller): GatewayError {
    if (caller.session === undefined) return failure
    if (!isAbsence(failure)) {
      this.end(caller)
      return failure
    }
    const { since, failures } = this.#of(caller)
    const waitedMs = this.#now() - since
    if (!limits.some((least) => failures >= least.failures && waitedMs >= least.waitedMs)) {
      this.seen(failure, caller)
      return failure
    }
    // The user's next request may be retried again.
    this.end(caller)
    return asFinal(failure, `${failure.message} It has been so for ${Math.round(waitedMs / 1000)} s.`)
  }

  /** A failure inside a stream, where no header can say that it is final. */
  seen(failure: GatewayError, caller: Caller): void {
    if (caller.session === undefined) return
    if (!isAbsence(failure)) return this.end(caller)
    const { since, failures } = this.#of(caller)
    this.#waits.set(callerId(caller), { since, failures: failures + 1 })
  }

  #of(caller: Caller): Wait {
    return this.#waits.get(callerId(caller)) ?? { since: this.#now(), failures: 0 }
  }

  /** The session got an answer. */
  end(caller: Caller): void {
    if (this.#waits.size > 0) this.#waits.delete(callerId(caller))
  }
}

/** The failure as the client shows it. */
export const asFinal = (failure: GatewayError, message: string): GatewayError =>
  new GatewayError(failure.code, message, {
    ...failure,
    cause: failure,
    retryable: false,
    retryAfterMs: undefined,
  })

/** Nothing was heard of the service, now or when it was last called. */
const isAbsence = ({ code, status, retryable, upstream, cause }: GatewayError) =>
  code === 'upstream-unavailable' &&
  status === 503 &&
  retryable &&
  !upstream &&
  !(cause instanceof GatewayError && cause.upstream)
