// The seam between the gateway and a model service.

import type { Signal } from '../base/signal.ts'
import type { Caller } from './caller.ts'
import { GatewayError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { Notes } from './notes.ts'
import type { ReasoningEffort, ToolResult, TurnRequest } from './request.ts'
import type { TurnTap } from './tap.ts'
import type { TurnBudget } from './turn-budget.ts'

export interface Model {
  id: string
  displayName?: string
  contextTokens?: number
  outputTokens?: number
  createdAt?: number
  ownedBy?: string
  /** Thinks before it answers; absent where the service does not say. */
  reasoning?: boolean
  /** How hard it can be told to think. */
  efforts?: readonly ReasoningEffort[]
  images?: boolean
}

export interface TurnContext {
  turnId: string
  caller: Caller
  /** Aborts when the client has gone or the gateway stops: the upstream request must end at once. */
  signal: Signal
  notes: Notes
  /** What may be kept of the turn; without it, as much as any turn may keep. */
  budget?: TurnBudget | undefined
  /** The client takes arguments whole: a reader may give them in one delta. */
  wholeArguments: boolean
  /** Session backends say how they came to their run, before the first event; for the log also why not to another. */
  onSession?(state: SessionState, why?: string): void
  /** Somebody watches this turn. */
  tap?: TurnTap | undefined
  /** Where a turn is played once more, its session has the name that it had. */
  sessionId?: (() => string) | undefined
  /** A call that a model wrote as text was not right as it came. */
  onRepair?(kind: TextRepair): void
  /** Tell the service whose work this is a part of, where it is to know. */
  traceHeaders?: Record<string, string> | undefined
}

/** It was mended, the model was asked for it once more, or it was shown as the text that it came as. */
export type TextRepair = 'mended' | 'asked-again' | 'unreadable'

/** A run that was waiting for this request, one that was taken up again, or a new one. */
export type SessionState = 'live' | 'resumed' | 'fresh'

/** What became of a tool result that was handed in ahead of the request that will carry it. */
export interface Delivery {
  callId: string
  /** `different`: another result was taken for this call before; that one stands. */
  state: 'accepted' | 'duplicate' | 'different' | 'unknown'
  /** For people: what is known of the call, or of the session it belongs to. */
  why?: string
}

export interface ListedSession {
  id: string
  caller: Caller
  model: string
  state: 'answering' | 'waiting'
  /** When it came into this state, in milliseconds since 1970. */
  since: number
}

/** The runs of a backend that outlive their answers, by the session id that is in the ids of their calls. */
export interface SessionHost {
  /** There is such a session in this process, whatever its state. */
  has(sessionId: string): boolean
  /** Another instance has it, as far as can be known. Absent where there are no others. */
  isElsewhere?(sessionId: string): Promise<boolean>
  /**
   * Goes on with the session that waits for this request's results; undefined where there is none that could. A
   * session that is lost before anything was shown throws `SessionLost`: the request can be answered afresh, anywhere.
   */
  resume(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> | undefined
  deliver(results: readonly ToolResult[], caller: Caller): Promise<Delivery[]>
  /** A piece of what a call puts out while this process is at it: services that follow commands as they run see it. */
  onOutput?(callId: string, stream: 'stdout' | 'stderr', text: string): void
  /** Gives it up here: the conversation goes on elsewhere. */
  drop(sessionId: string): void
  /** Gives up all that wait; those that are being answered may end, but are not kept then. */
  dropWaiting(): void
  counts(): { answering: number; waiting: number; waitingBytes: number }
  /** Each of them, for people. */
  list?(): ListedSession[]
  /** Told of each session that is no longer here. */
  onGone(listener: (sessionId: string) => void): void
}

/** Nothing of the answer has been shown, and the session it was to come from is no more. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

/** A second request for what the first is being given. */
export const alreadyAnswered = () =>
  new GatewayError(
    'conflict',
    'The results of these tool calls have come already, and are being answered to another request.',
  )

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
  /** How many tokens this request's input has, by the service's own count; undefined where it does not say. */
  countTokens?(request: TurnRequest, context: TurnContext): Promise<number | undefined>
  /** Of a session backend. */
  readonly sessions?: SessionHost
  /** What an operator wants to know beside the models: findings for `doctor`, asked live, without secrets. */
  describe?(signal: AbortSignal): Promise<Finding[]>
  close(): Promise<void>
}
