// Renders tapes as text for the page. Masking a large tape takes long: one is rendered at a time, other requests are served in
// between, and requests for the same text share it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Sink } from '../core/sink.ts'

export class Renderings {
  #last: Promise<unknown> = Promise.resolve()
  readonly #shared = new Map<string, Promise<string>>()

  /** `key`: requests with the same key share a rendering that is in progress. */
  render(key: string | undefined, make: () => string | Promise<string>): Promise<string> {
    const known = key === undefined ? undefined : this.#shared.get(key)
    if (known) return known
    const text = this.#last.then(() => nextTurn()).then(make)
    this.#last = text.catch(() => undefined)
    if (key !== undefined) {
      this.#shared.set(key, text)
      const forget = () => void this.#shared.delete(key)
      text.then(forget, forget)
    }
    return text
  }
}

const pieceCharacters = 64 * 1024

/** Writes in pieces at the reader's pace: a text that many clients receive is not copied for each. */
export async function writeSlowly(sink: Sink, text: string): Promise<void> {
  for (let at = 0; at < text.length && !sink.gone; ) {
    const end = endOfPiece(text, at)
    sink.write(text.slice(at, end))
    at = end
    if (sink.isBehind) await sink.drained()
  }
  sink.end()
}

/** Never splits a surrogate pair: each piece is encoded by itself. */
function endOfPiece(text: string, from: number): number {
  const end = Math.min(from + pieceCharacters, text.length)
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last < 0xdc00 && end < text.length ? end + 1 : end
}
