// A session backend among several instances: a follow-up whose session another instance has is answered by that one,
// and goes on here, afresh, when that one is gone and nothing of its answer was shown.

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
import { announced } from './announced.ts'
import { deliverAround, deliverToOwn } from './deliver-around.ts'
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
  log: Log
  onRelayed(outcome: RelayOutcome): void
  onTakeover(): void
}

export type PeerAnswer = AsyncIterable<TurnEvent[]> | 'gone' | 'kept'

export interface PeerBackend extends Backend {
  readonly sessions: SessionHost
  /** A turn that came to another instance. `kept`: the session is here, but not for this request. */
  answerPeer(relayed: RelayedTurn, context: TurnContext): Promise<PeerAnswer>
  /** Results that came to another instance; they are sent no further. */
  takeFromPeer: SessionHost['deliver']
}

/** The owner, and whoever took over meanwhile: where so many did, this request was sent to all of them. */
const maxOwners = 3

export function withPeers(inner: SessionBackend, options: PeerOptions): PeerBackend {
  const { name, directory, relay, log } = options
  const { sessions } = inner
  const shared = { name, directory, relay, sessions }
  const deliverHere = deliverToOwn(shared)
  const reruns = new Reruns()
  sessions.onGone((sessionId) => directory.release(sessionId))

  async function* run(request: TurnRequest, context: TurnContext): AsyncGenerator<TurnEvent[]> {
    const sessionId = sessionOfResults(request.messages)
    if (sessionId === undefined) return yield* announced(inner.run(request, context), shared)
    if (sessions.has(sessionId)) {
      if (!(await directory.holds(sessionId))) sessions.drop(sessionId)
      if (yield* answeredHere(request, context, { sessionId, ...shared })) return
      // It is for another request, and waits for that one.
      if (sessions.has(sessionId)) return yield* announced(inner.run(request, context), shared)
    }
    reruns.refuseTwin(sessionId, context)
    try {
      if (yield* answeredElsewhere(sessionId, request, context)) return
      yield* announced(inner.run(request, context), shared)
    } finally {
      reruns.end(sessionId, context)
    }
  }

  /** False when the turn is to be answered here. */
  async function* answeredElsewhere(
    sessionId: string,
    request: TurnRequest,
    context: TurnContext,
  ): AsyncGenerator<TurnEvent[], boolean> {
    let owner = await directory.find(sessionId)
    for (let owners = 0; owners < maxOwners; owners++) {
      if (owner !== 'here' && owner?.url !== undefined) {
        const outcome = yield* relayTurn({ ...owner, url: owner.url }, { request, context, ...options })
        if (outcome === 'answered') return true
        if (outcome === 'kept') return false
      }
      // Known before it is true: whoever finds this instance in Redis must be refused by it.
      reruns.begin(sessionId, context)
      const next = await directory.takeOver(sessionId, owner)
      if (next === 'taken') {
        // Not from another: it was nowhere, or was taken over before, by a turn that is through.
        if (owner === undefined || owner === 'here') return false
        options.onTakeover()
        log.info('a session was taken over', { turn: context.turnId, session: sessionId, from: owner.value })
        return false
      }
      // The other one must not be refused while it is asked: that would be each by the other.
      reruns.end(sessionId, context)
      owner = next
    }
    throw alreadyAnswered()
  }

  async function answerPeer({ owner, request }: RelayedTurn, context: TurnContext): Promise<PeerAnswer> {
    const sessionId = sessionOfResults(request.messages)
    if (sessionId === undefined) return 'gone'
    if (directory.isOwn(owner)) reruns.refuseTwin(sessionId, context)
    if (directory.valueOf(sessionId) !== owner || !sessions.has(sessionId)) return 'gone'
    // This process may have stood still since it was asked: by now another one may answer.
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

/** False when the session is not here (any more): whoever begins afresh then must be known to the others. */
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
