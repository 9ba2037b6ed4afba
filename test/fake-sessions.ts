// A session backend without an upstream: what it answers is a function, its sessions are a map.

import { randomId } from '../src/base/ids.ts'
import {
  type Backend,
  type Delivery,
  type SessionHost,
  SessionLost,
  type SessionState,
  type TurnContext,
} from '../src/core/backend.ts'
import { type Caller, isSameCaller } from '../src/core/caller.ts'
import { GatewayError } from '../src/core/errors.ts'
import type { TurnEvent } from '../src/core/events.ts'
import type { TurnRequest } from '../src/core/request.ts'
import { callIdOf, sessionOf, sessionOfResults } from '../src/core/session-id.ts'

export interface FakeAnswer {
  state: SessionState
  sessionId: string
  request: TurnRequest
  context: TurnContext
}

interface FakeSession {
  caller: Caller
  waiting: boolean
}

export interface FakeBackend extends Backend {
  readonly sessions: SessionHost
  /** What each turn answers; calls of `sessionId` park it. */
  answer: (turn: FakeAnswer) => AsyncIterable<TurnEvent[]>
  /** Every turn that was begun here. */
  turns: FakeAnswer[]
  delivered: string[]
}

export const callsTool = (sessionId: string, text = 'let me look'): TurnEvent[][] => [
  [{ type: 'turn-start', id: 'upstream', model: 'm' }],
  [
    { type: 'text-start', block: 0 },
    { type: 'text-delta', block: 0, delta: text },
    { type: 'text-end', block: 0 },
  ],
  [
    { type: 'tool-call-start', block: 1, callId: callIdOf(sessionId, 0), name: 'read' },
    { type: 'tool-call-delta', block: 1, delta: '{"path":"ä\\u2028😀"}' },
    {
      ...{ type: 'tool-call-end', block: 1, callId: callIdOf(sessionId, 0), name: 'read' },
      input: '{"path":"ä\\u2028😀"}',
    },
    { type: 'turn-end', reason: 'tool-calls', usage: { inputTokens: 3, outputTokens: 2 } },
  ],
]

export const says = (text: string): TurnEvent[][] => [
  [
    { type: 'turn-start', id: 'upstream', model: 'm' },
    { type: 'text-start', block: 0 },
  ],
  ...[...text].map((delta): TurnEvent[] => [{ type: 'text-delta', block: 0, delta }]),
  [
    { type: 'text-end', block: 0 },
    { type: 'turn-end', reason: 'stop' },
  ],
]

export async function* give(batches: readonly TurnEvent[][]): AsyncGenerator<TurnEvent[]> {
  yield* batches
}

const conflict = () => new GatewayError('conflict', 'is being answered to another request')

export function createFakeBackend(): FakeBackend {
  const sessions = new Map<string, FakeSession>()
  const listeners: ((sessionId: string) => void)[] = []
  const forget = (sessionId: string) => {
    if (sessions.delete(sessionId)) for (const listener of listeners) listener(sessionId)
  }

  async function* answered(turn: FakeAnswer): AsyncGenerator<TurnEvent[]> {
    const { sessionId, context } = turn
    sessions.set(sessionId, { caller: context.caller, waiting: false })
    context.onSession?.(turn.state)
    backend.turns.push(turn)
    let parked = false
    try {
      for await (const batch of backend.answer(turn)) {
        if (context.signal.aborted) throw GatewayError.ofAbort(context.signal)
        parked ||= batch.some((event) => event.type === 'turn-end' && event.reason === 'tool-calls')
        const session = sessions.get(sessionId)
        if (parked && session) session.waiting = true
        yield batch
      }
    } finally {
      if (!parked) forget(sessionId)
    }
  }

  const host: SessionHost = {
    has: (sessionId) => sessions.has(sessionId),
    resume(request, context) {
      const sessionId = sessionOfResults(request.messages) ?? ''
      const session = sessions.get(sessionId)
      if (!session || !isSameCaller(session.caller, context.caller)) return undefined
      if (!session.waiting) throw conflict()
      session.waiting = false
      return answered({ state: 'live', sessionId, request, context })
    },
    async deliver(results, caller) {
      return results.map(({ callId }): Delivery => {
        const session = sessions.get(sessionOf(callId) ?? '')
        if (!session || !isSameCaller(session.caller, caller)) return { callId, state: 'unknown' }
        const again = backend.delivered.includes(callId)
        backend.delivered.push(callId)
        return { callId, state: again ? 'duplicate' : 'accepted' }
      })
    },
    drop: forget,
    dropWaiting() {
      for (const [sessionId, { waiting }] of sessions) if (waiting) forget(sessionId)
    },
    counts: () => ({ answering: 0, waiting: sessions.size, waitingBytes: 0 }),
    onGone: (listener) => void listeners.push(listener),
  }

  const backend: FakeBackend = {
    kind: 'fake',
    sessions: host,
    turns: [],
    delivered: [],
    answer: ({ state, sessionId }) => give(state === 'live' ? says('done') : callsTool(sessionId)),
    models: async () => [],
    async *run(request, context) {
      try {
        const live = host.resume(request, context)
        if (live) return yield* live
      } catch (error) {
        if (!(error instanceof SessionLost)) throw error
      }
      yield* answered({ state: 'fresh', sessionId: randomId(12), request, context })
    },
    close: async () => host.dropWaiting(),
  }
  return backend
}

export const lost = () => new SessionLost('the upstream has forgotten it')
