// The JSON body of a call. Its brackets find its end, not a closing tag: an argument may contain one. Valid JSON is scanned
// once.

import { parseJson } from '../../base/json.ts'
import { readLenientJson } from '../../base/lenient-json/lenient-json.ts'
import { TextBuffer } from '../../base/text-buffer.ts'
import type { Call } from './pieces.ts'

const newline = 0x0a
const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const less = 0x3c

type BodyEnd =
  /** `rest` was consumed, but does not belong to the body. */
  { calls: Call[]; rest: string } | { malformed: string }

/** Attempts to read a text whose end is uncertain, before attempts wait until its length has doubled. */
const freeTries = 8

export class JsonBody {
  readonly #text = new TextBuffer()
  readonly #closings: readonly string[]
  readonly #read: (text: string) => Call[] | undefined
  #depth = 0
  #inString = false
  #escaped = false
  /** Brackets or quotes are wrong: only a closing tag can mark the end. */
  #broken = false
  /** Inside a string, only white space since a raw line end. */
  #lineStart = false
  /** The beginning of a closing tag. */
  #tag = ''
  #tries = 0
  #triedAt = 0
  #end: BodyEnd | undefined

  /** `read` returns the calls in a text, repaired if necessary; undefined: there are none. */
  constructor(closings: readonly string[], read: (text: string) => Call[] | undefined) {
    this.#closings = closings
    this.#read = read
  }

  /** The position where the value ended; -1: all was consumed, and the value goes on. */
  feed(text: string, from: number): number {
    let at = from
    while (at < text.length) {
      if (this.#tag !== '') {
        const next = this.#followTag(text, at)
        if (this.#end) return next
        at = next
        continue
      }
      const stop = this.#scan(text, at)
      if (stop < 0) {
        this.#text.append(text.slice(at))
        return -1
      }
      this.#text.append(text.slice(at, stop))
      at = stop
      if (this.#isWhole()) return at
      if (text.charCodeAt(at) === less && this.#mayClose()) {
        this.#tag = '<'
        at++
      } else if (at < text.length && text.charCodeAt(at) === less) {
        this.#text.append('<')
        this.#lineStart = false
        at++
      }
    }
    return -1
  }

  get result(): BodyEnd | undefined {
    return this.#end
  }

  /** Reads what is there at the end of the text. */
  finish(): BodyEnd {
    this.#text.append(this.#tag)
    this.#tag = ''
    const text = this.#text.toString()
    const json = readLenientJson(text)
    const calls = json && json.complete !== 'cut' ? this.#read(text.slice(0, json.end)) : undefined
    return json && calls ? { calls, rest: text.slice(json.end) } : { malformed: text }
  }

  /** The end of the value, or a `<` that may begin a closing tag; -1: neither is there. */
  #scan(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (code === backslash) this.#escaped = true
        else if (code === quote) this.#inString = false
        else if (code === newline) this.#lineStart = true
        else if (this.#lineStart && code > 0x20) {
          if (code === less) return at
          this.#lineStart = false
        } else if (this.#broken && code === less) return at
      } else if (code === quote) {
        this.#inString = true
        this.#lineStart = false
      } else if (code === openBrace || code === openBracket) this.#depth++
      else if ((code === closeBrace || code === closeBracket) && --this.#depth <= 0 && !this.#broken)
        return at + 1
      else if (code === less) return at
    }
    return -1
  }

  /** The brackets match. If the text still cannot be read, a quote was not escaped, and the end is elsewhere. */
  #isWhole(): boolean {
    if (this.#depth > 0 || this.#inString || this.#broken) return false
    const text = this.#text.toString()
    const calls = this.#read(text)
    if (calls) this.#end = { calls, rest: '' }
    // Valid JSON that is no call will not become one.
    else if (parseJson(text) !== undefined) this.#end = { malformed: text }
    else this.#broken = true
    return !this.#broken
  }

  #mayClose(): boolean {
    return !this.#inString || this.#lineStart || this.#broken
  }

  #followTag(text: string, from: number): number {
    let at = from
    while (at < text.length) {
      this.#tag += text[at]
      at++
      if (this.#closings.includes(this.#tag)) return this.#onClosing(at)
      if (!this.#closings.some((closing) => closing.startsWith(this.#tag))) {
        // The last character may begin a tag or end a string: it is scanned again.
        this.#text.append(this.#tag.slice(0, -1))
        this.#tag = ''
        this.#lineStart = false
        return at - 1
      }
    }
    return at
  }

  #onClosing(at: number): number {
    const tag = this.#tag
    this.#tag = ''
    // Outside a string, JSON has no tags: if the quotes are right, this one is the end.
    const isCertain = !this.#inString && !this.#broken
    // Each attempt reads the whole text. After the first ones the distance doubles, which keeps the total linear.
    if (isCertain || this.#tries < freeTries || this.#text.length >= 2 * this.#triedAt) {
      this.#tries++
      this.#triedAt = this.#text.length
      const text = this.#text.toString()
      const json = readLenientJson(text)
      const isWhole = json && json.complete !== 'cut' && text.slice(json.end).trim() === ''
      const calls = isWhole ? this.#read(text) : undefined
      if (calls || isCertain) {
        this.#end = calls ? { calls, rest: '' } : { malformed: text + tag }
        return at
      }
    }
    this.#text.append(tag)
    this.#lineStart = false
    return at
  }
}
