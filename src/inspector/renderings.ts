// Renders tapes as text for the page. Masking a large tape takes long: one is rendered at a time, other requests are served in
// between, and requests for the same text share it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Sink } from '../core/sink.ts'
import type { Exchange } from '../http/exchange.ts'

/** Requests that come together are accepted one after the other: the last one should find the text of the first. */
const sharedMs = 2_000

export class Renderings {
  #last: Promise<unknown> = Promise.resolve()
  readonly #shared = new Map<string, Promise<string>>()
  /** Forgets the newest finished text; older ones are forgotten already. */
  #forget: () => void = () => undefined

  /** `key`: requests with the same key share a rendering that is in progress or was finished just now. */
  render(key: string | undefined, make: () => string | Promise<string>): Promise<string> {
    const known = key === undefined ? undefined : this.#shared.get(key)
    if (known) return known
    const text = this.#last.then(() => nextTurn()).then(make)
    this.#last = text.catch(() => undefined)
    if (key !== undefined) {
      this.#shared.set(key, text)
      text.then(
        () => this.#keep(key),
        () => this.#shared.delete(key),
      )
    }
    return text
  }

  #keep(key: string): void {
    this.#forget()
    const timer = setTimeout(() => this.#forget(), sharedMs).unref()
    this.#forget = () => {
      clearTimeout(timer)
      this.#shared.delete(key)
      this.#forget = () => undefined
    }
  }
}

const pieceCharacters = 16 * 1024

/** Writes in pieces at the reader's pace: a text that many clients receive is not copied for each. */
export async function writeSlowly(sink: Sink, text: string, { ends = true } = {}): Promise<void> {
  for (let at = 0; at < text.length && !sink.gone; ) {
    const end = endOfPiece(text, at)
    sink.write(text.slice(at, end))
    at = end
    if (sink.isBehind) await sink.drained()
    // The kernel may take megabytes at once, and the sink then drains without a turn of the event loop: other requests have theirs.
    await nextTurn()
  }
  if (ends) sink.end()
}

/** Never splits a surrogate pair: each piece is encoded by itself. */
function endOfPiece(text: string, from: number): number {
  const end = Math.min(from + pieceCharacters, text.length)
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last < 0xdc00 && end < text.length ? end + 1 : end
}

export async function respondSlowly(exchange: Exchange, type: string, text: string): Promise<void> {
  const { sink } = exchange
  if (sink.gone) return
  sink.start(200, {
    ...exchange.head.headers,
    'content-type': type,
    'content-length': String(Buffer.byteLength(text)),
  })
  await writeSlowly(sink, text)
}
