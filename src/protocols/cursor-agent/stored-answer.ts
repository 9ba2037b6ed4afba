// An answer that the service stored as a blob and never streamed: some runs end like that, or rather never end.

import { textCost } from '../../core/turn-budget.ts'
import { assistantText } from './blob-text.ts'

/** It is given when nothing else has come for this long. */
const patienceMs = 30_000
const mostSearched = 1_000_000_000

export class StoredAnswer {
  /** What was said before, or has been streamed: no news when it is met again. */
  readonly #said: string[]
  /** Something was said that nobody remembers: whatever is stored may be a part of it. */
  #isUnsure = false
  #searched = 0
  #text = ''
  #dueAt = Number.POSITIVE_INFINITY

  constructor(said: readonly string[]) {
    this.#said = [...said]
  }

  /** About what it keeps in memory, beside what the request said. */
  bytes = 0

  get text(): string {
    return this.#text
  }

  get dueAt(): number {
    return this.#dueAt
  }

  look(blob: Uint8Array, now: number): void {
    if (this.#isUnsure) return
    const text = assistantText(blob)
    if (text.trim() === '' || this.#wasSaid(text.trim())) return
    this.bytes += textCost(text) - textCost(this.#text)
    this.#text = text
    this.#dueAt = now + patienceMs
  }

  /** A service decides how often it is looked, and in how much: beyond the bound nothing that is stored counts as news. */
  #wasSaid(text: string): boolean {
    for (const said of this.#said) {
      this.#searched += said.length
      if (said.includes(text)) return true
    }
    this.#isUnsure = this.#searched > mostSearched
    return this.#isUnsure
  }

  /** Something came: there may be more. */
  wait(now: number): void {
    if (this.#text !== '') this.#dueAt = now + patienceMs
  }

  forget(): void {
    this.bytes -= textCost(this.#text)
    this.#text = ''
    this.#dueAt = Number.POSITIVE_INFINITY
  }

  /** The answer as it was streamed; undefined where it was too long to be remembered. */
  onSaid(text: string | undefined): void {
    if (text === undefined) this.#isUnsure = true
    else if (text !== '') {
      this.bytes += textCost(text)
      this.#said.push(text)
    }
  }
}
