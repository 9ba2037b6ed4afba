// The server's blob requests to the client: every request needs its answer, every blob its hash.

import { createHash } from 'node:crypto'
import type { KvClientMessage } from '../../proto/gen/agent/v1/kv_pb.ts'
import { Refusal } from './refusal.ts'
import type { RunBlobs } from './run-record.ts'

interface Pending {
  readonly what: 'get' | 'set'
  readonly blobId: Uint8Array
  readonly askedAt: number
  resolve(data: Uint8Array | undefined): void
  reject(reason: unknown): void
}

export class KvLedger {
  readonly #blobs: RunBlobs
  readonly #pending = new Map<number, Pending>()

  constructor(blobs: RunBlobs) {
    this.#blobs = blobs
  }

  add(id: number, request: Pick<Pending, 'what' | 'blobId' | 'askedAt'>): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { ...request, resolve, reject })
    })
  }

  onAnswer({ id, message }: KvClientMessage): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) {
      throw new Refusal('invalid_argument', `an answer to kv request ${id}, which nobody asked`)
    }
    const wanted = pending.what === 'get' ? 'getBlobResult' : 'setBlobResult'
    if (message.case !== wanted) {
      throw new Refusal(
        'invalid_argument',
        `kv request ${id} wants a ${wanted}, not ${message.case ?? 'nothing'}`,
      )
    }
    this.#pending.delete(id)
    if (message.case === 'setBlobResult') {
      const error = message.value.error?.message
      if (error !== undefined) throw new Refusal('internal', `the client could not store a blob: ${error}`)
      pending.resolve(undefined)
    } else if (message.case === 'getBlobResult') {
      pending.resolve(this.#checkBlob(pending.blobId, message.value.blobData))
    }
  }

  checkPatience(now: number, patienceMs: number): void {
    for (const [id, { what, askedAt }] of this.#pending) {
      if (now - askedAt < patienceMs) continue
      throw new Refusal(
        'internal',
        `kv request ${id} (${what}_blob_args) was not answered for ${patienceMs} ms`,
      )
    }
  }

  abandonAll(reason: unknown): void {
    for (const { reject } of this.#pending.values()) reject(reason)
    this.#pending.clear()
  }

  #checkBlob(blobId: Uint8Array, data: Uint8Array | undefined): Uint8Array | undefined {
    const key = hex(blobId)
    this.#blobs.fetched.set(key, data)
    if (data === undefined && this.#blobs.stored.has(key)) {
      throw new Refusal('internal', `Blob not found: the client lost blob ${key}, which it had stored`)
    }
    if (data !== undefined && hex(blobIdOf(data)) !== key) {
      throw new Refusal('invalid_argument', `the data given for blob ${key} has another sha256`)
    }
    return data
  }
}

export function blobIdOf(data: Uint8Array): Uint8Array {
  return createHash('sha256').update(data).digest()
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
