// Sources of access tokens. A backend has one source, chosen when it is created.

import { BoundedMap } from '../base/bounded-map.ts'

export type CredentialSource =
  | 'config-token'
  | 'config-key'
  | 'environment-token'
  | 'environment-key'
  | 'login'
  | 'none'

export interface CredentialState {
  source: CredentialSource
  /** Milliseconds. */
  expiresAt?: number | undefined
  email?: string | undefined
  /** What is wrong, and what to do. */
  problem?: string | undefined
}

export interface TokenSource {
  token(): Promise<string>
  reject(token: string): void
  describe(): Promise<CredentialState>
}

/** A token with less time left is renewed. */
export const renewBeforeMs = 5 * 60_000
/** A token with less time left may expire during a request. */
export const usableMs = 60_000
/** Timeout of a renewal: shorter than the lock on the login store lasts. */
export const renewTimeoutMs = 20_000

/** A new token counts as valid whatever the local clock says: with a wrong clock, every turn would renew it. */
export const isJustIssued = (at: number | undefined, now: number) =>
  at !== undefined && now >= at && now - at < usableMs

const refusedForMs = 30_000

/** A refused credential is not tried again at once: fifty waiting turns would ask fifty times. */
export class Refusal<Failure extends Error> {
  readonly #now: () => number
  #credential: string | undefined
  #until = 0
  #failure: Failure | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  set(credential: string, failure: Failure): void {
    this.#credential = credential
    this.#until = this.#now() + refusedForMs
    this.#failure = failure
  }

  of(credential: string): Failure | undefined {
    return credential === this.#credential && this.#now() < this.#until ? this.#failure : undefined
  }
}

const rememberedRejections = 16

/** The last few tokens that the service refused. */
export class RejectedTokens {
  readonly #tokens = new BoundedMap<string, true>({ maxEntries: rememberedRejections, keeps: 'newest' })

  add(token: string): void {
    this.#tokens.set(token, true)
  }

  has(token: string): boolean {
    return this.#tokens.get(token) === true
  }

  /** The token was issued again: it is valid. */
  delete(token: string): void {
    this.#tokens.delete(token)
  }
}

/** Concurrent callers share one run of the work. */
export function singleFlight<Argument, Result>(
  work: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  let running: Promise<Result> | undefined
  return (argument) => {
    running ??= work(argument).finally(() => {
      running = undefined
    })
    return running
  }
}
