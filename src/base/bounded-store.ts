// A map with limits: entries leave when they are old, or when the whole grows too large, least recently used first.

/** About what an entry takes beside its value; callers add it, or many small values would outgrow the limit. */
export const entryBytes = 256

interface Entry<V> {
  value: V
  bytes: number
  expiresAt: number
}

export interface BoundedStoreOptions {
  maxBytes: number
  ttlMs: number
  now?: () => number
}

export class BoundedStore<V> {
  readonly #entries = new Map<string, Entry<V>>()
  readonly #maxBytes: number
  readonly #ttlMs: number
  readonly #now: () => number
  #bytes = 0

  constructor({ maxBytes, ttlMs, now = Date.now }: BoundedStoreOptions) {
    this.#maxBytes = maxBytes
    this.#ttlMs = ttlMs
    this.#now = now
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.delete(key)
    if (entry.expiresAt <= this.#now()) return undefined
    // Used again: to the young end, with its time renewed.
    this.#put(key, { ...entry, expiresAt: this.#now() + this.#ttlMs })
    return entry.value
  }

  set(key: string, value: V, bytes: number): void {
    this.delete(key)
    if (bytes > this.#maxBytes) return
    this.#put(key, { value, bytes, expiresAt: this.#now() + this.#ttlMs })
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes && entry.expiresAt > this.#now()) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }

  #put(key: string, entry: Entry<V>): void {
    this.#entries.set(key, entry)
    this.#bytes += entry.bytes
  }
}
