// Backends that fail are left alone for a while. One breaker for each backend and model: a backend has exactly one
// credential, so that this is also one for each credential.

import { type ErrorCode, GatewayError } from './errors.ts'

export interface BreakerPolicy {
  /** So many requests in a row, each after its retries, and the model is not called any more. */
  failures: number
  /** For how long; then one request may try. */
  openMs: number
}

export const defaultBreakerPolicy: BreakerPolicy = { failures: 5, openMs: 30_000 }

/** Both names as the configuration and the service know them. */
export interface ModelAddress {
  backend: string
  model: string
}

export interface BreakersOptions extends Partial<BreakerPolicy> {
  now?: () => number
  /** It was working, and is not called from now on. */
  onOpen?(address: ModelAddress, failure: GatewayError): void
  /** It works again. */
  onClose?(address: ModelAddress): void
}

/** One request's permit to call. Exactly one of its three ends counts. */
export interface Permit {
  /** Not for the one who tries whether it works again, nor once the others have failed too often. */
  mayTryAgain(): boolean
  succeeded(): void
  failed(failure: GatewayError): void
  /** It was broken off, or failed in a way that says nothing about the service. */
  unknown(): void
}

interface Breaker {
  address: ModelAddress
  failures: number
  lastFailure: GatewayError
  /** Undefined while it is closed. */
  openUntil: number | undefined
  /** Who tries, now that the time is over, and since when. */
  probe: { startedAt: number } | undefined
}

/** Clients make model names up: the oldest are forgotten, and nothing is called by so long a name. */
const maxBreakers = 1_000
const longestModel = 300

/** While another request is trying, nobody knows how long that takes. */
const probeWaitMs = 1_000

export class Breakers {
  /** Only models whose last request failed. */
  readonly #breakers = new Map<string, Breaker>()
  readonly #policy: BreakerPolicy
  readonly #options: BreakersOptions
  readonly #now: () => number

  constructor(options: BreakersOptions = {}) {
    this.#options = options
    this.#policy = { ...defaultBreakerPolicy, ...options }
    this.#now = options.now ?? Date.now
  }

  get size(): number {
    return this.#breakers.size
  }

  /** What is not called at present. */
  get open(): ModelAddress[] {
    return [...this.#breakers.values()].flatMap(({ address, openUntil }) =>
      openUntil === undefined ? [] : [address],
    )
  }

  /** Whoever asks may be refused, or be the one who tries. */
  isOpen(address: ModelAddress): boolean {
    return this.#breakers.get(keyOf(address))?.openUntil !== undefined
  }

  /** A permit to call, or why not. */
  ask(address: ModelAddress): Permit | GatewayError {
    const breaker = this.#breakers.get(keyOf(address))
    if (breaker?.openUntil === undefined) return this.#permit(address)
    const now = this.#now()
    const { probe, openUntil } = breaker
    if (now < openUntil) return this.#refusal(breaker, openUntil - now)
    // One that takes longer than the pause itself does not keep others from trying.
    if (probe && now < probe.startedAt + this.#policy.openMs) return this.#refusal(breaker, probeWaitMs)
    const started = { startedAt: now }
    breaker.probe = started
    return this.#permit(address, started)
  }

  /** For what goes on with something that was begun: never refused. While others are, its end says nothing. */
  askToGoOn(address: ModelAddress): Permit {
    const nothing = () => undefined
    return this.isOpen(address)
      ? { mayTryAgain: () => true, succeeded: nothing, failed: nothing, unknown: nothing }
      : this.#permit(address)
  }

  #permit(address: ModelAddress, probe?: Breaker['probe']): Permit {
    return {
      mayTryAgain: () => !probe && !this.isOpen(address),
      succeeded: () => this.#onSuccess(address),
      failed: (failure) => {
        if (isUpstreamFailure(failure)) this.#onFailure(address, failure, probe)
        else this.#onUnknown(address, probe)
      },
      unknown: () => this.#onUnknown(address, probe),
    }
  }

  #onSuccess(address: ModelAddress): void {
    const wasOpen = this.isOpen(address)
    this.#breakers.delete(keyOf(address))
    if (wasOpen) this.#options.onClose?.(address)
  }

  #onFailure(address: ModelAddress, failure: GatewayError, probe: Breaker['probe']): void {
    const key = keyOf(address)
    const known = this.#breakers.get(key)
    // Begun before the others had failed as often: that is known by now.
    if (known?.openUntil !== undefined && (!probe || known.probe !== probe)) return
    if (address.model.length > longestModel) return
    const failures = (known?.failures ?? 0) + 1
    const opens = failures >= this.#policy.failures
    const openUntil = opens ? this.#now() + this.#policy.openMs : undefined
    this.#breakers.delete(key)
    this.#breakers.set(key, { address, failures, lastFailure: failure, openUntil, probe: undefined })
    this.#forgetOldest()
    if (opens && known?.openUntil === undefined) this.#options.onOpen?.(address, failure)
  }

  #onUnknown(address: ModelAddress, probe: Breaker['probe']): void {
    const breaker = this.#breakers.get(keyOf(address))
    if (probe && breaker?.probe === probe) breaker.probe = undefined
  }

  #forgetOldest(): void {
    const [oldest] = this.#breakers.keys()
    if (this.#breakers.size > maxBreakers && oldest !== undefined) this.#breakers.delete(oldest)
  }

  #refusal({ address, failures, lastFailure }: Breaker, retryAfterMs: number): GatewayError {
    const seconds = Math.ceil(retryAfterMs / 1000)
    return new GatewayError(
      'upstream-unavailable',
      `${address.backend}: "${address.model}" failed ${failures} times in a row and is left alone for ${seconds} s more; send ` +
        `the request again then, or use another model. The last failure: ${forAll(lastFailure)}`,
      { retryAfterMs, cause: lastFailure },
    )
  }
}

const keyOf = ({ backend, model }: ModelAddress) => `${backend}/${model}`

/** Whoever asks next hears of it: what the service said was for the one whose request it was about. */
function forAll({ code, message, upstream }: GatewayError): string {
  if (upstream === undefined && code !== 'upstream-protocol') return message
  const { status } = upstream ?? {}
  if (status !== undefined && status >= 500) return `HTTP ${status}.`
  return code === 'upstream-protocol' ? 'its answer could not be read.' : 'an error in its answer.'
}

const counted = new Set<ErrorCode>(['upstream-unavailable', 'upstream-protocol', 'timeout'])

/** The service's own failure, and not what it thinks of the request, the credential or the quota. */
function isUpstreamFailure({ code, upstream, ownFault }: GatewayError): boolean {
  const status = upstream?.status ?? 0
  return counted.has(code) && !ownFault && !(status >= 400 && status < 500)
}
