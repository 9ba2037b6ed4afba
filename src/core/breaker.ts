// Circuit breakers: a model that fails repeatedly is not called for a while. There is one breaker per backend and model, for all its
// accounts: what concerns one account alone is in pool/.

import { BoundedMap } from '../base/bounded-map.ts'
import { type ErrorCode, GatewayError } from './errors.ts'

interface BreakerPolicy {
  /** Failed requests in a row, each after its retries, that open the breaker. */
  failures: number
  /** How long it stays open before one request may probe the model. */
  openMs: number
}

export const defaultBreakerPolicy: BreakerPolicy = { failures: 5, openMs: 30_000 }

/** The configured name of the backend, and the service's name for the model. */
export interface ModelAddress {
  backend: string
  model: string
}

export interface BreakersOptions extends Partial<BreakerPolicy> {
  now?: () => number
  /** A breaker opened: its model is not called from now on. */
  onOpen?(address: ModelAddress, failure: GatewayError): void
  /** A breaker closed: its model works again. */
  onClose?(address: ModelAddress): void
}

/** One request's permit to call the model. Exactly one of its three outcomes is reported. */
export interface Permit {
  /** False for a probe, and as soon as the breaker is open. */
  mayTryAgain(): boolean
  succeeded(): void
  failed(failure: GatewayError): void
  /** The request was canceled, or its failure says nothing about the service. */
  unknown(): void
}

interface Breaker {
  address: ModelAddress
  failures: number
  lastFailure: GatewayError
  /** Undefined while the breaker is closed. */
  openUntil: number | undefined
  /** The request that probes the model. */
  probe: { startedAt: number } | undefined
}

/** Clients can invent model names: the oldest breakers are dropped, and longer names get none. */
const maxBreakers = 1_000
const longestModel = 300

/** Retry-After while a probe is running. */
const probeWaitMs = 1_000

export class Breakers {
  /** Holds only models whose last request failed. */
  readonly #breakers = new BoundedMap<string, Breaker>({ maxEntries: maxBreakers, keeps: 'newest' })
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

  /** The models that are not called at present. */
  get open(): ModelAddress[] {
    return [...this.#breakers.values()].flatMap(({ address, openUntil }) =>
      openUntil === undefined ? [] : [address],
    )
  }

  isOpen(address: ModelAddress): boolean {
    return this.#breakers.get(keyOf(address))?.openUntil !== undefined
  }

  /** The backend has other settings now: what failed before may work. */
  forget(backend: string): void {
    for (const { address } of [...this.#breakers.values()])
      if (address.backend === backend) this.#breakers.delete(keyOf(address))
  }

  /** A permit, or the refusal. */
  ask(address: ModelAddress): Permit | GatewayError {
    const breaker = this.#breakers.get(keyOf(address))
    if (breaker?.openUntil === undefined) return this.#permit(address)
    const now = this.#now()
    const { probe, openUntil } = breaker
    if (now < openUntil) return this.#refusal(breaker, openUntil - now)
    // A probe that takes longer than the breaker stays open does not block the next probe.
    if (probe && now < probe.startedAt + this.#policy.openMs) return this.#refusal(breaker, probeWaitMs)
    const started = { startedAt: now }
    breaker.probe = started
    return this.#permit(address, started)
  }

  /** For a request that continues a run: never refused. While the breaker is open, its outcome does not count. */
  requestContinuation(address: ModelAddress): Permit {
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
    // The request began before the breaker opened.
    if (known?.openUntil !== undefined && (!probe || known.probe !== probe)) return
    if (address.model.length > longestModel) return
    const failures = (known?.failures ?? 0) + 1
    const opens = failures >= this.#policy.failures
    const openUntil = opens ? this.#now() + this.#policy.openMs : undefined
    this.#breakers.set(key, { address, failures, lastFailure: failure, openUntil, probe: undefined })
    if (opens && known?.openUntil === undefined) this.#options.onOpen?.(address, failure)
  }

  #onUnknown(address: ModelAddress, probe: Breaker['probe']): void {
    const breaker = this.#breakers.get(keyOf(address))
    if (probe && breaker?.probe === probe) breaker.probe = undefined
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

/** The failure in words for other callers: what the service said is only for the caller whose request it answered. */
function forAll({ code, message, upstream }: GatewayError): string {
  if (upstream === undefined && code !== 'upstream-protocol') return message
  const { status } = upstream ?? {}
  if (status !== undefined && status >= 500) return `HTTP ${status}.`
  return code === 'upstream-protocol' ? 'its answer could not be read.' : 'an error in its answer.'
}

const counted = new Set<ErrorCode>(['upstream-unavailable', 'upstream-protocol', 'timeout'])

/** The service itself failed. Refusals of the request, the credential or the quota do not count. */
function isUpstreamFailure({ code, upstream, ownFault }: GatewayError): boolean {
  const status = upstream?.status ?? 0
  return counted.has(code) && !ownFault && !(status >= 400 && status < 500)
}
