// Blobs that the server leaves with its client, or that a request refers to: found by the SHA-256 of their content.

import { createHash } from 'node:crypto'

/** What the server of one run may leave here before further blobs are refused. */
const maxBytes = 64 * 1024 * 1024

const keyOf = (id: Uint8Array) => Buffer.from(id).toString('hex')

export class BlobStore {
  readonly #own = new Map<string, Uint8Array>()
  readonly #blobs = new Map<string, Uint8Array>()
  #bytes = 0
  #ownBytes = 0

  /** Both sides' together. */
  get bytes(): number {
    return this.#bytes + this.#ownBytes
  }

  /** Keeps our own content and gives its id. */
  add(data: Uint8Array): Uint8Array {
    const id = createHash('sha256').update(data).digest()
    const key = keyOf(id)
    if (!this.#own.has(key)) this.#ownBytes += data.length
    this.#own.set(key, data)
    return id
  }

  /** Keeps what the server sends under the server's id; false when there is no more room. */
  set(id: Uint8Array, data: Uint8Array): boolean {
    const key = keyOf(id)
    if (this.#own.has(key)) return true
    const grows = data.length - (this.#blobs.get(key)?.length ?? 0)
    if (this.#bytes + grows > maxBytes) return false
    // A copy: the server's bytes are a view into a network read that would otherwise be kept whole.
    this.#blobs.set(key, data.slice())
    this.#bytes += grows
    return true
  }

  /** Takes back what was kept of an earlier run. */
  restore(id: Uint8Array, data: Uint8Array): void {
    this.#blobs.set(keyOf(id), data)
    this.#bytes += data.length
  }

  /** The first of our own, as many as fit. */
  first(maxBytes: number): { id: Uint8Array; value: Uint8Array }[] {
    const found: { id: Uint8Array; value: Uint8Array }[] = []
    let room = maxBytes
    for (const [key, value] of this.#own) {
      room -= value.length
      if (room < 0) break
      found.push({ id: Buffer.from(key, 'hex'), value })
    }
    return found
  }

  get(id: Uint8Array): Uint8Array | undefined {
    const key = keyOf(id)
    return this.#own.get(key) ?? this.#blobs.get(key)
  }
}
