// A model's text, as it comes → text, reasoning and tool calls. One pass: prose goes out at once, except for the few
// characters that could begin a call; a call goes out when it is complete. The result is the same however the text was cut.

import { TextBuffer } from '../../base/text-buffer.ts'
import type { Tool } from '../../core/request.ts'
import { bareCalls } from './bare-calls.ts'
import { BareJson, judgeStart } from './bare-json.ts'
import { beginCall, type FoundOpening, openingAt } from './begin-call.ts'
import { type CallBody, type CallEnd, openBody } from './call-body.ts'
import { type Families, familiesOf } from './families.ts'
import { looseTagAt } from './loose-tag.ts'
import type { Markup } from './markup.ts'
import { callsAtTheEnd } from './open-thought.ts'
import { PieceWriter } from './piece-writer.ts'
import type { Call, Piece } from './pieces.ts'
import { TextContext } from './text-context.ts'
import { Toolbox } from './toolbox.ts'
import { skipSpace, wordAt } from './word-at.ts'

export interface ToolTextOptions {
  markup: Markup
  tools: readonly Tool[]
  /** JSON without a tag counts at the end of a reply. */
  salvage: boolean
  /** This very text stands in what the model was shown: it only repeats it. */
  isEcho?(text: string): boolean
}

/** A call that has begun. */
interface OpenCall {
  /** What was written in front of its body. */
  head: string
  name: string | undefined
  atLineStart: boolean
}

type State =
  | { in: 'text' }
  | { in: 'thinking'; text: TextBuffer }
  /** In a result that the model repeats or makes up: what looks like a call there is none. */
  | { in: 'result'; closing: string }
  | { in: 'call'; call: OpenCall; body: CallBody }
  /** Behind a call: what closes it is skipped. `open`: another one may follow in the same tag. */
  | { in: 'behind'; open: OpenCall | undefined }
  | { in: 'bare'; json: BareJson; raw: TextBuffer }
  | { in: 'stopped' }

