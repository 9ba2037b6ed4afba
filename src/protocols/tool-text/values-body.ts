// The body of a call whose arguments are raw text between tags. Values are not escaped: the text after a closing tag decides
// whether the tag is one, and a call quoted inside a value belongs to the value.

import { TextBuffer } from '../../base/text-buffer.ts'
import { ObjectScanner } from '../requests/tool-input.ts'
import type { ValueDialect } from './families.ts'
import { separateValues } from './separate-values.ts'

export interface RawValue {
  key: string
  text: string
  isString?: boolean
}

export type ValuesEnd =
  /** `rest` was consumed, but does not belong to the body. */
  | { state: 'complete'; values: RawValue[]; json: string; rest: string }
  /** The text after the opening is no call: the markup is only mentioned. */
  | { state: 'prose' }
  | { state: 'unclosed' }

interface ValuesOptions {
  dialect: ValueDialect
  /** Tags that may follow the call's own closing tag. */
  closings: readonly string[]
  /** Tags that begin another call. */
  openings: readonly string[]
  /** The tool has an argument of that name. */
  knows(key: string): boolean
  /** Accepts the first possible closing tag: for the second reading of a call that did not end. */
  lenient?: boolean
}

type State = 'outside' | 'json' | 'head' | 'value' | 'after-value' | 'after-call'

/** The most white space between two tags. */
const longestGap = 256
/** After more closing tags the model repeats itself, and the call is over. */
const mostClosings = 4
const longestHead = 512

const isSpace = (code: number) => code <= 0x20
const lineEnd = /\r?\n/

export class ValuesBody {
  readonly #options: ValuesOptions
  readonly #tags: Record<'outside' | 'value', readonly string[]>
  #state: State = 'outside'
  readonly #values: RawValue[] = []
  readonly #json = new TextBuffer()
  readonly #scanner = new ObjectScanner()
  #head = ''
  #open: Omit<RawValue, 'text'> = { key: '' }
  #value = new TextBuffer()
  /** Open calls quoted in the value. */
  #nested = 0
  /** The beginning of a tag, or the text after a tag while it decides about that tag. */
  #look = ''
  #end: ValuesEnd | undefined

