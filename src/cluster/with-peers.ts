// Extends a session backend for several instances: a follow-up is relayed to the instance that holds its session. If that instance
// is gone before the commit point, the turn is answered here by a new run.

import { withOverrides } from '../base/with-overrides.ts'
import {
  alreadyAnswered,
  type Backend,
  type SessionHost,
  SessionLost,
  type TurnContext,
} from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import type { TurnRequest } from '../core/request.ts'
import { sessionOfResults } from '../core/session-id.ts'
import type { Log } from '../observe/log.ts'
import { announced } from './announce-session.ts'
import { deliverAround, deliverToOwn } from './deliver-results.ts'
import type { SessionDirectory } from './directory.ts'
import type { RelayClient } from './relay-client.ts'
import type { RelayedTurn } from './relay-messages.ts'
import { type RelayOutcome, relayTurn } from './relay-turn.ts'
import { Reruns } from './reruns.ts'

export type SessionBackend = Backend & { readonly sessions: SessionHost }

export interface PeerOptions {
  /** The backend's name, the same on all instances. */
  name: string
  directory: SessionDirectory
  relay: RelayClient
  /** Shared by the backends of an instance. */
  reruns?: Reruns
  log: Log
  onRelayed(outcome: RelayOutcome): void
  onTakeover(): void
}

export type PeerAnswer = AsyncIterable<TurnEvent[]> | 'gone' | 'kept'

export interface PeerBackend extends Backend {
  readonly sessions: SessionHost
  /** Answers a turn that another instance relayed. `kept`: the session is here, but for another request. */
  answerPeer(relayed: RelayedTurn, context: TurnContext): Promise<PeerAnswer>
  /** Delivers results that another instance relayed; they are not relayed again. */
  takeFromPeer: SessionHost['deliver']
}

/**
 * The owner and instances that took over in the meantime. Beyond this limit the same request must have been sent to all of them.
 */
const maxOwners = 3

export function withPeers(inner: SessionBackend, options: PeerOptions): PeerBackend {
  const { name, directory, relay } = options
  const { sessions } = inner
  const shared = { name, directory, relay, sessions }
  const deliverHere = deliverToOwn(shared)
  const { reruns = new Reruns() } = options
  const peers = { ...options, reruns }
  sessions.onGone((sessionId) => directory.release(sessionId))

  async function* run(request: TurnRequest, context: TurnContext): AsyncGenerator<TurnEvent[]> {
    const sessionId = sessionOfResults(request.messages)
    if (sessionId === undefined) return yield* announced(inner.run(request, context), shared)
    if (sessions.has(sessionId)) {
      if (!(await directory.holds(sessionId))) sessions.drop(sessionId)
      if (yield* answeredHere(request, context, { sessionId, ...shared })) return
      // The session waits for another request.
      if (sessions.has(sessionId)) return yield* announced(inner.run(request, context), shared)
    }
    reruns.refuseTwin(sessionId, context)
    try {
      if (yield* answeredElsewhere(sessionId, request, context, peers)) return
      yield* announced(inner.run(request, context), shared)
    } finally {
      reruns.end(sessionId, context)
    }
  }

  async function answerPeer({ owner, request }: RelayedTurn, context: TurnContext): Promise<PeerAnswer> {
    const sessionId = sessionOfResults(request.messages)
    if (sessionId === undefined) return 'gone'
    if (directory.isOwn(owner)) reruns.refuseTwin(sessionId, context)
    if (directory.valueOf(sessionId) !== owner || !sessions.has(sessionId)) return 'gone'
    // This process may have been suspended since the request arrived: another instance may answer by now.
    if (!(await directory.holds(sessionId))) sessions.drop(sessionId)
    if (context.signal.aborted) throw GatewayError.ofAbort(context.signal)
    const batches = sessions.resume(request, context)
    if (batches) return announced(batches, shared)
    return sessions.has(sessionId) ? 'kept' : 'gone'
  }

  return withOverrides(inner, {
    run,
    answerPeer,
    takeFromPeer: deliverHere,
    sessions: withOverrides(sessions, {
      isElsewhere: async (sessionId: string) => {
        const owner = await directory.find(sessionId)
        return owner !== 'here' && owner?.url !== undefined
      },
      deliver: deliverAround(shared, deliverHere),
    }),
    async close() {
      sessions.dropWaiting()
      await inner.close()
    },
  })
}

interface OwnSession {
  sessionId: string
  sessions: SessionHost
  directory: SessionDirectory
}

/** False if the session is not here any more: the others must be able to find the new run. */
async function* answeredHere(
  request: TurnRequest,
  context: TurnContext,
  { sessionId, sessions, directory }: OwnSession,
): AsyncGenerator<TurnEvent[], boolean> {
  try {
    const batches = sessions.resume(request, context)
    if (!batches) return false
    yield* announced(batches, { sessions, directory })
    return true
  } catch (error) {
    if (!(error instanceof SessionLost)) throw error
    sessions.drop(sessionId)
    return false
  }
}

interface Peers extends PeerOptions {
  reruns: Reruns
}

/** False if the turn must be answered here. */
async function* answeredElsewhere(
  sessionId: string,
  request: TurnRequest,
  context: TurnContext,
  peers: Peers,
): AsyncGenerator<TurnEvent[], boolean> {
  const { directory, reruns, log } = peers
  let owner = await directory.find(sessionId)
  for (let owners = 0; owners < maxOwners; owners++) {
    if (owner !== 'here' && owner?.url !== undefined) {
      const outcome = yield* relayTurn({ ...owner, url: owner.url }, { request, context, ...peers })
      if (outcome === 'answered') return true
      if (outcome === 'kept') return false
    }
    // Registered first: an instance that finds this one in Redis must be refused by it.
    reruns.begin(sessionId, context)
    const next = await directory.takeOver(sessionId, owner)
    if (next === 'taken') {
      // Not a takeover: the session existed nowhere, or an earlier turn took it over.
      if (owner === undefined || owner === 'here') return false
      peers.onTakeover()
      log.info('a session was taken over', { turn: context.turnId, session: sessionId, from: owner.value })
      return false
    }
    // Unregister before relaying, or two instances could refuse each other.
    reruns.end(sessionId, context)
    owner = next
  }
  throw alreadyAnswered()
}
