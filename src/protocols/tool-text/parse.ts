// A model's text, as it comes → text, reasoning and tool calls. One pass: prose goes out at once, except for the few
// characters that could begin a call; a call goes out when it is complete. The result is the same however the text was cut.

import type { Tool } from '../../core/request.ts'
import { parseJson } from '../json.ts'
import { BareJson, judgeStart } from './bare-json.ts'
import { type Beginning, beginCall, type FoundOpening, openingAt } from './begin-call.ts'
import { type Families, familiesOf, type ValueDialect } from './families.ts'
import { JsonBody } from './json-body.ts'
import { looseTagAt } from './loose-tag.ts'
import type { Markup } from './markup.ts'
import type { Call, Piece } from './pieces.ts'
import { isPlainCall, readCalls, readInput } from './read-calls.ts'
import { readValues } from './read-values.ts'
import { TextBuffer } from './text-buffer.ts'
import { TextContext } from './text-context.ts'
import { Toolbox } from './toolbox.ts'
import { ValuesBody } from './values-body.ts'

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
  | { in: 'json'; call: OpenCall; body: JsonBody }
  | { in: 'values'; call: OpenCall; dialect: ValueDialect; body: ValuesBody; raw: TextBuffer }
  /** Behind a call: what closes it is skipped. `open`: another one may follow in the same tag. */
  | { in: 'behind'; open: OpenCall | undefined }
  | { in: 'bare'; json: BareJson; raw: TextBuffer }
  | { in: 'stopped' }

