// Thinking that never ended. Calls in thoughts are none; but those that stand at the very end of a reply, with nothing behind
// them, were meant: the model only forgot to say that it had thought enough.

import type { Call, Piece } from './pieces.ts'

const maxCalls = 8

/** The calls that the text ends in. `marker` begins one; `read` says what a text holds. */
export function callsAtTheEnd(thought: string, marker: string, read: (text: string) => Piece[]): Call[] {
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
