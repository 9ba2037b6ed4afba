// Tool call ids of session backends: `sess_<12>__call_<short>`. The session id in them leads a result to the run that waits for it.

import type { Message } from './request.ts'

export const sessionIdLength = 12

const pattern = new RegExp(`^sess_([A-Za-z0-9]{${sessionIdLength}})__call_`)

export const callIdOf = (sessionId: string, call: number) => `sess_${sessionId}__call_${call.toString(36)}`

export const sessionOf = (callId: string): string | undefined => pattern.exec(callId)?.[1]

/** The session of the last tool results in a conversation, if all of them belong to the same one. */
export function sessionOfResults(messages: readonly Message[]): string | undefined {
  const last = messages.findLast(({ role }) => role === 'tool' || role === 'assistant')
  if (last?.role !== 'tool') return undefined
  const sessions = new Set(last.results.map(({ callId }) => sessionOf(callId)))
  const [sessionId] = sessions
  return sessions.size === 1 ? sessionId : undefined
}