const thinkOpenings = ['<think>', '<thinking>']
const thinkClosings = ['</think>', '</thinking>']
const longestJudged = 1_024
/** How often what a broken call has swallowed is looked through again. */
const maxRecoveries = 8
/** White space that is held back at most: a line end or two. */
const longestSpace = 2
const anotherJson = /^[,;]?\s*(?=\{\s*["'}]|\[\s*\{)/
const mayBeJson = /^[,;]?\s*[{[]?\s*$/

export class ToolTextParser {
  readonly #options: ToolTextOptions
  readonly #families: Families
  readonly #tools: Toolbox
  #state: State = { in: 'text' }
  #context = new TextContext()
  #pieces: Piece[] = []
  /** What has come and cannot be judged yet. */
  #held = ''
  /** How many characters came before the ones at hand. */
  #base = 0
  /** Up to here no JSON without a tag is looked for: it was, and was none. */
  #judgedTo = 0
  /** The white space that text has ended in, as far as it is held: with a call behind it, it is there for the markup. */
  #space = ''
  #spaceIsMarkup = false
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
    return this.#take()
  }

  /** The text is over; `cut`: the service broke it off. */
  end(cut: boolean): Piece[] {
    this.#finish(cut)
    return this.#take()
  }

  #take(): Piece[] {
    const pieces = this.#pieces
    if (pieces.length > 0) this.#pieces = []
    return pieces
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
      case 'json':
        return this.#onJson(input, at, state)
      case 'values':
        return this.#onValues(input, at, state)
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
          this.#say(input.slice(from, at))
          return next === 'more' ? at : (next ?? at)
        }
      }
      context.on(code)
    }
    this.#say(input.slice(from))
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
    const look = { text: input, families: this.#families, tools: this.#tools }
    const beginning = beginCall(opening, look)
    if (beginning.state === 'more') return 'more'
    if (beginning.state === 'prose') return undefined
    const call: OpenCall = {
      head: input.slice(at, beginning.from),
      name: beginning.name,
      atLineStart: this.#context.lineStart,
    }
    this.#open(call, beginning)
    return beginning.from
  }

  #open(call: OpenCall, beginning: Exclude<Beginning, { state: 'more' | 'prose' }>): void {
    if (beginning.state === 'json')
      this.#state = { in: 'json', call, body: new JsonBody(this.#families.closings, this.#reads(call)) }
    else {
      const { dialect, name } = beginning
      const body = this.#valuesBody(name, dialect, false)
      if (beginning.isEmpty) body.feed(dialect.callClose, 0)
      this.#state = { in: 'values', call, raw: new TextBuffer(), dialect, body }
    }
  }

  #valuesBody(name: string, dialect: ValueDialect, lenient: boolean): ValuesBody {
    const properties = this.#tools.find(name)?.schema.properties
    return new ValuesBody({
      dialect,
      closings: this.#families.closings,
      openings: this.#families.openings.map(({ marker }) => marker),
      knows: (key) => typeof properties === 'object' && properties !== null && Object.hasOwn(properties, key),
      lenient,
    })
  }

  readonly #reads =
    ({ name }: OpenCall) =>
    (text: string): Call[] | undefined => {
      if (name === undefined) return readCalls(text, this.#tools)
      const call = readInput(name, text, this.#tools)
      return call && [call]
    }

  #onJson(input: string, at: number, state: Extract<State, { in: 'json' }>): number {
    const next = state.body.feed(input, at)
    const stop = next < 0 ? input.length : next
    const end = state.body.result
    if (end === undefined) return stop
    if ('calls' in end) this.#called(end.calls, state.call)
    else this.#failed(state.call, end.malformed)
    return stop
  }

  #onValues(
    input: string,
    at: number,
    { call, body, raw }: Extract<State, { in: 'values' }>,
  ): number | { again: string; at: number } {
    const next = body.feed(input, at)
    const stop = next < 0 ? input.length : next
    raw.append(input.slice(at, stop))
    const end = body.result
    if (end === undefined) return stop
    if (end.state !== 'complete') {
      if (end.state === 'prose') this.#asText(call.head + raw.toString())
      else this.#failed(call, raw.toString())
      return stop
    }
    const read = readValues(call.name ?? '', end, this.#tools)
    if (read) this.#called([read], undefined)
    else this.#failed(call, raw.toString())
    if (end.rest.length <= stop) return stop - end.rest.length
    return { again: end.rest, at: stop }
  }

  #called(calls: readonly Call[], open: OpenCall | undefined): void {
    for (const call of calls) this.#pieces.push(call)
    this.calls += calls.length
    this.#expectsResults = true
    this.#spaceIsMarkup = true
    this.#state = { in: 'behind', open }
  }

  /** It was meant as a call if it stands where calls stand, or names a tool; otherwise it is a way of speaking. */
  #failed(call: OpenCall, body: string): void {
    const source = call.head + body
    if (!call.atLineStart && !this.#tools.mentionedIn(source.slice(0, longestJudged))) {
      this.#asText(source)
      return
    }
    this.#pieces.push({ type: 'malformed', source, problem: problemOf(call, body) })
    this.#expectsResults = true
    this.#spaceIsMarkup = true
    this.#state = { in: 'behind', open: undefined }
  }

  #asText(text: string): void {
    this.#state = { in: 'text' }
    this.#context.skip(text, 0, text.length)
    this.#say(text)
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
        this.#open(state.open, { state: 'json', from: at })
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
    const calls = closing ? this.#bareCalls(json, raw.toString()) : undefined
    if (closing && calls) {
      this.#called(calls, undefined)
      return stop + closing.length
    }
    // Something follows: it was no call. It is text, and looked at as such, but not for this again.
    this.#state = { in: 'text' }
    this.#judgedTo = this.#base + stop
    return raw.length <= stop ? stop - raw.length : { again: raw.toString(), at: stop }
  }

  #bareCalls(json: BareJson, text: string): Call[] | undefined {
    if (!json.isComplete) return undefined
    const calls: Call[] = []
    for (const { from, to } of json.values) {
      const source = text.slice(from, to)
      const found = isPlainCall(parseJson(source)) ? readCalls(source, this.#tools) : undefined
      if (!found?.every((call) => this.#tools.fits(call)) || this.#options.isEcho?.(source)) return undefined
      calls.push(...found)
    }
    return calls
  }

  #onThinking(input: string, from: number, text: TextBuffer): number {
    this.#spaceIsMarkup = true
    const think = (to: number) => {
      if (to <= from) return
      text.append(input.slice(from, to))
      this.#pieces.push({ type: 'reasoning', text: input.slice(from, to) })
    }
    for (let at = input.indexOf('<', from); at >= 0; at = input.indexOf('<', at + 1)) {
      const closing = wordAt(input, at, thinkClosings)
      if (closing === undefined) continue
      think(at)
      if (closing === 'more') return at
      this.#state = { in: 'behind', open: undefined }
      this.#space = ''
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
        this.#say(input.slice(from, at))
        return at
      }
      this.#say(input.slice(from, at + closing.length))
      this.#state = { in: 'text' }
      this.#context = new TextContext()
      return at + closing.length
    }
    this.#say(input.slice(from))
    return input.length
  }

  #say(text: string): void {
    if (text === '') return
    // Text behind a call goes on where the text in front of it ended.
    const said = this.#space + text
    this.#spaceIsMarkup = false
    const end = Math.max(said.trimEnd().length, said.length - longestSpace)
    this.#space = said.slice(end)
    if (end > 0) this.#pieces.push({ type: 'text', text: said.slice(0, end) })
  }

  #finish(cut: boolean): void {
    const held = this.#held
    this.#held = ''
    const state = this.#state
    switch (state.in) {
      case 'result':
        this.#say(held)
        break
      case 'text':
        if (cut && held !== '' && this.#hasOpening(held)) this.#cutOff()
        else this.#say(held)
        break
      case 'thinking':
        if (held !== '') this.#pieces.push({ type: 'reasoning', text: held })
        state.text.append(held)
        if (!cut && this.calls === 0) this.#rescue(state.text.toString())
        break
      case 'json':
      case 'values':
        if (cut && !state.body.result) this.#cutOff()
        else this.#recover(state)
        break
      case 'bare': {
        const calls = cut ? undefined : this.#bareCalls(state.json, state.raw.toString())
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
    if (this.#space !== '' && !this.#spaceIsMarkup) this.#pieces.push({ type: 'text', text: this.#space })
    this.#space = ''
  }

  #cutOff(): void {
    this.#pieces.push({ type: 'cut' })
    this.#spaceIsMarkup = true
  }

  #hasOpening(held: string): boolean {
    return typeof openingAt(held, 0, this.#families) === 'object'
  }

  /** A call that never ended: read with less faith in its markup. What it had swallowed is looked at by itself. */
  #recover(state: Extract<State, { in: 'json' | 'values' }>): void {
    const { call } = state
    let rest = ''
    if (state.in === 'json') {
      const end = state.body.finish()
      if ('calls' in end) {
        this.#called(end.calls, call)
        rest = end.rest
      } else this.#failed(call, end.malformed)
    } else rest = this.#recoverValues(state)
    if (rest === '') return
    if (++this.#recoveries > maxRecoveries) this.#asText(rest)
    else {
      this.#consume(rest)
      this.#finish(false)
    }
  }

  #recoverValues({ call, body, raw, dialect }: Extract<State, { in: 'values' }>): string {
    const source = raw.toString()
    const first = body.finish()
    let end = first
    let rest = ''
    if (first.state !== 'complete') {
      const second = this.#valuesBody(call.name ?? '', dialect, true)
      const stop = second.feed(source, 0)
      end = stop < 0 ? second.finish() : (second.result ?? first)
      if (stop >= 0 && end.state === 'complete') rest = end.rest + source.slice(stop)
    }
    const read = end.state === 'complete' ? readValues(call.name ?? '', end, this.#tools) : undefined
    if (read) this.#called([read], undefined)
    else this.#failed(call, source)
    return read ? rest : ''
  }

  /** Thinking that never ended: calls of known tools at its very end were meant. */
  #rescue(thought: string): void {
    const marker = `<${this.#options.markup.callTag}>`
    let found: Call[] | undefined
    let at = thought.lastIndexOf(marker)
    for (let tries = 0; at >= 0 && tries < maxRecoveries; tries++) {
      const parser = new ToolTextParser({ ...this.#options, salvage: false })
      const pieces = [...parser.push(thought.slice(at)), ...parser.end(false)]
      const calls = pieces.filter((piece) => piece.type === 'call')
      if (calls.length === 0 || calls.length < pieces.length) break
      if (!calls.every(({ name }) => this.#tools.has(name))) break
      found = calls
      at = at === 0 ? -1 : thought.lastIndexOf(marker, at - 1)
    }
    if (found) this.#called(found, undefined)
  }
}

/** Which of the words stands at `at`; `more` where the text ends in the middle of one. */
function wordAt(text: string, at: number, words: readonly string[]): string | 'more' | undefined {
  let found: string | undefined
  for (const word of words) {
    if (text.startsWith(word, at)) {
      if (found === undefined || word.length > found.length) found = word
    } else if (text.length - at < word.length && word.startsWith(text.slice(at))) return 'more'
  }
  return found
}

/** In the middle of a sentence, a tag with a blank or a stop behind it is spoken of. */
function thoughtAt(text: string, at: number): boolean | 'more' {
  const next = text[at]
  return next === undefined ? 'more' : /[\n\r\p{L}]/u.test(next)
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

function problemOf({ name }: OpenCall, body: string): string {
  return name === undefined && body.trimStart().startsWith('{')
    ? 'The text between the tags is not one JSON object with "name" and "arguments".'
    : 'Its parameters could not be told apart.'
}
