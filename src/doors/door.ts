// What a door is: one client dialect. It reads a body into a TurnRequest and says how events, answers and errors look.

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
  /** What is known of the client, beside its request. */
  client: ClientTraits
}

export interface StreamFacts extends AnswerFacts {
  toolArguments: 'whole' | 'streamed'
  lateNotes(): string[]
  /** What the writer may keep; without it, as much as any turn may keep. */
  budget?: TurnBudget
}

/** A writer may know the fast path for text. */
export interface EventWriter extends Partial<TextDeltaWriter> {
  push(events: readonly TurnEvent[]): string
}

export interface DoorRequest {
  /** The model as the client named it; answers carry this name. */
  model: string
  turn: TurnRequest
  /** What events look like on the wire. */
  writer(facts: StreamFacts): EventWriter
  /** A whole answer, or its text. */
  answer(turn: CollectedTurn, facts: AnswerFacts): Record<string, unknown> | string
}

/** A header of the request, by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined

export interface Door {
  name: string
  /** Keeps a silent stream open. */
  keepAlive: string
  /** The same for clients that give up in spite of it. */
  keepAliveFor?(client: ClientTraits): string | undefined
  /** Where reading needs what is not at hand. */
  prepare?(body: unknown): Promise<void>
  read(body: unknown, notes: Notes, header: ReadHeader): DoorRequest
  errorBody(error: GatewayError, turnId?: string): Record<string, unknown>
  /** Headers of every answer to a turn. */
  headers?(turnId: string): Record<string, string>
}
