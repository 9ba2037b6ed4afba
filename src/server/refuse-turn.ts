// A turn that is refused before any backend is asked: its body cannot be read, its door refuses it, or the gateway takes no requests.
// Such a turn is reported like any other: one line in the log, one count, a tape.

import { isObject } from '../base/json.ts'
import type { GatewayError } from '../core/errors.ts'
import type { Door } from '../doors/door.ts'
import { type BodySoFar, mostOfUnread } from '../http/json-body.ts'
import { addNotes } from './answer-notes.ts'
import { type BegunTurn, observeTurn } from './begin-turn.ts'
import { refuse } from './refuse.ts'

export const nothingRead: BodySoFar = { text: '', isWhole: false }

export function refuseTurn(begun: BegunTurn, error: GatewayError, body: BodySoFar): void {
  const { exchange, services, notes, door } = begun
  const { head, method, path, header } = exchange
  const kept = keptOf(body)
  const { sink, observer } = observeTurn(begun, { ...kept, ...askedOf(door, body.json), bytes: 0 })
  const failure = observer.failed(error)
  addNotes({ head, notes })
  observer.finish({ clientGone: sink.gone })
  refuse({ method, path, header, head, sink }, failure, services, { isLogged: true })
}

/** A body that is not JSON may be of any size. Its beginning is enough for the tape. */
function keptOf({ json, text, isWhole }: BodySoFar): { body: string; bodyCut: boolean } {
  if (json !== undefined || text.length <= mostOfUnread) return { body: text, bodyCut: !isWhole }
  // Copied: a slice would keep the whole text in memory.
  return { body: Buffer.from(text.slice(0, mostOfUnread)).toString(), bodyCut: true }
}

const longestModel = 200

/** Model and streaming, as far as the request names them. */
function askedOf({ named, streamsByDefault }: Door, json: unknown): { model: string; stream: boolean } {
  if (named) return named
  const { model, stream }: Readonly<Record<string, unknown>> = isObject(json) ? json : {}
  const isNamed = typeof model === 'string' && model !== ''
  return {
    model: isNamed ? model.slice(0, longestModel) : 'unknown',
    stream: typeof stream === 'boolean' ? stream : streamsByDefault === true,
  }
}
