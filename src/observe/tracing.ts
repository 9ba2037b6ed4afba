// The tracer interface: what a turn reports to it. Without a tracer, a turn pays nothing for tracing.

import type { Caller } from '../core/caller.ts'
import type { GatewayError } from '../core/errors.ts'
import type { TurnEvent, Usage } from '../core/events.ts'
import type { ToolResult, TurnRequest } from '../core/request.ts'

export interface TraceBeginning {
  turnId: string
  caller: Caller
  client: string | undefined
  door: string
  /** The model of the request. */
  model: string
  request: TurnRequest
  header(name: string): string | undefined
}

export interface TraceEnd {
  /** As in the log: the finish reason, an error code, or `canceled`. */
  outcome: string
  error: GatewayError | undefined
  usage: Usage
  /** On the clock of `performance`. */
  firstOutputAt: number | undefined
  calls: number
  session: string | undefined
  notes: readonly string[]
}

/** A run of one of the gateway's local tools. */
export interface ToolRun {
  callId: string
  name: string
  /** On the clock of `performance`. */
  startedAt: number
  isError: boolean
}

export interface TurnTrace {
  /** An attempt begins, on the first or another target. Returns the headers to send upstream. */
  attempt(target: { backendName: string; model: string }): Record<string, string> | undefined
  /** The last attempt failed. */
  failed(error: GatewayError, next: string): void
  /** A model was skipped because its breaker is open. */
  skipped(address: { backend: string; model: string }): void
  /** The upstream names the model that answers. */
  answering(model: string): void
  called(callId: string, name: string): void
  ran(run: ToolRun): void
  /** Receives the answer's events, if content is traced. */
  readonly see: ((events: readonly TurnEvent[]) => void) | undefined
  finish(end: TraceEnd): void
}

export interface Tracer {
  /** Undefined if this turn is not traced. */
  begin(turn: TraceBeginning): TurnTrace | undefined
  /** Results arrived ahead of their request. */
  arrived(results: readonly ToolResult[], caller: Caller): void
  /** Unsent spans get a moment to be delivered. */
  close(): Promise<void>
}
