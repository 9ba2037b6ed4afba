// An answer that the service stored as a blob and never streamed. Such runs get no end of the turn either.

import { isObject, parseJson } from '../../base/json.ts'
import { textCost } from '../../core/turn-budget.ts'

/** The stored answer is given when nothing else has arrived for this long. */
const patienceMs = 30_000
const mostSearched = 1_000_000_000

export class StoredAnswer {
  /** Earlier answers and streamed text: a blob that repeats them is not new. */
  readonly #said: string[]
  /** Some text is not remembered: any blob may be a part of it. */
  #isUnsure = false
  #searched = 0
  #text = ''
  #dueAt = Number.POSITIVE_INFINITY

  constructor(said: readonly string[]) {
    this.#said = [...said]
  }

  /** About how much memory it uses, without the texts of the request. */
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

  /** The service controls how much is searched: beyond the limit no blob counts as new. */
  #wasSaid(text: string): boolean {
    for (const said of this.#said) {
      this.#searched += said.length
      if (said.includes(text)) return true
    }
    this.#isUnsure = this.#searched > mostSearched
    return this.#isUnsure
  }

  /** A message arrived: more may follow. */
  wait(now: number): void {
    if (this.#text !== '') this.#dueAt = now + patienceMs
  }

  forget(): void {
    this.bytes -= textCost(this.#text)
    this.#text = ''
    this.#dueAt = Number.POSITIVE_INFINITY
  }

  /** The streamed answer; undefined if it was too long to be remembered. */
  onSaid(text: string | undefined): void {
    if (text === undefined) this.#isUnsure = true
    else if (text !== '') {
      this.bytes += textCost(text)
      this.#said.push(text)
    }
  }
}

const openBrace = 0x7b

/** The text of an assistant message in a blob. Chat messages are stored as JSON, `{role, content}`. */
function assistantText(data: Uint8Array): string {
  if (data[0] !== openBrace) return ''
  const message = parseJson(Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8'))
  if (!isObject(message) || message.role !== 'assistant') return ''
  if (typeof message.content === 'string') return message.content
  if (!Array.isArray(message.content)) return ''
  return message.content
    .map((part) => (isObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : ''))
    .join('')
}
