// Tool results that are handed in ahead of their request, each to the instance that has its session.

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

/** One answer for each result, in their order. */
export const deliverAround =
  ({ name, directory, relay, sessions }: DeliveryPlaces, deliverHere: Deliver): Deliver =>
  async (results, caller) => {
    const bySession = new Map<string, ToolResult[]>()
    for (const result of results) {
      const sessionId = sessionOf(result.callId) ?? ''
      bySession.set(sessionId, [...(bySession.get(sessionId) ?? []), result])
    }
    // Few sessions at a time: one message for each, though two may go to the same instance.
    const deliveries = [...bySession].map(async ([sessionId, group]): Promise<Delivery[]> => {
      const isHere = sessionId === '' || sessions.has(sessionId)
      const owner = isHere ? 'here' : await directory.find(sessionId)
      // Of a session that is nowhere, this place may know what became of it.
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
 * A run that another instance has taken the place of gets nothing more. Of the others it is written again that they are
 * here: a result keeps its session waiting for longer, so it must be found for longer.
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

/** The same call may have been answered more than once. */
function inOrder(results: readonly ToolResult[], deliveries: readonly Delivery[]): Delivery[] {
  const left = [...deliveries]
  return results.map(({ callId }) => {
    const at = left.findIndex((delivery) => delivery.callId === callId)
    return left.splice(at, at < 0 ? 0 : 1)[0] ?? { callId, state: 'unknown' }
  })
}
