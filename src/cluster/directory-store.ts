// What the directory of sessions is kept in, as small as it can be: six scripts, each of one key, and the way to ask.
// Redis is one such store, for instances on any machine (redis-link.ts); the parent process of workers is the other
// (memory-store.ts, reached by store-link.ts). Both mean the same by every script.

/**
 * - `announce KEY RECORD MS`: written; whether there was one before.
 * - `owner KEY`: who has it, empty for nobody.
 * - `claim KEY MINE PREFIX MS`: mine (of whatever epoch) or nobody's: written. The answer is who has it then.
 * - `takeOver KEY MINE SEEN MS`: still as it was seen, or nobody's by now: written. The answer is who has it then.
 * - `release KEY MINE`: gone, if it is mine.
 * - `nextEpoch KEY HIGHEST`: one more than before, and than the highest that the asking instance knows.
 */
export type ScriptName = 'announce' | 'owner' | 'claim' | 'takeOver' | 'release' | 'nextEpoch'

export interface DirectoryStore {
  run(name: ScriptName, key: string, ...values: string[]): Promise<unknown>
  /** The beginning of what is there; empty for nothing, and for what is no text. */
  read(key: string, maxBytes: number): Promise<string>
  delete(key: string): Promise<unknown>
}

/** The way to a store. It may be gone at any time, and comes back by itself. */
export interface DirectoryLink extends DirectoryStore {
  readonly up: boolean
  /** Fails where what it needs is not installed. */
  load(): Promise<void>
  /** Resolves when the first beat has worked, or after `patienceMs`: then it goes on in the background. */
  start(patienceMs: number): Promise<void>
  /** What the store answers; undefined where it cannot be asked. */
  ask<T>(question: () => Promise<T>): Promise<T | undefined>
  stopBeating(): void
  close(): void
}

/** `beat` is called again and again: what must be true before the others are asked anything. Fails as its commands do. */
export type OpenLink = (beat: () => Promise<void>) => DirectoryLink

/** Nobody writes longer owners: whatever else is there counts as nothing. */
export const longestOwner = 63

/** Far beyond what can be counted up to. */
export const highestEpoch = 1e12
