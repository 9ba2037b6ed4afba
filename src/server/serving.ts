// What serving a turn needs: the parts of the gateway, and the state of one turn.

import type { Latch } from '../base/latch.ts'
import type { Signal } from '../base/signal.ts'
import type { RetryBudgets, RetryPolicy } from '../core/attempts.ts'
import type { Breakers } from '../core/breaker.ts'
import type { Caller } from '../core/caller.ts'
import type { Notes } from '../core/notes.ts'
import type { Sink } from '../core/sink.ts'
import type { TurnTap } from '../core/tap.ts'
import type { TurnBudget } from '../core/turn-budget.ts'
import type { ClientTraits } from '../doors/clients.ts'
import type { Door, DoorRequest, StreamFacts } from '../doors/door.ts'
import type { AnswerHead } from '../http/answer-head.ts'
import type { BodyLimits } from '../http/json-body.ts'
import type { LocalExecutor } from '../local-tools/executor.ts'
import type { Observing, TurnObserver } from '../observe/turn-observer.ts'
import type { TurnTape } from '../tapes/tape-source.ts'
import type { TurnTaping } from '../tapes/turn-taping.ts'
import type { CallChecks } from './call-checks.ts'
import type { Catalog } from './catalog.ts'
import type { SilentWaits } from './silent-waits.ts'
import type { ToolDeferral } from './tool-deferral.ts'

export interface TurnServices extends Observing {
  catalog: Catalog
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
  local?: LocalExecutor | undefined
  /** Deferred tools for services without a search of their own. */
  deferral?: ToolDeferral | undefined
  /** Checks the calls of the models. */
  callChecks?: CallChecks | undefined
  /** Undefined if no turn is taped. */
  taping?: TurnTaping | undefined
  /** Replay only: recorded ids and clock. */
  replayInputs?: ReplayInputs | undefined
}

export interface ReplayInputs {
  turnId(): string
  /** Milliseconds since 1970. */
  now(): number
  /** When the answer was complete, likewise. */
  completedAt(): number
  sessionId(): string
}

/** One turn while it is served. */
export interface Serving {
  readonly services: TurnServices
  readonly caller: Caller
  readonly clientName: string | undefined
  readonly door: Door
  readonly request: DoorRequest
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
}
