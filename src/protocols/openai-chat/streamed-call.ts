// One tool call while its pieces arrive.

import type { Fields } from '../../base/json.ts'
import { TextBuffer } from '../../base/text-buffer.ts'
import { ObjectScanner } from '../requests/tool-input.ts'
import type { SortedCall } from './call-sorter.ts'

export class StreamedCall implements SortedCall {
  readonly index: number | undefined
  givenId = ''
  /** The id that clients see. */
  shownId = ''
  name = ''
  state: 'waiting' | 'open' | 'ended' = 'waiting'
  /** The client has received some of the text. */
  passed = false
  #text = new TextBuffer()
  /** Text that the scanner has not seen yet. The scanner runs on demand and sees each piece once. */
  #unscanned = new TextBuffer()
  readonly #scanner = new ObjectScanner()
  /** Opaque data that the server wants back. */
  extra: Fields | undefined

  constructor(index: number | undefined) {
    this.index = index
  }

  get text(): string {
    return this.#text.toString()
  }

  get length(): number {
    return this.#text.length
  }

  append(text: string): void {
    this.#text.append(text)
    this.#unscanned.append(text)
  }

  /** Servers have been seen to send `{}` before the real arguments. True if there was one. */
  dropEmptyStart(): boolean {
    const text = this.text.replace(/^\s*\{\}\s*(?=\{)/, '')
    if (text.length === this.length) return false
    this.#text = new TextBuffer()
    this.#text.append(text)
    return true
  }

  isWhole(orEmpty: boolean): boolean {
    if (this.#unscanned.length > 0) {
      this.#scanner.push(this.#unscanned.toString())
      this.#unscanned = new TextBuffer()
    }
    return this.#scanner.complete && (orEmpty || this.length > 16 || this.text.trim() !== '{}')
  }
}
