// "What did I say first?": shows whether a conversation is remembered.

import { stripContext } from '../model/request-text.ts'
import type { Message } from '../model.ts'

const QUESTION = /\bwhat (?:did I|have I) (?:say|said|ask|asked)(?: you)?(?: for)? (first|before|last)\b/i

/** Undefined for any other question. The last message is the question itself. */
export function recall(question: string, talk: readonly Message[]): string | undefined {
  const which = QUESTION.exec(question)?.[1]?.toLowerCase()
  if (which === undefined) return undefined
  const said = talk.filter(({ role }) => role === 'user').map(({ text }) => stripContext(text))
  const earlier = said.filter((text) => text !== '').slice(0, -1)
  const wanted = which === 'first' ? earlier[0] : earlier.at(-1)
  if (wanted === undefined) return 'You have said nothing before.'
  return `You said ${which === 'first' ? 'first' : 'before'}: ${wanted}`
}
