// The pieces that a text turns out to be, on their way out. White space around calls is there for the markup, not to be
// shown; which it is shows only when more has come.

import type { Call, Piece } from './pieces.ts'

/** White space that is held back at most: a line end or two. */
const longestSpace = 2

export class PieceWriter {
  #pieces: Piece[] = []
  /** The white space that text has ended in, as far as it is held. */
  #space = ''
  /** A call has come behind it. */
  #spaceIsMarkup = false

  text(text: string): void {
    if (text === '') return
    // Text behind a call goes on where the text in front of it ended.
    const said = this.#space + text
    this.#spaceIsMarkup = false
    const end = Math.max(said.trimEnd().length, said.length - longestSpace)
    this.#space = said.slice(end)
    if (end > 0) this.#pieces.push({ type: 'text', text: said.slice(0, end) })
  }

  reasoning(text: string): void {
    this.#space = ''
    if (text !== '') this.#pieces.push({ type: 'reasoning', text })
  }

  calls(calls: readonly Call[]): void {
    for (const call of calls) this.#pieces.push(call)
    this.#spaceIsMarkup = true
  }

  malformed(source: string, problem: string): void {
    this.#pieces.push({ type: 'malformed', source, problem })
    this.#spaceIsMarkup = true
  }

  cut(): void {
    this.#pieces.push({ type: 'cut' })
    this.#spaceIsMarkup = true
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#space !== '' && !this.#spaceIsMarkup) this.#pieces.push({ type: 'text', text: this.#space })
    this.#space = ''
  }

  take(): Piece[] {
    const pieces = this.#pieces
    if (pieces.length > 0) this.#pieces = []
    return pieces
  }
}
