// A credential that expires: loaded once for all waiters, and again before it expires.

import { GatewayError } from '../core/errors.ts'
import { renewBeforeMs, singleFlight, usableMs } from './token-source.ts'

export interface LoadedCredential<Value> {
  value: Value
  /** Milliseconds; undefined: until it is refused. */
  expiresAt?: number | undefined
}

interface RenewedCredentialOptions<Value> {
  backend: string
  /** What is loaded, for messages: `AWS credentials`. */
  what: string
  /** What to check if that takes too long or fails. */
  remedy: string
  /** `isForced`: the service has refused the value that was loaded before. */
  load(isForced: boolean): Promise<LoadedCredential<Value>>
  timeoutMs?: number | undefined
  now?: (() => number) | undefined
}

/** A metadata service answers within milliseconds, a token endpoint within seconds. */
const defaultTimeoutMs = 10_000

interface Held<Value> extends LoadedCredential<Value> {
  renewAt: number
}

export class RenewedCredential<Value> {
  readonly #options: RenewedCredentialOptions<Value>
  readonly #now: () => number
  readonly #renew: (isForced: boolean) => Promise<Value>
  #held: Held<Value> | undefined
  #isRefused = false

  constructor(options: RenewedCredentialOptions<Value>) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#renew = singleFlight((isForced) => this.#load(isForced))
  }

  async get(): Promise<Value> {
    const held = this.#held
    if (held && this.#now() < held.renewAt) return held.value
    try {
      return await this.#renew(this.#isRefused)
    } catch (error) {
      // The renewal came early: the old one still serves.
      const isUsable = held !== undefined && this.#held === held && this.#now() + usableMs < expiryOf(held)
      if (isUsable) return held.value
      throw error
    }
  }

  /** The service refused this value. If it is still held, the next request loads another; else a newer one is held or under way. */
  reject(value: Value): true {
    if (this.#held?.value === value) {
      this.#held = undefined
      this.#isRefused = true
    }
    return true
  }

  async #load(isForced: boolean): Promise<Value> {
    const { load, backend, what, remedy } = this.#options
    const loaded = await this.#inTime(load(isForced)).catch((error: unknown) => {
      if (error instanceof GatewayError) throw error
      // The library's words may quote a file or an answer with a secret: they go to the log, which removes secrets.
      const excerpt = error instanceof Error ? error.message : String(error)
      throw this.#failure(`the ${what} could not be loaded`, excerpt)
    })
    const left = expiryOf(loaded) - this.#now()
    if (left <= 0)
      throw new GatewayError('upstream-credential', `${backend}: the ${what} have expired; ${remedy}.`)
    this.#isRefused = false
    // Half of a short lifetime: a credential that lasts three minutes would be loaded for every request.
    this.#held = { ...loaded, renewAt: this.#now() + left - Math.min(renewBeforeMs, left / 2) }
    return loaded.value
  }

  async #inTime(work: Promise<LoadedCredential<Value>>): Promise<LoadedCredential<Value>> {
    const { timeoutMs = defaultTimeoutMs, what } = this.#options
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(this.#failure(`the source of the ${what} did not answer within ${timeoutMs / 1000} s`)),
        timeoutMs,
      )
    })
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
    }
  }

  #failure(problem: string, excerpt?: string): GatewayError {
    const { backend, remedy } = this.#options
    const more = excerpt === undefined ? '' : " The gateway's log has the words of the library."
    return new GatewayError('upstream-credential', `${backend}: ${problem}; ${remedy}.${more}`, {
      upstream: excerpt === undefined ? undefined : { excerpt },
    })
  }
}

const expiryOf = ({ expiresAt = Number.MAX_SAFE_INTEGER }: LoadedCredential<unknown>) => expiresAt
