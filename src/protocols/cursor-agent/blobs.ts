// Blobs by id: content that the server stores in its client, and content that a request refers to, whose id is its SHA-256.

import { hash } from 'node:crypto'
import { entryBytes } from '../../base/bounded-map.ts'
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
  #unpackedKeys = new Set<string>()

  /** Bytes of all blobs as they are kept. */
  get bytes(): number {
    let sum = 0
    for (const blobs of [this.#own, this.#server]) for (const { bytes } of blobs.values()) sum += bytes.length
    return sum
  }

  /** Keeps the gateway's own content and returns its id. */
  add(data: Uint8Array): Uint8Array {
    const id = hash('sha256', data, 'buffer')
    const key = keyOf(id)
    if (!this.#own.has(key)) this.#put(this.#own, key, data)
    return id
  }

  /** Keeps the server's content under the server's id; false if it does not fit. */
  set(id: Uint8Array, data: Uint8Array, room = Number.POSITIVE_INFINITY): boolean {
    if (id.length > longestId) return false
    const key = keyOf(id)
    if (this.#own.has(key)) return true
    const known = this.#server.get(key)
    const grows = known ? data.length - unpack(known).length : costOf(id) + data.length
    if (grows > room) return false
    // A copy: the server's bytes are a view into a network buffer, which would be retained.
    this.#put(this.#server, key, data.slice())
    this.serverBytes += grows
    return true
  }

  /** Restores a blob of an earlier run. */
  restore({ id, bytes, isDeflated }: KeptBlob): void {
    this.#server.set(keyOf(id), { bytes, isDeflated })
    this.serverBytes += costOf(id) + bytes.length
  }

  /** The first of the gateway's own blobs, as many as fit. */
  first(maxBytes: number): { id: Uint8Array; value: Uint8Array }[] {
    const found: { id: Uint8Array; value: Uint8Array }[] = []
    let room = maxBytes
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

  /** The blobs with these ids, for storage. */
  kept(ids: readonly Uint8Array[]): KeptBlob[] {
    this.pack()
    return ids.flatMap((id) => {
      const blob = this.#find(id)
      return blob ? [{ id, ...blob }] : []
    })
  }

  /** Compresses all blobs: they are not needed soon. */
  pack(): void {
    for (const key of this.#unpackedKeys)
      for (const blobs of [this.#own, this.#server]) {
        const blob = blobs.get(key)
        if (blob) blobs.set(key, pack(blob))
      }
    this.#unpackedKeys.clear()
  }

  #find(id: Uint8Array): Packed | undefined {
    if (id.length > longestId) return undefined
    const key = keyOf(id)
    return this.#own.get(key) ?? this.#server.get(key)
  }

  #put(blobs: Map<string, Packed>, key: string, data: Uint8Array): void {
    blobs.set(key, unpacked(data))
    this.#unpackedKeys.add(key)
  }
}