  constructor(options: ValuesOptions) {
    this.#options = options
    const { valueOpen, valueClose, callOpen, callClose } = options.dialect
    this.#tags = {
      outside: [...new Set([valueOpen, callClose, ...options.closings, ...options.openings])],
      value: [valueClose, callOpen, callClose],
    }
  }

  get result(): ValuesEnd | undefined {
    return this.#end
  }

  get #begun(): boolean {
    return this.#values.length > 0 || this.#json.length > 0
  }

  /** The position where the call ended; -1: all was consumed, and the call goes on. */
  feed(text: string, from: number): number {
    let at = from
    while (at < text.length && !this.#end) at = this.#step(text, at)
    return this.#end ? at : -1
  }

  /** Reads what is there at the end of the text. */
  finish(): ValuesEnd {
    if (this.#end) return this.#end
    switch (this.#state) {
      case 'after-value':
      case 'after-call':
        if (this.#beginsValue()) return { state: 'unclosed' }
        this.#commit()
        return this.#complete('')
      case 'outside':
        return this.#begun && !this.#beginsValue() ? this.#complete('') : { state: 'unclosed' }
      default:
        return { state: 'unclosed' }
    }
  }

  /** The text ends inside a tag that begins another value. */
  #beginsValue(): boolean {
    const look = this.#look.trimStart()
    return look !== '' && this.#options.dialect.valueOpen.startsWith(look)
  }

  #step(text: string, at: number): number {
    switch (this.#state) {
      case 'outside':
        return this.#look === '' ? this.#outside(text, at) : this.#followTag(text, at, this.#tags.outside)
      case 'json':
        return this.#onJson(text, at)
      case 'head':
        return this.#onHead(text, at)
      case 'value':
        return this.#look === '' ? this.#inValue(text, at) : this.#followTag(text, at, this.#tags.value)
      case 'after-value':
      case 'after-call':
        this.#look += text[at]
        this.#judge()
        return at + 1
    }
  }

  #outside(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (isSpace(code)) return at + 1
    const first = text[at] as string
    if (first === '<') this.#look = '<'
    else if (!this.#begun && first === '{') this.#state = 'json'
    else if (!this.#begun) this.#end = { state: 'prose' }
    // Words between two values are ignored.
    return this.#state === 'json' ? at : at + 1
  }

  #onJson(text: string, at: number): number {
    const char = text[at] as string
    this.#json.append(char)
    this.#scanner.push(char)
    if (this.#scanner.complete) this.#state = 'outside'
    return at + 1
  }

  #onHead(text: string, at: number): number {
    const { headEnd, headEndsAtLine, readHead } = this.#options.dialect
    const char = text[at] as string
    this.#head += char
    const isEnd = this.#head.endsWith(headEnd)
    if (!isEnd && !(headEndsAtLine && char === '\n')) {
      if (this.#head.length > longestHead) this.#end = { state: 'unclosed' }
      return at + 1
    }
    const head = readHead(this.#head.slice(0, isEnd ? -headEnd.length : -1))
    if (!head) {
      this.#end = { state: 'unclosed' }
      return at + 1
    }
    this.#open = head
    this.#value = new TextBuffer()
    this.#nested = 0
    this.#state = 'value'
    return at + 1
  }

  #inValue(text: string, at: number): number {
    const stop = text.indexOf('<', at)
    this.#value.append(text.slice(at, stop < 0 ? text.length : stop))
    if (stop < 0) return text.length
    this.#look = '<'
    return stop + 1
  }

  #followTag(text: string, at: number, tags: readonly string[]): number {
    const longer = this.#look + text[at]
    if (tags.includes(longer)) {
      this.#look = ''
      if (this.#state === 'value') this.#onTagInValue(longer)
      else this.#onTagOutside(longer)
      return at + 1
    }
    if (tags.some((tag) => tag.startsWith(longer))) {
      this.#look = longer
      return at + 1
    }
    // No tag. The last character may begin one, and is scanned again.
    if (this.#state === 'value') this.#value.append(this.#look)
    else if (!this.#begun) this.#end = { state: 'prose' }
    this.#look = ''
    return at
  }

  #onTagOutside(tag: string): void {
    const { dialect, openings } = this.#options
    if (tag === dialect.valueOpen) {
      this.#head = ''
      this.#state = 'head'
    } else this.#end = this.#complete(openings.includes(tag) && tag !== dialect.callClose ? tag : '')
  }

  #onTagInValue(tag: string): void {
    const { dialect, lenient } = this.#options
    if (tag === dialect.callOpen) {
      if (!lenient) this.#nested++
      this.#value.append(tag)
    } else if (this.#nested > 0) {
      if (tag === dialect.callClose) this.#nested--
      this.#value.append(tag)
    } else this.#state = tag === dialect.valueClose ? 'after-value' : 'after-call'
  }

  /** Decides by the text after a tag whether it was one. */
  #judge(): void {
    const { dialect, closings, openings, lenient } = this.#options
    const isAfterValue = this.#state === 'after-value'
    let rest = this.#look.trimStart()
    let closed = 0
    if (!isAfterValue) {
      for (let found = closings.find((tag) => rest.startsWith(tag)); found !== undefined; ) {
        rest = rest.slice(found.length).trimStart()
        closed++
        found = closings.find((tag) => rest.startsWith(tag))
      }
    }
    const isOver = closed > (lenient ? 0 : mostClosings)
    const next = isAfterValue ? [dialect.valueOpen, dialect.callClose, ...closings] : openings
    if (isOver || next.some((tag) => rest.startsWith(tag))) this.#wasTag()
    else if (rest === '') {
      if (this.#look.length > longestGap) this.#wasContent()
    } else if (![...next, ...closings].some((tag) => tag.startsWith(rest))) this.#wasContent()
  }

  #wasTag(): void {
    const look = this.#look
    this.#look = ''
    const isAfterCall = this.#state === 'after-call'
    this.#commit()
    this.#state = 'outside'
    if (isAfterCall) this.#end = this.#complete(look)
    else this.#again(look)
  }

  #wasContent(): void {
    const { valueClose, callClose } = this.#options.dialect
    const look = this.#look
    this.#value.append(this.#state === 'after-value' ? valueClose : callClose)
    this.#look = ''
    this.#state = 'value'
    this.#again(look)
  }

  /** Processes the lookahead. */
  #again(look: string): void {
    let at = 0
    while (at < look.length && !this.#end) at = this.#step(look, at)
    if (this.#end?.state === 'complete') this.#end.rest += look.slice(at)
  }

  #commit(): void {
    this.#values.push({ ...this.#open, text: this.#value.toString() })
  }

  #complete(rest: string): ValuesEnd {
    const { dialect, knows } = this.#options
    const values = separateValues(this.#values, dialect, knows)
    if (dialect.trimsLineEnds) for (const value of values) value.text = trimLineEnds(value.text)
    return { state: 'complete', values, json: this.#json.toString(), rest }
  }
}

function trimLineEnds(text: string): string {
  const start = lineEnd.exec(text.slice(0, 2))?.index === 0 ? (text.startsWith('\r') ? 2 : 1) : 0
  const inner = text.slice(start)
  return inner.endsWith('\r\n') ? inner.slice(0, -2) : inner.endsWith('\n') ? inner.slice(0, -1) : inner
}
