// What a run needs to continue on another stream or in the next turn, and whether it can.

import type { RequestContext } from '../../../proto/gen/agent/v1/context_pb.ts'
import { reachableBlobs } from './blob-graph.ts'
import type { BlobStore } from './blobs.ts'
import { Checkpoint } from './checkpoint.ts'
import type { ExecLedger } from './exec-ledger.ts'
import { pack } from './packed.ts'
import { encodeReopening, type KeptRequest, type RunPlan, readContext } from './request-out.ts'
import type { ConversationEnd } from './run-options.ts'

/** How often in a row a run is reopened without visible progress. */
const maxReopenings = 3

export class Continuation {
  readonly checkpoint = new Checkpoint()
  readonly #conversationId: string
  readonly #blobs: BlobStore
  #kept: KeptRequest
  /** Since the last visible output. */
  reopenings = 0

  constructor({ kept, conversationId }: RunPlan, blobs: BlobStore) {
    this.#kept = kept
    this.#conversationId = conversationId
    this.#blobs = blobs
  }

  /** About how much memory it uses. */
  get bytes(): number {
    const { run, context } = this.#kept
    return this.#blobs.bytes + run.length + context.bytes.length
  }

  get context(): RequestContext {
    return readContext(this.#kept)
  }

  /** Compresses everything: it is not needed soon. */
  compact(): void {
    this.#blobs.pack()
    this.#kept = { ...this.#kept, context: pack(this.#kept.context) }
  }

  onShown(): void {
    this.checkpoint.onShown()
    this.reopenings = 0
  }

  /** `repeat`: the run can continue only if it gives the current answer again from the beginning, after the same results. */
  judge(execs: ExecLedger, taken: number): 'go on' | 'repeat' | 'over' {
    const { continuesAnswer, repeatsAnswer } = this.checkpoint
    const isPossible =
      (continuesAnswer || repeatsAnswer) &&
      this.reopenings < maxReopenings &&
      execs.remembersEnough &&
      // The server would ask for that result again. A new run has it in its history.
      !execs.isAheadOfCheckpoint(taken) &&
      this.checkpoint.knows(execs.upstreamIds, this.#blobs)
    if (!isPossible) return 'over'
    if (continuesAnswer) return 'go on'
    return execs.upstreamIds.size > 0 ? 'repeat' : 'over'
  }

  /** The first message on another stream. */
  reopen(): Uint8Array | undefined {
    const { state } = this.checkpoint
    this.reopenings++
    return state && encodeReopening(this.#kept, state, this.#blobs)
  }

  /** For the next turn of the conversation. */
  get end(): ConversationEnd | undefined {
    const { state } = this.checkpoint
    if (state === undefined) return undefined
    const ids = reachableBlobs(state, this.#blobs).map(({ id }) => id)
    return { conversationId: this.#conversationId, state, blobs: this.#blobs.kept(ids) }
  }
}
