// Transitions of the parser: what begins at a mark in the text, and what follows a call. Each is decided by a look ahead, and
// is `more` while the text that has come is not enough.

import { TextBuffer } from '../../base/text-buffer.ts'
import { BareJson, judgeStart } from './bare-json.ts'
import { beginCall, type FoundOpening, openingAt } from './begin-call.ts'
import { openBody } from './call-body.ts'
import type { Families } from './families.ts'
import { looseTagAt } from './loose-tag.ts'
import type { OpenCall, Transition } from './parser-state.ts'
import type { TextContext } from './text-context.ts'
import { thinkClosings, thinkTagAt } from './thinking.ts'
import type { Toolbox } from './toolbox.ts'
import { wordAt } from './word-at.ts'

const longestAhead = 1_024
const anotherJson = /^[,;]?\s*(?=\{\s*["'}]|\[\s*\{)/
const mayBeJson = /^[,;]?\s*(?:[{[]\s*)?$/

export class Transitions {
  readonly #families: Families
  readonly #tools: Toolbox

  constructor(families: Families, tools: Toolbox) {
    this.#families = families
    this.#tools = tools
  }

  /** `expectsResults`: the model has called, so a result that follows is made up. `salvage`: JSON without a tag counts. */
  atMark(
    input: string,
    at: number,
    context: TextContext,
    expectsResults: boolean,
    salvage: boolean,
  ): Transition | 'more' | undefined {
    const tag = thinkTagAt(input, at, context.isAfterWord)
    if (tag === 'more') return 'more'
    if (tag) return { state: { in: 'thinking', text: new TextBuffer() }, at: at + tag.length }
    const result = wordAt(input, at, this.#resultMarks(context, expectsResults))
    if (result === 'more') return 'more'
    if (result) {
      return expectsResults
        ? { state: { in: 'stopped' }, at: input.length }
        : { state: { in: 'result', closing: result.replace('<', '</') }, at }
    }
    const opening = openingAt(input, at, this.#families)
    if (opening === 'more') return 'more'
    if (opening) return this.#toCall(input, at, opening, context.lineStart)
    return salvage && context.lineStart ? this.#toBareJson(input, at) : undefined
  }

  /** Marks of a result, which only the client may write. */
  #resultMarks(context: TextContext, expectsResults: boolean): readonly string[] {
    return context.lineStart && expectsResults
      ? [...this.#families.resultOpenings, 'Observation:']
      : this.#families.resultOpenings
  }

  #toCall(
    input: string,
    at: number,
    opening: FoundOpening,
    atLineStart: boolean,
  ): Transition | 'more' | undefined {
    const surroundings = { families: this.#families, tools: this.#tools }
    const beginning = beginCall(opening, { text: input, ...surroundings })
    if (beginning.state === 'more') return 'more'
    if (beginning.state === 'prose') return undefined
    const call: OpenCall = { head: input.slice(at, beginning.from), name: beginning.name, atLineStart }
    return { state: { in: 'call', call, body: openBody(beginning, surroundings) }, at: beginning.from }
  }

  #toBareJson(input: string, at: number): Transition | 'more' | undefined {
    const candidate = judgeStart(input, at, this.#tools)
    if (candidate === 'open') return 'more'
    if (candidate === 'no') return undefined
    return { state: { in: 'bare', json: new BareJson(), raw: new TextBuffer() }, at }
  }

  /** At the first character after a call that is not white space. Undefined: text follows. */
  afterCall(input: string, at: number, open: OpenCall | undefined): Transition | 'more' | undefined {
    const closing =
      wordAt(input, at, [...this.#families.closings, ...thinkClosings]) ??
      looseTagAt(input, at, this.#families.callTags, 'closing')
    if (closing === 'more') return 'more'
    if (closing) return { state: { in: 'after-call', open: undefined }, at: at + closing.length }
    return open && this.#inSameTag(input, at, open)
  }

  /** Stray brackets, the end of a fence, or another call without a name of its own. */
  #inSameTag(input: string, at: number, call: OpenCall): Transition | 'more' | undefined {
    const char = input[at] as string
    const isFence = char === '`' && call.head.includes('```')
    if (char === '}' || char === ']' || isFence)
      return { state: { in: 'after-call', open: call }, at: at + 1 }
    const ahead = input.slice(at, at + longestAhead)
    const json = anotherJson.exec(ahead)
    if (!json) return ahead.length < longestAhead && mayBeJson.test(ahead) ? 'more' : undefined
    const named = call.name === undefined ? {} : { name: call.name }
    const surroundings = { families: this.#families, tools: this.#tools }
    const body = openBody({ state: 'json', from: at, ...named }, surroundings)
    return { state: { in: 'call', call, body }, at: at + json[0].length }
  }
}
