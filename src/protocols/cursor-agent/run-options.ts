// The options of a run and of its answers, and what a finished run leaves.

import type { CallCheck } from '../../core/call-check.ts'
import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import type { Tool } from '../../core/request.ts'
import type { BlobStore, KeptBlob } from './blobs.ts'
import type { RunPlan } from './request-out.ts'
import type { SteeringMemory } from './steering.ts'

export interface RunOptions {
  /** The configured name of the backend, for messages. */
  backend: string
  /** Part of every call id: a follow-up finds this run by it. */
  sessionId: string
  blobs: BlobStore
  plan: RunPlan
  progressMs: number
  /** Without it, words of the user are added to a result. */
  steering?: SteeringMemory | undefined
  /** Limit of what the run keeps of the server's messages; the default is the limit of a turn. */
  maxBytes?: number | undefined
}

/** Options of one answer: each request brings its own. */
export interface AnswerOptions {
  turnId: string
  model: string
  tools: readonly Tool[]
  parallelToolCalls: boolean
  /** Checks the calls of the answer. It refers to the request, so it is dropped at the end of the answer. */
  calls?: CallCheck | undefined
  note(text: string): void
}

/** What the next turn of the conversation can begin from. */
export interface ConversationEnd {
  conversationId: string
  state: Uint8Array
  blobs: KeptBlob[]
}

/** The transport or the service broke off. A refusal would be the same on any stream. */
const interruptions = new Set<ErrorCode>(['upstream-unavailable', 'upstream-protocol'])
export const isInterruption = ({ code, retryable }: GatewayError) => retryable && interruptions.has(code)
