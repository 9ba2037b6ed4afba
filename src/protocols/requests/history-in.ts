// The conversation of a request in any dialect: repaired, and checked to contain something to answer.

import { repairHistory } from '../../core/history.ts'
import type { Message } from '../../core/request.ts'
import { invalid } from './decode.ts'

/** `path` is the field of the conversation. */
export function readHistory(
  given: readonly Message[],
  path: string,
  changed: (note: string) => void,
): Message[] {
  const messages = repairHistory(given, changed)
  if (messages.every((message) => message.role === 'system'))
    throw invalid(path, 'needs at least one message that is not a system message')
  return messages
}
