// Delays the end of a turn with tool calls until every instance can find its session: the client's next request may reach any of
// them.

import type { SessionHost } from '../core/backend.ts'
import type { TurnEvent } from '../core/events.ts'
import { sessionOf } from '../core/session-id.ts'
import type { SessionDirectory } from './directory.ts'

const endsInCalls = (event: TurnEvent) => event.type === 'turn-end' && event.reason === 'tool-calls'

export async function* announced(
  batches: AsyncIterable<TurnEvent[]>,
  { directory, sessions }: { directory: SessionDirectory; sessions: SessionHost },
): AsyncGenerator<TurnEvent[]> {
  const called = new Set<string>()
  const announce = async (sessionId: string) => {
    if (sessions.has(sessionId)) await directory.claim(sessionId)
    // The session may have ended already: no further event would release it.
    if (!sessions.has(sessionId)) directory.release(sessionId)
  }
  for await (const batch of batches) {
    for (const event of batch) {
      const sessionId = event.type === 'tool-call-end' ? sessionOf(event.callId) : undefined
      if (sessionId !== undefined) called.add(sessionId)
    }
    if (called.size > 0 && batch.some(endsInCalls)) await Promise.all([...called].map(announce))
    yield batch
  }
}
