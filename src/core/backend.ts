// Backend: the interface between the gateway and a model service.

import type { Signal } from '../base/signal.ts'
import type { CallCheck } from './call-check.ts'
import type { Caller } from './caller.ts'
import { GatewayError, type ServiceError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { Notes } from './notes.ts'
import type { Accounts } from './pool/only-account.ts'
import type { TurnAccounts } from './pool/pool-parts.ts'
import type { Recall } from './recall.ts'
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
  /** The model reasons before it answers; absent if the service does not say. */
  reasoning?: boolean
  /** The reasoning efforts that can be requested. */
  efforts?: readonly ReasoningEffort[]
  images?: boolean
  /** The entry in the service's own listing, for clients of its dialect. */
  listed?: { form: ServiceError['form']; entry: Readonly<Record<string, unknown>> }
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface TurnContext {
  turnId: string
  caller: Caller
  /** Aborts when the client disconnects or the gateway stops: the upstream request must end at once. */
  signal: Signal
  notes: Notes
  /** Memory for the turn; the default budget if absent. */
  budget?: TurnBudget | undefined
  /** The client takes tool arguments whole: a reader may put them into one delta. */
  wholeArguments: boolean
  /** The client gets this turn alone and in the dialect of its request: a reader of that dialect may open a lane (`opaque` events). */
  mayOpenLane?: boolean | undefined
  /** Checks the calls of the turn. Absent: they are not checked. */
  calls?: CallCheck | undefined
  /** The model is being asked again for a call: it is not asked a third time. */
  isSecondTry?: boolean | undefined
  /** Session backends report the state of their run before the first event. `why` is for the log: why no other run was used. */
  onSession?(state: SessionState, why?: string): void
  /** Present if the turn is taped. */
  tap?: TurnTap | undefined
  /** Present if the turn is taped: what is recalled of earlier turns passes through it. */
  recall?: Recall | undefined
  /** In a replay: the recorded session id. */
  sessionId?: (() => string) | undefined
  /** The headers of the upstream's answer, and the form of its dialect. Before the first event, or with a refusal. */
  onAnswerHeaders?(form: ServiceError['form'], headers: AnswerHeaders): void
  /** A tool call in the model's text was malformed. */
  onRepair?(kind: TextRepair): void
  /** Trace context for the service, where it is configured to get one. */
  traceHeaders?: Record<string, string> | undefined
  /** The turn's way through the accounts of a backend that has several. */
  accounts?: TurnAccounts | undefined
}

/** The call was repaired, the model was asked for it again, or it was shown as text. */
export type TextRepair = 'mended' | 'asked-again' | 'unreadable'

/** The run waited for this request, was resumed, or is new. */
export type SessionState = 'live' | 'resumed' | 'fresh'

/** The outcome for a tool result that was delivered ahead of the request that will carry it. */
export interface Delivery {
  callId: string
  /** `different`: another result was accepted for this call before, and is kept. */
  state: 'accepted' | 'duplicate' | 'different' | 'unknown'
  /** For people: the state of the call, or of its session. */
  why?: string
}

export interface ListedSession {
  id: string
  caller: Caller
  model: string
  state: 'answering' | 'waiting'
  /** Start of this state, in milliseconds since 1970. */
  since: number
}

/** The runs of a backend that outlive their answers, keyed by the session id in their call ids. */
export interface SessionHost {
  /** This process has the session, in any state. */
  has(sessionId: string): boolean
  /** Another instance has the session, as far as known. Absent if there are no other instances. */
  isElsewhere?(sessionId: string): Promise<boolean>
  /**
   * Continues the session that waits for this request's results; undefined if there is none. If the session is lost before the
   * commit point, it throws `SessionLost`: the request can be answered by a new run, anywhere.
   */
  resume(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> | undefined
  deliver(results: readonly ToolResult[], caller: Caller): Promise<Delivery[]>
  /** Live output of a call that this process runs, for services that follow commands while they run. */
  onOutput?(callId: string, stream: 'stdout' | 'stderr', text: string): void
  /** Drops the session here: the conversation continues elsewhere. */
  drop(sessionId: string): void
  /** Drops all waiting sessions. Sessions that are answering may finish, but are not kept afterwards. */
  dropWaiting(): void
  counts(): { answering: number; waiting: number; waitingBytes: number }
  list?(): ListedSession[]
  /** The backend's name of the model of a session; undefined if this process does not have it. */
  modelOf?(sessionId: string): string | undefined
  /** Calls the listener for each session that leaves this process. */
  onGone(listener: (sessionId: string) => void): void
}

/** The session was lost before the commit point of its answer. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

/**
 * A second request with results that another request is being answered for. Mostly the client gave up the first and sends it again, and
 * can be answered a little later. The gateway itself does not try again: the client may have left.
 */
export const alreadyAnswered = () =>
  new GatewayError(
    'conflict',
    'The results of these tool calls were already received, and another request is being answered with them.',
    { retryAfterMs: 1_000 },
  )

export interface Finding {
  status: 'ok' | 'warning'
  message: string
}

/** What a service does with the tools of a request. */
export interface ToolFacts {
  /** The most tools that it takes. */
  limit?: number | undefined
  /** The same, as the service has said in a refusal. */
  learnedLimit?: number | undefined
  /** It searches the deferred tools of this request itself. */
  searches?: boolean
  /** It runs the web search and fetch of this request itself. */
  runsWebTools?: boolean
}

export interface Backend {
  readonly kind: string
  /** Dialects of doors that the service speaks, by their names in `TurnRequest.origin`: it gets opaque parts of these only. */
  readonly dialects?: readonly string[]
  /** Absent: the service takes any number of tools and searches none. `request.model` is the backend's own name. */
  toolFacts?(request: TurnRequest): ToolFacts
  /** The available models, requested from the service. */
  models(signal: AbortSignal): Promise<Model[]>
  /**
   * One turn: one batch of events per upstream read. A failure is thrown, or is the last event as `turn-error`. The caller
   * guarantees exactly one terminal event.
   */
  run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]>
  /** The number of input tokens by the service's own count; undefined if the service does not say. */
  countTokens?(request: TurnRequest, context: TurnContext): Promise<number | undefined>
  /** Present in session backends. */
  readonly sessions?: SessionHost
  /** Its accounts, of which there is one at least. */
  readonly pool?: Accounts
  /** Findings for `doctor` beside the models, requested from the service, without secrets. */
  describe?(signal: AbortSignal): Promise<Finding[]>
  close(): Promise<void>
}
