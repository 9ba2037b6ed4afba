// Blobs by id: content that the server stores in its client, and content that a request refers to, whose id is its SHA-256.

import { hash } from 'node:crypto'
import { entryBytes } from '../../base/bounded-map.ts'
import { type BundledBlob, bundle, unbundle } from './blob-bundle.ts'
import { type Packed, pack, unpack, unpacked } from './packed.ts'

export interface Blob {
  id: Uint8Array
  data: Uint8Array
}

/** A blob for storage. */
export interface KeptBlob extends Packed {
  id: Uint8Array
}

/** Estimated memory of a blob beside its content. */
const costOf = (id: Uint8Array) => id.length + entryBytes
/** Ids are digests of 32 bytes. A longer id than this is refused. */
const longestId = 1024

const keyOf = (id: Uint8Array) => Buffer.from(id.buffer, id.byteOffset, id.length).toString('latin1')
const idOf = (key: string) => Buffer.from(key, 'latin1')

export class BlobStore {
  readonly #own = new Map<string, Packed>()
  readonly #server = new Map<string, Packed>()
  /** Bytes of the server's blobs before compression: compression must not give the server more room. */
  serverBytes = 0
  /** All blobs while none is needed; the maps are empty then. */
  #bundle: Uint8Array | undefined

  /** Bytes of all blobs as they are kept. */
  get bytes(): number {
    let sum = this.#bundle?.length ?? 0
    for (const blobs of [this.#own, this.#server]) for (const { bytes } of blobs.values()) sum += bytes.length
    return sum
  }

  /** Keeps the gateway's own content and returns its id. */
  add(data: Uint8Array): Uint8Array {
    const id = hash('sha256', data, 'buffer')
    const key = keyOf(id)
    this.#open()
    if (!this.#own.has(key)) this.#own.set(key, unpacked(data))
    return id
  }

  /** Keeps the server's content under the server's id; false if it does not fit. */
  set(id: Uint8Array, data: Uint8Array, room = Number.POSITIVE_INFINITY): boolean {
    if (id.length > longestId) return false
    const key = keyOf(id)
    this.#open()
    if (this.#own.has(key)) return true
    const known = this.#server.get(key)
    const grows = known ? data.length - unpack(known).length : costOf(id) + data.length
    if (grows > room) return false
    // A copy: the server's bytes are a view into a network buffer, which would be retained.
    this.#server.set(key, unpacked(Uint8Array.from(data)))
    this.serverBytes += grows
    return true
  }

  /** Restores a blob of an earlier run. */
  restore({ id, bytes, isDeflated }: KeptBlob): void {
    this.#open()
    this.#server.set(keyOf(id), { bytes, isDeflated })
    this.serverBytes += costOf(id) + bytes.length
  }

  /** The first of the gateway's own blobs, as many as fit. */
  first(maxBytes: number): { id: Uint8Array; value: Uint8Array }[] {
    const found: { id: Uint8Array; value: Uint8Array }[] = []
    let room = maxBytes
    this.#open()
    for (const [key, blob] of this.#own) {
      const value = unpack(blob)
      room -= value.length
      if (room < 0) break
      found.push({ id: idOf(key), value })
    }
    return found
  }

  has(id: Uint8Array): boolean {
    return this.#find(id) !== undefined
  }

  get(id: Uint8Array): Uint8Array | undefined {
    const blob = this.#find(id)
    return blob && unpack(blob)
  }

  /** The blobs with these ids, for storage. Copies: what is kept elsewhere must not retain the rest. */
  kept(ids: readonly Uint8Array[]): KeptBlob[] {
    return ids.flatMap((id) => {
      const blob = this.#find(id)
      if (!blob) return []
      const packed = pack(blob)
      const bytes = packed === blob ? Uint8Array.from(blob.bytes) : packed.bytes
      return [{ id: Uint8Array.from(id), bytes, isDeflated: packed.isDeflated }]
    })
  }

  /** Compresses all blobs: they are not needed soon. */
  pack(): void {
    if (this.#bundle) return
    const all = [
      ...[...this.#own].map(([key, blob]) => toBundled(key, blob, true)),
      ...[...this.#server].map(([key, blob]) => toBundled(key, blob, false)),
    ]
    if (all.length === 0) return
    this.#bundle = bundle(all)
    this.#own.clear()
    this.#server.clear()
  }

  #open(): void {
    if (!this.#bundle) return
    for (const { id, data, isOwn } of unbundle(this.#bundle))
      (isOwn ? this.#own : this.#server).set(keyOf(id), unpacked(data))
    this.#bundle = undefined
  }

  #find(id: Uint8Array): Packed | undefined {
    if (id.length > longestId) return undefined
    const key = keyOf(id)
    this.#open()
    return this.#own.get(key) ?? this.#server.get(key)
  }
}

const toBundled = (key: string, blob: Packed, isOwn: boolean): BundledBlob => ({
  id: idOf(key),
  data: unpack(blob),
  isOwn,
})
