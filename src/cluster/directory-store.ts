// The store interface of the session directory: seven scripts on one key each. Redis implements it for instances on any machine
// (redis-link.ts), the parent process for its workers (memory-store.ts, reached through store-link.ts). Both give every script the
// same meaning.

/**
 * - `announce KEY RECORD MS`: writes the record; returns whether there was one before.
 * - `owner KEY`: returns the owner, empty for none.
 * - `claim KEY MINE PREFIX MS`: writes if the owner is this instance (any epoch) or none; returns the owner afterwards.
 * - `takeOver KEY MINE SEEN MS`: writes if the owner is still as seen, or none; returns the owner afterwards.
 * - `release KEY MINE`: deletes the key if this instance is the owner.
 * - `nextEpoch KEY HIGHEST`: increments; the result also exceeds the highest epoch that the calling instance knows.
 * - `enlist KEY NAME MS`: puts the name on a list for that long (0: takes it off); returns the names on it, with commas between.
 */
export type ScriptName = 'announce' | 'owner' | 'claim' | 'takeOver' | 'release' | 'nextEpoch' | 'enlist'

export interface DirectoryStore {
  run(name: ScriptName, key: string, ...values: string[]): Promise<unknown>
  /** The beginning of the value; empty if there is none, or if it is no string. */
  read(key: string, maxBytes: number): Promise<string>
  delete(key: string): Promise<unknown>
}

/** The link to a store. The store may disappear at any time; the link recovers by itself. */
export interface DirectoryLink extends DirectoryStore {
  readonly up: boolean
  /** Fails if a required package is not installed. */
  load(): Promise<void>
  /** Resolves after the first successful beat, or after `patienceMs`; then it continues in the background. */
  start(patienceMs: number): Promise<void>
  /** The store's answer; undefined if the store cannot be asked. */
  ask<T>(question: () => Promise<T>): Promise<T | undefined>
  stopBeating(): void
  close(): void
}

/** `beat` runs at intervals: it establishes what must be true before other commands run. Fails if its commands fail. */
export type OpenLink = (beat: () => Promise<void>) => DirectoryLink

/** Owners are never longer; any longer value counts as none. */
export const longestOwner = 63

/** Names on a list that are returned. */
export const mostEnlisted = 256

/** Far beyond any counter. */
export const highestEpoch = 1e12
