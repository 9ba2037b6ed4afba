// The directory's store in the memory of one process, for instances that are its child processes. It implements the scripts of
// redis-scripts.ts exactly. Nothing outlives the children, so nothing is persisted.

import { type DirectoryStore, highestEpoch, longestOwner, type ScriptName } from './directory-store.ts'

interface Entry {
  value: string
  expiresAt: number
}

export class MemoryStore implements DirectoryStore {
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number

  constructor(now = Date.now) {
    this.#now = now
  }

  get size(): number {
    return this.#entries.size
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
        return this.#owner(key) === first && this.#entries.delete(key) ? 1 : 0
      case 'nextEpoch':
        return this.#nextEpoch(key, first)
    }
  }

  async read(key: string, maxBytes: number): Promise<string> {
    return this.#get(key).slice(0, maxBytes)
  }

  async delete(key: string): Promise<number> {
    const found = this.#get(key) !== ''
    this.#entries.delete(key)
    return Number(found)
  }

  /** Each instance announces itself every few seconds: a good time to remove expired entries. */
  #announce(key: string, record: string, ms: number): number {
    for (const [other, { expiresAt }] of this.#entries)
      if (expiresAt <= this.#now()) this.#entries.delete(other)
    const had = Number(this.#entries.has(key))
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

  #get(key: string): string {
    const entry = this.#entries.get(key)
    if (!entry) return ''
    if (entry.expiresAt > this.#now()) return entry.value
    this.#entries.delete(key)
    return ''
  }

  #set(key: string, value: string, ms: number): void {
    this.#entries.set(key, { value, expiresAt: this.#now() + ms })
  }
}
