// The state that a run can be taken up from, as the server last gave it, and whether going on from there would show the
// client anything twice, lose anything, or have any tool run again.

import { toBinary } from '@bufbuild/protobuf'
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { Buckets } from '../../base/buckets.ts'
import { reachableBlobs } from './blob-graph.ts'
import type { BlobStore } from './blobs.ts'

export class Checkpoint {
  /** Encoded: a decoded one would hold on to the network read it came in. */
  state: Uint8Array | undefined
  /** The client has been shown what came behind it. */
  #isShownSince = false
  /** The client has been shown, in the present answer, what it covers. */
  #isShownBefore = false
  /** The client has been shown, in an earlier answer, what came behind it. */
  #isBehind = false

  get bytes(): number {
    return this.state?.length ?? 0
  }

  take(state: ConversationStateStructure): void {
    this.state = toBinary(ConversationStateStructureSchema, state)
    this.onCoveredShown()
    this.#isBehind = false
  }

  /** What the client has been shown up to now came before it, though it may be shown only now. */
  onCoveredShown(): void {
    this.#isShownBefore ||= this.#isShownSince
    this.#isShownSince = false
  }

  onAnswer(): void {
    this.#isBehind ||= this.#isShownSince
    this.onAnswerDropped()
  }

  /** The client lets go of what it has been shown of the answer. */
  onAnswerDropped(): void {
    this.#isShownBefore = false
    this.#isShownSince = false
  }

  onShown(): void {
    this.#isShownSince = true
  }

  /** In the middle of an answer: what follows must be what the client has not seen. */
  get continuesAnswer(): boolean {
    return this.state !== undefined && !this.#isBehind && !this.#isShownSince
  }

  /** With the answer given once more from its beginning. */
  get repeatsAnswer(): boolean {
    return this.state !== undefined && !this.#isBehind && !this.#isShownBefore
  }

  /**
   * The server knows of these calls, so that it asks for them again or has their results: from a state that knows
   * nothing of a call the model would make it a second time. Found by the call's name, wherever it stands in the state.
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

/** Services begin the names of all calls alike. */
const beginning = 4
const mostBeginnings = 32
/** Each length is tried at each beginning. */
const mostLengths = 64

/**
 * Those that were not found in the parts. They are looked for together: each of thousands by itself, in all that a long
 * run has left, would take seconds.
 */
function notFound(ids: readonly string[], parts: readonly Buffer[]): string[] {
  // As bytes, one to a character.
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
