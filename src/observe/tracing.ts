// What is told of a turn to whoever traces it. Where nobody does there is no tracer, and a turn costs nothing more.

import type { Caller } from '../core/caller.ts'
import type { GatewayError } from '../core/errors.ts'
import type { TurnEvent, Usage } from '../core/events.ts'
import type { ToolResult, TurnRequest } from '../core/request.ts'

export interface TraceBeginning {
  turnId: string
  caller: Caller
  client: string | undefined
  door: string
  /** As the client named it. */
  model: string
  request: TurnRequest
  header(name: string): string | undefined
}

export interface TraceEnd {
  /** As in the log: how the model ended it, an error's code, or `canceled`. */
  outcome: string
  error: GatewayError | undefined
  usage: Usage
  /** By the clock of `performance`. */
  firstOutputAt: number | undefined
  calls: number
  session: string | undefined
  notes: readonly string[]
}

/** A tool that the gateway itself has run. */
export interface ToolRun {
  callId: string
  name: string
  /** By the clock of `performance`. */
  startedAt: number
  isError: boolean
}

export interface TurnTrace {
  /** The upstream is asked, once more or elsewhere; gives the headers that go with it. */
  attempt(target: { backendName: string; model: string }): Record<string, string> | undefined
  /** The last attempt came to nothing. */
  failed(error: GatewayError, next: string): void
  /** A model was not asked, for it has failed too often. */
  skipped(address: { backend: string; model: string }): void
  /** The upstream says what the model is called that answers. */
  answering(model: string): void
  called(callId: string, name: string): void
  ran(run: ToolRun): void
  /** Sees the answer itself, where that is wanted. */
  readonly see: ((events: readonly TurnEvent[]) => void) | undefined
  finish(end: TraceEnd): void
}

export interface Tracer {
  /** Undefined where nothing is to be told of this turn. */
  begin(turn: TraceBeginning): TurnTrace | undefined
  /** Results came ahead of their request. */
  arrived(results: readonly ToolResult[], caller: Caller): void
  /** What is not sent yet has a moment to get out. */
  close(): Promise<void>
}
