// A door: one client dialect. It reads a request body into a TurnRequest, and writes events, answers and errors.

import type { CollectedTurn } from '../core/collect.ts'
import type { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import type { TextDeltaWriter } from '../core/fast-path.ts'
import type { Notes } from '../core/notes.ts'
import type { TurnRequest } from '../core/request.ts'
import type { TurnBudget } from '../core/turn-budget.ts'
import type { ClientTraits } from './clients.ts'

export interface AnswerFacts {
  /** Random part of the ids of this answer. */
  id: string
  createdAt: number
  /** The current time, in seconds since 1970. */
  now(): number
  /** The traits of the client. */
  client: ClientTraits
  /** Adds a note about the answer. */
  note(text: string): void
}

export interface StreamFacts extends AnswerFacts {
  toolArguments: 'whole' | 'streamed'
  lateNotes(): string[]
  /** Memory limit of the writer; without it, the default of a turn. */
  budget?: TurnBudget
}

/** A writer may know the fast path for text. */
export interface EventWriter extends Partial<TextDeltaWriter> {
  push(events: readonly TurnEvent[]): string
  /** Text that must precede a keep-alive; empty if already written. It has its own write: tapes recognise keep-alives by their writes. */
  opening?(): string
  /** An event that keeps a silent stream open, in place of the door's `keepAlive`. It depends on the answer so far. */
  keepAlive?(): string
  /** Text that follows the last text and must reach the client in a separate read; undefined if there is none. */
  parting?(): string | undefined
}

export interface DoorRequest {
  /** The model as the client named it; answers carry this name. */
  model: string
  /** The model to ask instead, if no backend has this name. */
  standIn?: string
  turn: TurnRequest
  /** The content type of the answer's stream, if that is not an event stream. */
  streamType?: string
  /** Writes events as the dialect's stream. */
  writer(facts: StreamFacts): EventWriter
  /** The answer to a request without streaming, or its text. */
  answer(turn: CollectedTurn, facts: AnswerFacts): Record<string, unknown> | string
}

/** A header of the request, by its name in lower case. */
type ReadHeader = (name: string) => string | undefined

export interface Door {
  name: string
  /** Model and streaming as the path names them; undefined if the body names them. */
  named?: { readonly model: string; readonly stream: boolean }
  /** A request that does not say whether it wants a stream gets one. */
  streamsByDefault?: true
  /** Written to keep a silent stream open, unless the writer has an event for it. docs/wire-cases.md (T16) lists the forms. */
  keepAlive: string
  /** Loads the data that `read` needs and that is not in memory. */
  prepare?(body: unknown): Promise<void>
  read(body: unknown, notes: Notes, header: ReadHeader): DoorRequest
  errorBody(error: GatewayError, turnId?: string): Record<string, unknown>
  /** The HTTP status of an error: the service's own if it speaks this dialect. */
  errorStatus(error: GatewayError): number
  /** Headers of every answer to a turn. */
  headers?(turnId: string): Record<string, string>
}
