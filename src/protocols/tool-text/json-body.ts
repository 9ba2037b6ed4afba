// The JSON of a call: found by its brackets, never by a closing tag, which an argument may well hold. Looks at each
// character once, as long as the model writes JSON.

import { parseJson } from '../../base/json.ts'
import { TextBuffer } from '../../base/text-buffer.ts'
import { readLenientJson } from './lenient-json.ts'
import type { Call } from './pieces.ts'

const newline = 0x0a
const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const less = 0x3c

export type BodyEnd =
  /** `rest` was taken, but does not belong to it. */
  { calls: Call[]; rest: string } | { malformed: string }

/** The most times that a text is read before its end is certain, beside those that double its length. */
const freeTries = 8

export class JsonBody {
  readonly #text = new TextBuffer()
  readonly #closings: readonly string[]
  readonly #read: (text: string) => Call[] | undefined
  #depth = 0
  #inString = false
  #escaped = false
  /** Something is wrong with its brackets or quotes: only a closing tag can say where it ends. */
  #broken = false
  /** Only white space since a line end, in what should have been one line. */
  #lineStart = false
  /** A closing tag as far as it has come. */
  #tag = ''
  #tries = 0
  #triedAt = 0
  #end: BodyEnd | undefined

  /** `read` gives the calls that a text holds, repaired if need be; undefined: it holds none. */
  constructor(closings: readonly string[], read: (text: string) => Call[] | undefined) {
    this.#closings = closings
    this.#read = read
  }

  /** Where the value ended, or -1: all was taken, and it goes on. */
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

  /** The stream is over. */
  finish(): BodyEnd {
    this.#text.append(this.#tag)
    this.#tag = ''
    const text = this.#text.toString()
    const json = readLenientJson(text)
    const calls = json && json.complete !== 'cut' ? this.#read(text.slice(0, json.end)) : undefined
    return json && calls ? { calls, rest: text.slice(json.end) } : { malformed: text }
  }

  /** Up to the end of the value, or to a `<` that may begin a closing tag; -1: neither is there. */
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

  /** The brackets match: if it cannot be read all the same, a quote was not escaped, and the end is elsewhere. */
  #isWhole(): boolean {
    if (this.#depth > 0 || this.#inString || this.#broken) return false
    const text = this.#text.toString()
    const calls = this.#read(text)
    if (calls) this.#end = { calls, rest: '' }
    // Good JSON that is no call is not going to be one.
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
        // The last character may begin a tag itself, or end a string: it is looked at again.
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
    // Outside of a string there is no tag in JSON: this one is the end, if the quotes are to be believed.
    const isCertain = !this.#inString && !this.#broken
    // Each try reads all there is: after some, the distance between them doubles, so that the whole stays linear.
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
