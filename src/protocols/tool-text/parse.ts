// The parser: a model's text, piece by piece → text, reasoning and tool calls. One pass: prose goes out at once, except for the
// few characters that could begin a call; a call goes out when it is complete. The result does not depend on how the text was
// cut into pieces. README.md has the state diagram.

import type { TextBuffer } from '../../base/text-buffer.ts'
import type { Tool } from '../../core/request.ts'
import { bareCalls } from './bare-json.ts'
import { openingAt } from './begin-call.ts'
import type { CallEnd } from './call-body.ts'
import { type Families, familiesOf } from './families.ts'
import type { Markup } from './markup.ts'
import type { OpenCall, State } from './parser-state.ts'
import { PieceWriter } from './piece-writer.ts'
import type { Call, Piece } from './pieces.ts'
import { TextContext } from './text-context.ts'
import { callsAtEnd, thinkClosings } from './thinking.ts'
import { Toolbox } from './toolbox.ts'
import { Transitions } from './transitions.ts'
import { skipSpace, wordAt } from './word-at.ts'

export interface ToolTextOptions {
  markup: Markup
  tools: readonly Tool[]
  /** JSON without a tag is a call at the end of a reply. */
  salvage: boolean
  /** The model was shown this very text, and only repeats it. */
  isEcho?(text: string): boolean
}

const longestJudged = 1_024
/** How often the text that a broken call has swallowed is parsed again. */
const maxRecoveries = 8

export class ToolTextParser {
  readonly #options: ToolTextOptions
  readonly #families: Families
  readonly #tools: Toolbox
  readonly #transitions: Transitions
  #state: State = { in: 'text' }
  #context = new TextContext()
  readonly #out = new PieceWriter()
  /** Text that cannot be judged before more has come. */
  #held = ''
  /** How many characters came before the ones at hand. */
  #base = 0
  /** Before this position, JSON without a tag is known to be no call. */
  #judgedTo = 0
  #recoveries = 0
  calls = 0
  /** The model has called, readably or not: a result that follows is made up. */
  #expectsResults = false

  constructor(options: ToolTextOptions) {
    this.#options = options
    this.#families = familiesOf(options.markup)
    this.#tools = new Toolbox(options.tools)
    this.#transitions = new Transitions(this.#families, this.#tools)
  }

  /** The model has begun to make up results of its calls: the rest of its text is useless. */
  get stopped(): boolean {
    return this.#state.in === 'stopped'
  }

  push(text: string): Piece[] {
    this.#consume(text)
    return this.#out.take()
  }

  /** `cut`: the service broke the text off. */
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
        // Consumed in an earlier piece, and parsed again.
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

  /** Consumes text from `at` on and returns where it stopped: at `at` itself if more is needed. */
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
      case 'after-call':
        return this.#afterCall(input, at, state.open)
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
        if (next !== undefined) {
          this.#out.text(input.slice(from, at))
          return next
        }
      }
      context.on(code)
    }
    this.#out.text(input.slice(from))
    return input.length
  }

  /** Something may begin at `at`. Returns where reading goes on: at `at` itself if more is needed; undefined: it is text. */
  #atMark(input: string, at: number): number | undefined {
    const isBareJsonCall = this.#options.salvage && this.calls === 0 && this.#base + at >= this.#judgedTo
    const found = this.#transitions.atMark(input, at, this.#context, this.#expectsResults, isBareJsonCall)
    if (found === undefined) return undefined
    if (found === 'more') return at
    this.#state = found.state
    return found.at
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
    this.#state = { in: 'after-call', open }
  }

  /** Broken markup was meant as a call if it begins a line or names a tool; otherwise it is prose. */
  #failed(call: OpenCall, body: string): void {
    const source = call.head + body
    if (!call.atLineStart && !this.#tools.mentionedIn(source.slice(0, longestJudged))) {
      this.#asText(source)
      return
    }
    this.#out.malformed(source, problemOf(call, body))
    this.#expectsResults = true
    this.#state = { in: 'after-call', open: undefined }
  }

  #asText(text: string): void {
    this.#state = { in: 'text' }
    this.#context.skip(text, 0, text.length)
    this.#out.text(text)
  }

  #afterCall(input: string, from: number, open: OpenCall | undefined): number {
    const at = skipSpace(input, from)
    if (at >= input.length) return at
    const found = this.#transitions.afterCall(input, at, open)
    if (found === 'more') return at
    if (found) {
      this.#state = found.state
      return found.at
    }
    this.#state = { in: 'text' }
    this.#context = new TextContext()
    return at
  }

  #onBare(
    input: string,
    at: number,
    { json, raw }: Extract<State, { in: 'bare' }>,
  ): number | { again: string; at: number } {
    const stop = json.scan(input, at)
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
    // Something follows, so it is no call. It is parsed again as text.
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
      this.#state = { in: 'after-call', open: undefined }
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
        if (!cut && this.calls === 0) this.#out.calls(this.#callsAtEnd(state.text.toString()))
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
      case 'after-call':
      case 'stopped':
        break
    }
    this.#out.end()
  }

  #callsAtEnd(thought: string): Call[] {
    const read = (text: string) => {
      const parser = new ToolTextParser({ ...this.#options, salvage: false })
      return [...parser.push(text), ...parser.end(false)]
    }
    const calls = callsAtEnd(thought, `<${this.#options.markup.callTag}>`, read)
    return calls.every(({ name }) => this.#tools.has(name)) ? calls : []
  }

  #hasOpening(held: string): boolean {
    return typeof openingAt(held, 0, this.#families) === 'object'
  }

  /** Parses again what a call that never ended had swallowed. */
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

function problemOf({ name }: OpenCall, body: string): string {
  return name === undefined && body.trimStart().startsWith('{')
    ? 'The text between the tags is not one JSON object with "name" and "arguments".'
    : 'Its parameters could not be told apart.'
}
