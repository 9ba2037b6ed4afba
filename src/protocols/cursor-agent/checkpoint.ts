// The server's last checkpoint of a run, and whether the run can continue from it without showing the client anything twice, losing
// anything, or running any tool again.

import { toBinary } from '@bufbuild/protobuf'
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { Buckets } from '../../base/buckets.ts'
import { reachableBlobs } from './blob-graph.ts'
import type { BlobStore } from './blobs.ts'

export class Checkpoint {
  /** Encoded: a decoded state would retain the network buffer it arrived in. */
  state: Uint8Array | undefined
  /** The client has seen output after the checkpoint. */
  #isShownSince = false
  /** The client has seen, in the current answer, output that the checkpoint covers. */
  #isShownBefore = false
  /** The client has seen, in an earlier answer, output after the checkpoint. */
  #isBehind = false

  get bytes(): number {
    return this.state?.length ?? 0
  }

  /** `encoded`: the same state as it arrived, if known. A part of a larger buffer is copied. */
  take(state: ConversationStateStructure, encoded?: Uint8Array): void {
    const bytes = encoded ?? toBinary(ConversationStateStructureSchema, state)
    this.state = 2 * bytes.length > bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
    this.onCoveredShown()
    this.#isBehind = false
  }

  /** All output so far is older than the checkpoint, even if the client sees it only now. */
  onCoveredShown(): void {
    this.#isShownBefore ||= this.#isShownSince
    this.#isShownSince = false
  }

  onAnswer(): void {
    this.#isBehind ||= this.#isShownSince
    this.onAnswerDropped()
  }

  /** The client discards what it has seen of the answer. */
  onAnswerDropped(): void {
    this.#isShownBefore = false
    this.#isShownSince = false
  }

  onShown(): void {
    this.#isShownSince = true
  }

  /** The answer can continue: the client has seen nothing that the server would repeat. */
  get continuesAnswer(): boolean {
    return this.state !== undefined && !this.#isBehind && !this.#isShownSince
  }

  /** The answer can be repeated from its beginning. */
  get repeatsAnswer(): boolean {
    return this.state !== undefined && !this.#isBehind && !this.#isShownBefore
  }

  /**
   * True if the state knows all these calls: the server then asks for them again or has their results. From a state without a
   * call, the model would make the call a second time. A call is found by its id, anywhere in the state.
   */
  knows(upstreamIds: Iterable<string>, blobs: BlobStore): boolean {
    const { state } = this
    if (state === undefined) return false
    const ids = [...upstreamIds]
    if (ids.includes('') || new Set(ids.map((id) => id.length)).size > mostLengths) return false
    const parts = [state, ...reachableBlobs(state, blobs).map(({ data }) => data)].map((data) =>
      Buffer.from(data.buffer, data.byteOffset, data.length),
    )
    return notFound(ids, parts).every((id) => parts.some((part) => part.includes(id)))
  }
}

/** Call ids of a service share their first characters. */
const beginning = 4
const mostBeginnings = 32
/** Each length is tried at each match of the first characters. */
const mostLengths = 64

/**
 * The ids that are not in the parts. One search for all ids: thousands of searches in the state of a long run would take seconds.
 */
function notFound(ids: readonly string[], parts: readonly Buffer[]): string[] {
  // Latin-1: one character for each byte.
  const missing = new Map(ids.map((id) => [Buffer.from(id).toString('latin1'), id]))
  const lengths = new Buckets<string, number>()
  for (const id of missing.keys()) lengths.add(id.slice(0, beginning), id.length)
  const beginnings = [...new Set([...missing.keys()].map((id) => id.slice(0, beginning)))]
  if (beginnings.length > mostBeginnings) return [...ids]
  for (const part of parts) {
    const text = part.toString('latin1')
    for (const begins of beginnings)
      for (let at = text.indexOf(begins); at >= 0; at = text.indexOf(begins, at + 1))
        for (const length of lengths.of(begins)) missing.delete(text.slice(at, at + length))
  }
  return [...missing.values()]
}
