// The beginning of a command's output for the user at the client: whole lines, indented, without terminal control sequences.

import { shorten } from './shorten.ts'

const longest = 2_000
const longestLine = 300

export class ShownOutput {
  readonly #say: (text: string) => void
  #line = ''
  #shown = 0

  constructor(say: (text: string) => void) {
    this.#say = say
  }

  push(text: string): void {
    if (this.#shown > longest) return
    const lines = `${this.#line}${text}`.split('\n')
    this.#line = (lines.pop() ?? '').slice(0, longestLine + 1)
    for (const line of lines) this.#show(line)
  }

  end(): void {
    if (this.#line !== '') this.#show(this.#line)
    this.#line = ''
  }

  #show(line: string): void {
    if (this.#shown > longest) return
    const plain = line
      .replace(escapeSequences, '')
      .replace(/\p{Cc}+/gu, ' ')
      .trimEnd()
    const short = shorten(plain, longestLine)
    this.#shown += short.length + 1
    this.#say(this.#shown > longest ? '  …\n' : `  ${short}\n`)
  }
}

/** Colours, cursor movements, titles. */
const escapeSequences = /\p{Cc}(?:\[[0-?]*[ -/]*[@-~]|\][^\p{Cc}]*)/gu
