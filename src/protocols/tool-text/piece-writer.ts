// The output of the parser. White space around calls is markup and is not shown; trailing white space is held back until it is
// clear what follows.

import type { Call, Piece } from './pieces.ts'

/** The most white space that is held back: a line end or two. */
const longestSpace = 2

export class PieceWriter {
  #pieces: Piece[] = []
  /** White space at the end of the text so far. */
  #space = ''
  /** A call follows it. */
  #spaceIsMarkup = false

  text(text: string): void {
    if (text === '') return
    // Text after a call continues the text before it.
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
