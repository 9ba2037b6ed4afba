// The beginning of a turn: its id, its client, the shape of its errors; then its tape and its observer. A request that is refused has
// both too.

import { randomId } from '../base/ids.ts'
import type { Caller } from '../core/caller.ts'
import { Notes } from '../core/notes.ts'
import type { Message } from '../core/request.ts'
import type { Sink } from '../core/sink.ts'
import { clientName } from '../doors/clients.ts'
import type { Door } from '../doors/door.ts'
import type { Exchange } from '../http/exchange.ts'
import type { TurnTrace } from '../observe/tracing.ts'
import { TurnObserver } from '../observe/turn-observer.ts'
import { recordHeader, recordingIsOff, type TurnTape } from '../tapes/tape-source.ts'
import { shapeOf } from './refuse.ts'
import type { TurnServices } from './serving.ts'

/** What is known of a turn before its body is read. */
export interface BegunTurn {
  readonly exchange: Exchange
  readonly door: Door
  readonly caller: Caller
  readonly services: TurnServices
  readonly turnId: string
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly client: string | undefined
  readonly traits: ReturnType<TurnServices['clientTraits']>
  readonly notes: Notes
}

export function beginTurn(exchange: Exchange, door: Door, caller: Caller, services: TurnServices): BegunTurn {
  const { head, header } = exchange
  const { replayInputs } = services
  const turnId = replayInputs?.turnId() ?? `turn_${randomId(16)}`
  const createdAt = seconds(replayInputs?.now() ?? Date.now())
  head.set('x-dragoman-turn', turnId)
  head.setAll(door.headers?.(turnId))
  const client = clientName(header('user-agent'))
  const traits = services.clientTraits(client)
  head.shapeErrors(shapeOf(door, turnId, traits))
  return { exchange, door, caller, services, turnId, createdAt, client, traits, notes: new Notes() }
}

interface ReadFacts {
  model: string
  stream: boolean
  body: string
  bodyCut?: boolean
  bytes: number
  trace?: TurnTrace | undefined
  /** None if the body could not be read. */
  messages?: readonly Message[]
}

interface ObservedTurn {
  tape: TurnTape | undefined
  /** Records what it passes on, if the turn has a tape. */
  sink: Sink
  observer: TurnObserver
}

/** Starts the tape of the turn, if it gets one, and what reports its end. */
export function observeTurn(begun: BegunTurn, read: ReadFacts): ObservedTurn {
  const { exchange, services, notes, turnId, createdAt, client, caller, door } = begun
  const { model, stream, body, bodyCut, bytes, trace, messages = [] } = read
  const { taping } = services
  const facts = { turnId, key: caller.key, client, door: door.name, model, stream }
  if (!taping && exchange.header(recordHeader) !== undefined) notes.add(recordingIsOff)
  const taped = taping?.begin(exchange, { createdAt, body, bodyCut: bodyCut === true, ...facts }, notes)
  const tape = taped?.tape
  const observer = new TurnObserver(
    { inputCharacters: bytes, notes, tape, trace, messages, clientSession: caller.session, ...facts },
    services,
  )
  return { tape, sink: taped?.sink ?? exchange.sink, observer }
}

export const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000)
