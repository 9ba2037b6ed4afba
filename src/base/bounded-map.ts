// A map with limits: entries leave when they are old, or when there are too many or too much. The least recently used leaves
// first; with `keeps: 'newest'`, the one that was set first.

/** About what an entry takes beside its value. Callers add it: many small values would outgrow the limit otherwise. */
export const entryBytes = 256

interface Entry<V> {
  readonly value: V
  readonly bytes: number
  expiresAt: number
}

export interface BoundedMapOptions<V = unknown> {
  maxEntries?: number
  maxBytes?: number
  ttlMs?: number
  /** Whether reading an entry renews it. */
  keeps?: 'used' | 'newest'
  now?: () => number
  /** Called for an entry that made room for others. */
  onEvicted?(value: V): void
}

export class BoundedMap<K, V> {
  readonly #entries = new Map<K, Entry<V>>()
  readonly #maxEntries: number
  readonly #maxBytes: number
  readonly #ttlMs: number
  readonly #renews: boolean
  readonly #now: () => number
  readonly #onEvicted: ((value: V) => void) | undefined
  #bytes = 0

  constructor(options: BoundedMapOptions<V>) {
    const { maxEntries, maxBytes, ttlMs, keeps = 'used', now = Date.now, onEvicted } = options
    this.#maxEntries = maxEntries ?? Number.POSITIVE_INFINITY
    this.#maxBytes = maxBytes ?? Number.POSITIVE_INFINITY
    this.#ttlMs = ttlMs ?? Number.POSITIVE_INFINITY
    this.#renews = keeps === 'used'
    this.#now = now
    this.#onEvicted = onEvicted
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The oldest first. */
  *values(): Generator<V> {
    for (const { value } of this.#entries.values()) yield value
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (this.#isExpired(entry)) {
      this.delete(key)
      return undefined
    }
    if (this.#renews) {
      entry.expiresAt = this.#expiry()
      this.#entries.delete(key)
      this.#entries.set(key, entry)
    }
    return entry.value
  }

  set(key: K, value: V, bytes = 0): void {
    this.delete(key)
    if (bytes > this.#maxBytes) return
    this.#entries.set(key, { value, bytes, expiresAt: this.#expiry() })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#entries) {
      const isTooMuch = this.#bytes > this.#maxBytes || this.#entries.size > this.#maxEntries
      if (!isTooMuch && !this.#isExpired(entry)) break
      this.delete(oldest)
      this.#onEvicted?.(entry.value)
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  #expiry(): number {
    return this.#ttlMs === Number.POSITIVE_INFINITY ? this.#ttlMs : this.#now() + this.#ttlMs
  }

  #isExpired({ expiresAt }: Entry<V>): boolean {
    return expiresAt !== Number.POSITIVE_INFINITY && expiresAt <= this.#now()
  }
}
