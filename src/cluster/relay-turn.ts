// Relays a turn to the instance that holds its session.

import { nativeSignal } from '../base/signal.ts'
import type { TurnContext } from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import { isCommitPoint, isTerminal, type TurnEvent } from '../core/events.ts'
import type { TurnRequest } from '../core/request.ts'
import type { Log } from '../observe/log.ts'
import { PeerGone, type RelayClient } from './relay-client.ts'
import { slimRequest } from './relay-messages.ts'

/** The outcome of a relayed turn, for metrics. */
export type RelayOutcome = 'answered' | 'lost' | 'unreachable' | 'broken' | 'failed' | 'canceled'

interface RelayTurnOptions {
  /** The backend's name. */
  name: string
  request: TurnRequest
  context: TurnContext
  relay: RelayClient
  log: Log
  onRelayed(outcome: RelayOutcome): void
}

/** `lost`: answer the turn here. `kept`: answer it here too, but the session stays there for another request. */
export async function* relayTurn(
  owner: { value: string; url: string },
  { name, request, context, relay, log, onRelayed }: RelayTurnOptions,
): AsyncGenerator<TurnEvent[], 'answered' | 'kept' | 'lost'> {
  const { turnId, caller, wholeArguments, signal, notes } = context
  const sent = { backend: name, owner: owner.value, request: slimRequest(request) }
  const message = { ...sent, turnId, caller, wholeArguments }
  const earlier = notes.all.length
  // Until the commit point, another answer can replace this one.
  let held: TurnEvent[][] | undefined = []
  // The outcome if the consumer stops reading.
  let outcome: RelayOutcome = 'canceled'
  try {
    for await (const line of relay.turn(owner.url, message, nativeSignal(signal))) {
      if ('session' in line) context.onSession?.(line.session)
      else if ('notes' in line) for (const note of line.notes) notes.add(note)
      else if ('error' in line) throw line.error
      else if ('lost' in line) throw new PeerGone(line.lost, { answered: true })
      else if (held && !line.events.some(isCommitPoint)) held.push(line.events)
      else {
        const before: TurnEvent[][] = held ?? []
        held = undefined
        for (const batch of before) yield batch
        const last = line.events.some(isTerminal)
        if (last) outcome = 'answered'
        yield line.events
        if (last) return 'answered'
      }
    }
    throw new PeerGone('the answer of the instance ended before its turn')
  } catch (error) {
    if (!(error instanceof PeerGone)) {
      if (!signal.aborted) outcome = 'failed'
      throw error
    }
    log.info('another instance could not answer for its session', {
      ...{ turn: turnId, url: owner.url, error: error.message },
      ...(error.cause instanceof Error ? { cause: innermost(error.cause).message } : {}),
    })
    outcome = !held ? 'broken' : error.answered ? 'lost' : 'unreachable'
    if (!held) throw wentAway(error)
    notes.rewind(earlier)
    return error.kept ? 'kept' : 'lost'
  } finally {
    onRelayed(outcome)
  }
}

/** The cause without the advice that a backend adds. */
const innermost = (error: Error): Error => (error.cause instanceof Error ? innermost(error.cause) : error)

const wentAway = (cause: unknown) =>
  new GatewayError(
    'upstream-unavailable',
    'The instance that had this session went away in the middle of its answer; send the request again.',
    { cause },
  )