const thinkOpenings = ['<think>', '<thinking>']
const thinkClosings = ['</think>', '</thinking>']
const longestJudged = 1_024
/** How often what a broken call has swallowed is looked through again. */
const maxRecoveries = 8
const anotherJson = /^[,;]?\s*(?=\{\s*["'}]|\[\s*\{)/
const mayBeJson = /^[,;]?\s*(?:[{[]\s*)?$/

export class ToolTextParser {
  readonly #options: ToolTextOptions
  readonly #families: Families
  readonly #tools: Toolbox
  #state: State = { in: 'text' }
  #context = new TextContext()
  readonly #out = new PieceWriter()
  /** What has come and cannot be judged yet. */
  #held = ''
  /** How many characters came before the ones at hand. */
  #base = 0
  /** Up to here no JSON without a tag is looked for: it was, and was none. */
  #judgedTo = 0
  #recoveries = 0
  calls = 0
  /** Calls were meant, readable or not: results that follow are made up. */
  #expectsResults = false

  constructor(options: ToolTextOptions) {
    this.#options = options
    this.#families = familiesOf(options.markup)
    this.#tools = new Toolbox(options.tools)
  }

  /** The model has begun to make up what comes after its calls: the rest is of no use. */
  get stopped(): boolean {
    return this.#state.in === 'stopped'
  }

  push(text: string): Piece[] {
    this.#consume(text)
    return this.#out.take()
  }

  /** The text is over; `cut`: the service broke it off. */
  end(cut: boolean): Piece[] {
    this.#finish(cut)
    return this.#out.take()
  }

  #consume(text: string): void {
    let input = this.#held === '' ? text : this.#held + text
    this.#held = ''
    let at = 0
    while (at < input.length && this.#state.in !== 'stopped') {
      const before = this.#state
      const next = this.#step(input, at)
      if (typeof next === 'object') {
        // Taken in an earlier piece, and to be looked at again.
        this.#base += next.at - next.again.length
        input = next.again + input.slice(next.at)
        at = 0
      } else if (next === at && this.#state === before) {
        this.#held = input.slice(at)
        break
      } else at = next
    }
    this.#base += at
  }

  /** Deals with some of the text from `at` on, and says where it stopped: at `at` itself if more is needed. */
  #step(input: string, at: number): number | { again: string; at: number } {
    const state = this.#state
    switch (state.in) {
      case 'text':
        return this.#onText(input, at)
      case 'thinking':
        return this.#onThinking(input, at, state.text)
      case 'result':
        return this.#onResult(input, at, state.closing)
      case 'call':
        return this.#onCall(input, at, state)
      case 'behind':
        return this.#behind(input, at, state)
      case 'bare':
        return this.#onBare(input, at, state)
      case 'stopped':
        return input.length
    }
  }

  #onText(input: string, from: number): number {
    const context = this.#context
    for (let at = from; at < input.length; at++) {
      const code = input.charCodeAt(at)
      const isTag = code === 0x3c || code === 0x5b
      const isBareStart =
        context.lineStart && (code === 0x7b || code === 0x5b || code === 0x60 || code === 0x7e)
      const mayBeResult = code === 0x4f && this.#expectsResults
      if ((isTag || isBareStart || mayBeResult) && !context.isExampleAt(code)) {
        const next = this.#atMark(input, at)
        if (next === 'more' || this.#state.in !== 'text') {
          this.#out.text(input.slice(from, at))
          return next === 'more' ? at : (next ?? at)
        }
      }
      context.on(code)
    }
    this.#out.text(input.slice(from))
    return input.length
  }

  /** Something may begin at `at`. Changes the state if so, and says where that goes on; `more`: it cannot be told yet. */
  #atMark(input: string, at: number): number | 'more' | undefined {
    const word = wordAt(input, at, thinkOpenings)
    if (word === 'more') return 'more'
    const isThought =
      word !== undefined && (!this.#context.isBehindWord || thoughtAt(input, at + word.length))
    if (isThought === 'more') return 'more'
    if (word && isThought) {
      this.#state = { in: 'thinking', text: new TextBuffer() }
      return at + word.length
    }
    const result = wordAt(input, at, this.#madeUp())
    if (result === 'more') return 'more'
    if (result) {
      const isOver = this.#expectsResults
      this.#state = isOver ? { in: 'stopped' } : { in: 'result', closing: result.replace('<', '</') }
      return isOver ? input.length : at
    }
    const opening = openingAt(input, at, this.#families)
    if (opening === 'more') return 'more'
    if (opening) return this.#begin(input, at, opening)
    return this.#beginBare(input, at)
  }

  /** What only the client may say. */
  #madeUp(): readonly string[] {
    return this.#context.lineStart && this.#expectsResults
      ? [...this.#families.resultOpenings, 'Observation:']
      : this.#families.resultOpenings
  }

  #begin(input: string, at: number, opening: FoundOpening): number | 'more' | undefined {
    const beginning = beginCall(opening, { text: input, ...this.#surroundings })
    if (beginning.state === 'more') return 'more'
    if (beginning.state === 'prose') return undefined
    const call: OpenCall = {
      head: input.slice(at, beginning.from),
      name: beginning.name,
      atLineStart: this.#context.lineStart,
    }
    this.#state = { in: 'call', call, body: openBody(beginning, this.#surroundings) }
    return beginning.from
  }

  get #surroundings() {
    return { families: this.#families, tools: this.#tools }
  }

  #onCall(
    input: string,
    at: number,
    { call, body }: Extract<State, { in: 'call' }>,
  ): number | { again: string; at: number } {
    const next = body.feed(input, at)
    const stop = next < 0 ? input.length : next
    const { end } = body
    if (end === undefined) return stop
    this.#onEnd(call, end)
    return end.rest.length <= stop ? stop - end.rest.length : { again: end.rest, at: stop }
  }

  #onEnd(call: OpenCall, end: CallEnd): void {
    if ('calls' in end) this.#called(end.calls, end.more ? call : undefined)
    else if ('prose' in end) this.#asText(call.head + end.prose)
    else this.#failed(call, end.malformed)
  }

  #called(calls: readonly Call[], open: OpenCall | undefined): void {
    this.#out.calls(calls)
    this.calls += calls.length
    this.#expectsResults = true
    this.#state = { in: 'behind', open }
  }

  /** It was meant as a call if it stands where calls stand, or names a tool; otherwise it is a way of speaking. */
  #failed(call: OpenCall, body: string): void {
    const source = call.head + body
    if (!call.atLineStart && !this.#tools.mentionedIn(source.slice(0, longestJudged))) {
      this.#asText(source)
      return
    }
    this.#out.malformed(source, problemOf(call, body))
    this.#expectsResults = true
    this.#state = { in: 'behind', open: undefined }
  }

  #asText(text: string): void {
    this.#state = { in: 'text' }
    this.#context.skip(text, 0, text.length)
    this.#out.text(text)
  }

  /** Closing tags, stray brackets, and further JSON in the same tag. */
  #behind(input: string, from: number, state: Extract<State, { in: 'behind' }>): number {
    const at = skipSpace(input, from)
    if (at >= input.length) return at
    const closing =
      wordAt(input, at, [...this.#families.closings, ...thinkClosings]) ??
      looseTagAt(input, at, this.#families.callTags, 'closing')
    if (closing === 'more') return at
    if (closing) {
      this.#state = { in: 'behind', open: undefined }
      return at + closing.length
    }
    const char = input[at] as string
    if (state.open) {
      const isFence = char === '`' && state.open.head.includes('```')
      if (char === '}' || char === ']' || isFence) return at + 1
      const ahead = input.slice(at, at + longestJudged)
      const json = anotherJson.exec(ahead)
      if (json) {
        const { open: call } = state
        const named = call.name === undefined ? {} : { name: call.name }
        const body = openBody({ state: 'json', from: at, ...named }, this.#surroundings)
        this.#state = { in: 'call', call, body }
        return at + json[0].length
      }
      if (ahead.length < longestJudged && mayBeJson.test(ahead)) return at
    }
    this.#state = { in: 'text' }
    this.#context = new TextContext()
    return at
  }

  #beginBare(input: string, at: number): number | 'more' | undefined {
    const { salvage } = this.#options
    const isJudged = this.#base + at < this.#judgedTo
    if (!salvage || this.calls > 0 || !this.#context.lineStart || isJudged) return undefined
    const candidate = judgeStart(input, at, this.#tools)
    if (candidate === 'open') return 'more'
    if (candidate === 'no') return undefined
    this.#state = { in: 'bare', json: new BareJson(), raw: new TextBuffer() }
    return at
  }

  #onBare(
    input: string,
    at: number,
    { json, raw }: Extract<State, { in: 'bare' }>,
  ): number | { again: string; at: number } {
    const stop = json.follow(input, at)
    if (stop < 0) {
      raw.append(input.slice(at))
      return input.length
    }
    raw.append(input.slice(at, stop))
    const closing = wordAt(input, stop, this.#families.closings)
    if (closing === 'more') return stop
    const calls = closing ? bareCalls(json, raw.toString(), this.#tools, this.#options) : undefined
    if (closing && calls) {
      this.#called(calls, undefined)
      return stop + closing.length
    }
    // Something follows: it was no call. It is text, and looked at as such, but not for this again.
    this.#state = { in: 'text' }
    this.#judgedTo = this.#base + stop
    return raw.length <= stop ? stop - raw.length : { again: raw.toString(), at: stop }
  }

  #onThinking(input: string, from: number, text: TextBuffer): number {
    const think = (to: number) => {
      text.append(input.slice(from, to))
      this.#out.reasoning(input.slice(from, to))
    }
    for (let at = input.indexOf('<', from); at >= 0; at = input.indexOf('<', at + 1)) {
      const closing = wordAt(input, at, thinkClosings)
      if (closing === undefined) continue
      think(at)
      if (closing === 'more') return at
      this.#state = { in: 'behind', open: undefined }
      return at + closing.length
    }
    think(input.length)
    return input.length
  }

  #onResult(input: string, from: number, closing: string): number {
    for (let at = input.indexOf('<', from); at >= 0; at = input.indexOf('<', at + 1)) {
      const word = wordAt(input, at, [closing])
      if (word === undefined) continue
      if (word === 'more') {
        this.#out.text(input.slice(from, at))
        return at
      }
      this.#out.text(input.slice(from, at + closing.length))
      this.#state = { in: 'text' }
      this.#context = new TextContext()
      return at + closing.length
    }
    this.#out.text(input.slice(from))
    return input.length
  }

  #finish(cut: boolean): void {
    const held = this.#held
    this.#held = ''
    const state = this.#state
    switch (state.in) {
      case 'result':
        this.#out.text(held)
        break
      case 'text':
        if (cut && held !== '' && this.#hasOpening(held)) this.#out.cut()
        else this.#out.text(held)
        break
      case 'thinking':
        this.#out.reasoning(held)
        state.text.append(held)
        if (!cut && this.calls === 0) this.#out.calls(this.#unthought(state.text.toString()))
        break
      case 'call':
        if (cut && !state.body.end) this.#out.cut()
        else this.#recover(state.call, state.body.finish())
        break
      case 'bare': {
        const calls = cut
          ? undefined
          : bareCalls(state.json, state.raw.toString(), this.#tools, this.#options)
        if (calls) this.#called(calls, undefined)
        else {
          this.#state = { in: 'text' }
          this.#judgedTo = Number.POSITIVE_INFINITY
          this.#consume(state.raw.toString() + held)
          this.#finish(cut)
        }
        break
      }
      case 'behind':
      case 'stopped':
        break
    }
    this.#out.end()
  }

  #unthought(thought: string): Call[] {
    const read = (text: string) => {
      const parser = new ToolTextParser({ ...this.#options, salvage: false })
      return [...parser.push(text), ...parser.end(false)]
    }
    const calls = callsAtTheEnd(thought, `<${this.#options.markup.callTag}>`, read)
    return calls.every(({ name }) => this.#tools.has(name)) ? calls : []
  }

  #hasOpening(held: string): boolean {
    return typeof openingAt(held, 0, this.#families) === 'object'
  }

  /** What a call that never ended had swallowed is looked at by itself. */
  #recover(call: OpenCall, end: CallEnd): void {
    this.#onEnd(call, end)
    if (end.rest === '') return
    if (++this.#recoveries > maxRecoveries) this.#asText(end.rest)
    else {
      this.#consume(end.rest)
      this.#finish(false)
    }
  }
}

/** In the middle of a sentence, a tag with a blank or a stop behind it is spoken of. */
function thoughtAt(text: string, at: number): boolean | 'more' {
  const next = text[at]
  return next === undefined ? 'more' : /[\n\r\p{L}]/u.test(next)
}

function problemOf({ name }: OpenCall, body: string): string {
  return name === undefined && body.trimStart().startsWith('{')
    ? 'The text between the tags is not one JSON object with "name" and "arguments".'
    : 'Its parameters could not be told apart.'
}
