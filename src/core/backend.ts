// The seam between the gateway and a model service.

import type { TurnEvent } from './events.ts'
import type { Notes } from './notes.ts'
import type { TurnRequest } from './request.ts'

export interface Model {
  id: string
  displayName?: string
  contextTokens?: number
  outputTokens?: number
  createdAt?: number
  ownedBy?: string
}

export interface TurnContext {
  turnId: string
  /** Whose key asked: what is remembered of one caller's turns is not for another's. */
  caller: string
  /** Aborts when the client has gone or the gateway stops: the upstream request must end at once. */
  signal: AbortSignal
  notes: Notes
  /** The client takes arguments whole: a reader may give them in one delta. */
  wholeArguments: boolean
  /** Session backends say how they came to their run, before the first event. */
  onSession?(state: SessionState): void
}

/** A run that was waiting for this request, one that was taken up again, or a new one. */
export type SessionState = 'live' | 'resumed' | 'fresh'

export interface Finding {
  status: 'ok' | 'warning'
  message: string
}

export interface Backend {
  readonly kind: string
  /** What can be called now, asked live. */
  models(signal: AbortSignal): Promise<Model[]>
  /**
   * One turn: a batch of events per upstream read. A failure is thrown, or stands as a `turn-error` behind what came
   * before it; the caller makes sure of exactly one terminal event.
   */
  run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]>
  /** What an operator wants to know beside the models: findings for `doctor`, asked live, without secrets. */
  describe?(signal: AbortSignal): Promise<Finding[]>
  close(): Promise<void>
}
