// Where access tokens come from: one source is chosen when a backend is made and never mixed with another.

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

/** Renewed when less is left. */
export const renewBeforeMs = 5 * 60_000
/** A token with less left may end under way. */
export const usableMs = 60_000
/** Renewing takes no longer: the lock on the login store ends later. */
export const renewTimeoutMs = 20_000

/** Whatever the clock here says, it has not ended yet: by a clock that is wrong, every turn would bring a new one. */
export const isJustIssued = (at: number | undefined, now: number) =>
  at !== undefined && now >= at && now - at < usableMs

const refusedForMs = 30_000

/** A refused credential is not shown again at once: fifty waiting turns would ask fifty times. */
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

/** The last few tokens that the service did not take. */
export class RejectedTokens {
  readonly #tokens = new BoundedMap<string, true>({ maxEntries: rememberedRejections, keeps: 'newest' })

  add(token: string): void {
    this.#tokens.set(token, true)
  }

  has(token: string): boolean {
    return this.#tokens.get(token) === true
  }

  /** Issued once more: to be believed. */
  delete(token: string): void {
    this.#tokens.delete(token)
  }
}

/** All who ask while the work runs share its result. */
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
