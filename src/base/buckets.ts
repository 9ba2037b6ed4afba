// A multimap: several entries per key, in insertion order.

export class Buckets<Key, Entry> {
  readonly #buckets = new Map<Key, Set<Entry>>()

  add(key: Key, entry: Entry): void {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.add(entry)
    else this.#buckets.set(key, new Set([entry]))
  }

  delete(key: Key, entry: Entry): void {
    const bucket = this.#buckets.get(key)
    bucket?.delete(entry)
    if (bucket?.size === 0) this.#buckets.delete(key)
  }

  of(key: Key): Iterable<Entry> {
    return this.#buckets.get(key) ?? []
  }
}
