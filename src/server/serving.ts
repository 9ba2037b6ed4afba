// What serving a turn needs: the parts of the gateway, and the state of one turn.

import type { Latch } from '../base/latch.ts'
import type { Signal } from '../base/signal.ts'
import type { RecordedAttempts, RetryBudgets, RetryPolicy } from '../core/attempts.ts'
import type { Breakers } from '../core/breaker.ts'
import type { Caller } from '../core/caller.ts'
import type { KeepAlive } from '../core/keep-alive.ts'
import type { Notes } from '../core/notes.ts'
import type { Recall } from '../core/recall.ts'
import type { Sink } from '../core/sink.ts'
import type { TurnTap } from '../core/tap.ts'
import type { TurnBudget } from '../core/turn-budget.ts'
import type { ClientTraits } from '../doors/clients.ts'
import type { Door, DoorRequest, StreamFacts } from '../doors/door.ts'
import type { AnswerHead } from '../http/answer-head.ts'
import type { Exchange } from '../http/exchange.ts'
import type { BodyLimits } from '../http/json-body.ts'
import type { LocalTools } from '../local-tools/tools.ts'
import type { Observing, TurnObserver } from '../observe/turn-observer.ts'
import type { TurnTape } from '../tapes/tape-source.ts'
import type { TurnTaping } from '../tapes/turn-taping.ts'
import type { WebRunner } from '../web/web-runner.ts'
import type { CallChecks } from './call-checks.ts'
import type { Catalog, Target } from './catalog.ts'
import type { ImageDescriptions } from './image-descriptions.ts'
import type { RouteHolds } from './route-holds.ts'
import type { SilentWaits } from './silent-waits.ts'
import type { ToolDeferral } from './tool-deferral.ts'

export interface TurnServices extends Observing {
  catalog: Catalog
  /** Runs that began before the configuration changed. */
  earlierRuns?: EarlierRuns | undefined
  budgets: RetryBudgets
  breakers: Breakers
  retryPolicy?: RetryPolicy
  keepAliveMs?: number
  bodyLimits: BodyLimits
  /** Memory limit of one turn. */
  turnBytes?: number | undefined
  /** How this client needs its answers. */
  clientTraits(client: string | undefined): ClientTraits & Pick<StreamFacts, 'toolArguments'>
  /** Sessions of clients that retry in silence. */
  silentWaits: SilentWaits
  /** Trips when running turns are cut off. */
  stopping: Latch
  /** The gateway's own tools, if enabled. */
  local?: LocalTools | undefined
  /** Deferred tools for services without a search of their own. */
  deferral?: ToolDeferral | undefined
  /** Checks the calls of the models. */
  callChecks?: CallChecks | undefined
  /** Describes images for models without sight. */
  imageDescriptions?: ImageDescriptions | undefined
  /** Web search and fetch for models whose service has none. */
  web?: WebRunner | undefined
  /** Which model each open tool loop of an alias stays with. */
  routeHolds?: RouteHolds | undefined
  /** Undefined if no turn is taped. */
  taping?: TurnTaping | undefined
  /** Replay only: recorded ids and clock. */
  replayInputs?: ReplayInputs | undefined
}

export interface EarlierRuns {
  /** Where the run of this session goes on, if `model` is what the client called it by. Undefined if the configuration in force has it. */
  find(sessionId: string, model: string): Target | undefined
  /** The same for a session of another instance, whose backend this configuration does not have any more. */
  findElsewhere(sessionId: string, model: string): Promise<Target | undefined>
}

export interface ReplayInputs {
  turnId(): string
  /** Milliseconds since 1970. */
  now(): number
  /** When the answer was complete, likewise. */
  completedAt(): number
  sessionId(): string
  /** The keep-alives of the tape, in place of the clock's. */
  keepAlive(send: () => void): KeepAlive
  attempts: RecordedAttempts
  /** What the turn recalled of earlier ones. */
  recall: Recall
}

/** One turn while it is served. */
export interface Serving {
  readonly services: TurnServices
  readonly caller: Caller
  readonly clientName: string | undefined
  readonly door: Door
  readonly request: DoorRequest
  /** A header of the request, by its name in lower case. */
  readonly header: Exchange['header']
  readonly notes: Notes
  readonly budget: TurnBudget
  readonly turnId: string
  readonly observer: TurnObserver
  readonly sink: Sink
  /** The sink without the tape. */
  readonly untapped: Sink
  readonly signal: Signal
  readonly head: AnswerHead
  readonly client: ReturnType<TurnServices['clientTraits']>
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly tape: TurnTape | undefined
  readonly tap: TurnTap | undefined
  readonly recall: Recall | undefined
}
