// The directory's store in the memory of one process, for instances that are its child processes. It implements the scripts of
// redis-scripts.ts exactly. Nothing outlives the children, so nothing is persisted.

import {
  type DirectoryStore,
  highestEpoch,
  longestOwner,
  mostEnlisted,
  type ScriptName,
} from './directory-store.ts'
import { isBindingKey } from './pool-store.ts'

interface Entry {
  value: string
  expiresAt: number
}

/**
 * The bindings of account pools, of all workers: some 30 MB. Every answer with a call leaves one for 12 hours. Beyond this, those that
 * were written longest ago leave; each worker still knows the latest of its own.
 */
export const mostBindings = 100_000
/** Bindings leave together: a map passes over all that it has deleted to find its first. */
const leaveTogether = 1_000
/** A look for expired entries reads every entry. */
const sweepMs = 60_000

export class MemoryStore implements DirectoryStore {
  readonly #entries = new Map<string, Entry>()
  /** Apart from the sessions, which must not make room for them. The one that was written longest ago is first. */
  readonly #bindings = new Map<string, Entry>()
  /** When each name of a list expires. */
  readonly #lists = new Map<string, Map<string, number>>()
  readonly #now: () => number
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(now = Date.now) {
    this.#now = now
  }

  get size(): number {
    return this.#entries.size + this.#bindings.size
  }

  async run(name: ScriptName, key: string, ...values: string[]): Promise<unknown> {
    const [first = '', second = '', third = ''] = values
    switch (name) {
      case 'announce':
        return this.#announce(key, first, Number(second))
      case 'owner':
        return this.#owner(key)
      case 'claim':
        return this.#write(key, first, Number(third), (now) => now.startsWith(second))
      case 'takeOver':
        return this.#write(key, first, Number(third), (now) => now === second)
      case 'release':
        return this.#owner(key) === first && this.#mapOf(key).delete(key) ? 1 : 0
      case 'nextEpoch':
        return this.#nextEpoch(key, first)
      case 'enlist':
        return this.#enlist(key, first, Number(second))
    }
  }

  async read(key: string, maxBytes: number): Promise<string> {
    return this.#get(key).slice(0, maxBytes)
  }

  async delete(key: string): Promise<number> {
    const found = this.#get(key) !== ''
    this.#mapOf(key).delete(key)
    return Number(found)
  }

  /** Each instance announces itself every few seconds: a good time to remove expired entries. */
  #announce(key: string, record: string, ms: number): number {
    this.#sweep()
    const had = Number(this.#find(key) !== undefined)
    this.#set(key, record, ms)
    return had
  }

  #write(key: string, mine: string, ms: number, mayBe: (now: string) => boolean): string {
    const now = this.#owner(key)
    if (now !== '' && !mayBe(now)) return now
    this.#set(key, mine, ms)
    return mine
  }

  #owner(key: string): string {
    const now = this.#get(key)
    return now.length > longestOwner ? '' : now
  }

  #nextEpoch(key: string, highest: string): number {
    const next = Number(this.#get(key)) + 1
    const epoch = next > Number(highest) && next <= highestEpoch ? next : Number(highest) + 1
    this.#set(key, String(epoch), Number.POSITIVE_INFINITY)
    return epoch
  }

  #enlist(key: string, name: string, ms: number): string {
    const list = this.#lists.get(key) ?? new Map<string, number>()
    this.#lists.set(key, list)
    const now = this.#now()
    list.set(name, now + ms)
    for (const [other, expiresAt] of list) if (expiresAt <= now) list.delete(other)
    const byAge = [...list].sort(([one, a], [other, b]) => a - b || (one < other ? -1 : 1))
    return byAge
      .slice(0, mostEnlisted)
      .map(([one]) => one)
      .join(',')
  }

  #mapOf(key: string): Map<string, Entry> {
    return isBindingKey(key) ? this.#bindings : this.#entries
  }

  #get(key: string): string {
    return this.#find(key)?.value ?? ''
  }

  #find(key: string): Entry | undefined {
    const entries = this.#mapOf(key)
    const entry = entries.get(key)
    if (!entry || entry.expiresAt > this.#now()) return entry
    entries.delete(key)
    return undefined
  }

  #set(key: string, value: string, ms: number): void {
    const entries = this.#mapOf(key)
    entries.delete(key)
    entries.set(key, { value, expiresAt: this.#now() + ms })
    if (this.#bindings.size > mostBindings) this.#makeRoom()
  }

  #makeRoom(): void {
    for (const oldest of this.#bindings.keys()) {
      if (this.#bindings.size <= mostBindings - leaveTogether) return
      this.#bindings.delete(oldest)
    }
  }

  #sweep(): void {
    const now = this.#now()
    if (now - this.#sweptAt < sweepMs) return
    this.#sweptAt = now
    for (const entries of [this.#entries, this.#bindings])
      for (const [key, { expiresAt }] of entries) if (expiresAt <= now) entries.delete(key)
  }
}
