// Thinking tags in text, and calls at the end of a thought that was never closed.

import type { Call, Piece } from './pieces.ts'
import { wordAt } from './word-at.ts'

const thinkOpenings = ['<think>', '<thinking>']
export const thinkClosings = ['</think>', '</thinking>']
const maxCalls = 8

/** The thinking tag at `at`. In the middle of a sentence, a tag followed by a space or a punctuation mark is a mention. */
export function thinkTagAt(text: string, at: number, isAfterWord: boolean): string | 'more' | undefined {
  const tag = wordAt(text, at, thinkOpenings)
  if (tag === undefined || tag === 'more' || !isAfterWord) return tag
  const next = text[at + tag.length]
  if (next === undefined) return 'more'
  return /[\n\r\p{L}]/u.test(next) ? tag : undefined
}

/**
 * The calls at the very end of a thought. Other calls in a thought are not made; these are, because the model only forgot to
 * close its thought. `marker` begins a call; `read` parses a text.
 */
export function callsAtEnd(thought: string, marker: string, read: (text: string) => Piece[]): Call[] {
  let found: Call[] = []
  let at = thought.lastIndexOf(marker)
  while (at >= 0 && found.length < maxCalls) {
    const pieces = read(thought.slice(at))
    const calls = pieces.filter((piece) => piece.type === 'call')
    if (calls.length === 0 || calls.length < pieces.length) break
    found = calls
    at = at === 0 ? -1 : thought.lastIndexOf(marker, at - 1)
  }
  return found
}
