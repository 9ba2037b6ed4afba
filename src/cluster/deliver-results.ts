// Delivers tool results that arrive ahead of their request, each to the instance that holds its session.

import type { Delivery, SessionHost } from '../core/backend.ts'
import type { ToolResult } from '../core/request.ts'
import { sessionOf } from '../core/session-id.ts'
import type { SessionDirectory } from './directory.ts'
import { PeerGone, type RelayClient } from './relay-client.ts'
import { slimResult } from './relay-messages.ts'

interface DeliveryPlaces {
  /** The backend's name. */
  name: string
  directory: SessionDirectory
  relay: RelayClient
  sessions: SessionHost
}

type Deliver = SessionHost['deliver']

/** One delivery per result, in order. */
export const deliverAround =
  ({ name, directory, relay, sessions }: DeliveryPlaces, deliverHere: Deliver): Deliver =>
  async (results, caller) => {
    const bySession = new Map<string, ToolResult[]>()
    for (const result of results) {
      const sessionId = sessionOf(result.callId) ?? ''
      bySession.set(sessionId, [...(bySession.get(sessionId) ?? []), result])
    }
    // One message per session, even if two go to the same instance: sessions are few.
    const deliveries = [...bySession].map(async ([sessionId, group]): Promise<Delivery[]> => {
      const isHere = sessionId === '' || sessions.has(sessionId)
      const owner = isHere ? 'here' : await directory.find(sessionId)
      // For a session that exists nowhere, this instance may know the reason.
      if (owner === undefined || owner === 'here' || owner.url === undefined)
        return deliverHere(group, caller)
      const message = { backend: name, owner: owner.value, results: group.map(slimResult), caller }
      return relay.results(owner.url, message).catch((error: unknown) => {
        if (!(error instanceof PeerGone)) throw error
        return unknown(group, 'the instance that has the session of this call cannot be asked')
      })
    })
    return inOrder(results, (await Promise.all(deliveries)).flat())
  }

/**
 * A run that was taken over receives nothing more. The other sessions are registered again: a result extends the wait of its
 * session, so the record must live longer too.
 */
export const deliverToOwn =
  ({ directory, sessions }: DeliveryPlaces): Deliver =>
  async (results, caller) => {
    const own = new Set(results.map(({ callId }) => sessionOf(callId) ?? ''))
    const checks = [...own].map(async (sessionId) => {
      if (sessions.has(sessionId) && !(await directory.holds(sessionId))) sessions.drop(sessionId)
    })
    await Promise.all(checks)
    return sessions.deliver(results, caller)
  }

const unknown = (results: readonly ToolResult[], why: string): Delivery[] =>
  results.map(({ callId }) => ({ callId, state: 'unknown', why }))

/** The same call may have several results. */
function inOrder(results: readonly ToolResult[], deliveries: readonly Delivery[]): Delivery[] {
  const left = [...deliveries]
  return results.map(({ callId }) => {
    const at = left.findIndex((delivery) => delivery.callId === callId)
    return left.splice(at, at < 0 ? 0 : 1)[0] ?? { callId, state: 'unknown' }
  })
}
