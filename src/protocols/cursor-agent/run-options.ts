// What a run is made of, and what it leaves.

import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import type { Tool } from '../../core/request.ts'
import type { BlobStore, KeptBlob } from './blobs.ts'
import type { RunPlan } from './request-out.ts'
import type { SteeringMemory } from './steering.ts'

export interface RunOptions {
  /** The configured name of the backend, for messages. */
  backend: string
  /** Stem of the call ids, by which a follow-up finds this run. */
  sessionId: string
  blobs: BlobStore
  plan: RunPlan
  progressMs: number
  /** Without it, words of the user ride along with results. */
  steering?: SteeringMemory | undefined
  /** What the run may keep of what the server sends; without it, as much as a turn may keep. */
  maxBytes?: number | undefined
}

/** What one answer is made under: each follow-up brings its own. */
export interface AnswerOptions {
  turnId: string
  model: string
  tools: readonly Tool[]
  parallelToolCalls: boolean
  note(text: string): void
}

/** What the next turn of the conversation can begin from. */
export interface ConversationEnd {
  conversationId: string
  state: Uint8Array
  blobs: KeptBlob[]
}

/** The transport or the service broke off; a refusal would be the same on any stream. */
const interruptions = new Set<ErrorCode>(['upstream-unavailable', 'upstream-protocol'])
export const isInterruption = ({ code, retryable }: GatewayError) => retryable && interruptions.has(code)
