// The body of a call, in JSON or in tags: consumed piece by piece, read as calls at its end.

import { TextBuffer } from '../../base/text-buffer.ts'
import type { Beginning } from './begin-call.ts'
import type { Families, ValueDialect } from './families.ts'
import { JsonBody } from './json-body.ts'
import type { Call } from './pieces.ts'
import { hasProperty, readCalls, readInput } from './read-calls.ts'
import { readValues } from './read-values.ts'
import type { Toolbox } from './toolbox.ts'
import { ValuesBody, type ValuesEnd } from './values-body.ts'

/** `rest` was consumed, but does not belong to the body. */
export type CallEnd =
  /** `more`: another call may follow in the same tag. */
  | { calls: Call[]; rest: string; more: boolean }
  | { malformed: string; rest: string }
  /** The text after the opening is no call: the markup is only mentioned. */
  | { prose: string; rest: string }

export interface CallBody {
  /** The position where the call ended; -1: all was consumed, and the call goes on. */
  feed(text: string, from: number): number
  readonly end: CallEnd | undefined
  /** Reads what is there at the end of the text. */
  finish(): CallEnd
}

interface Surroundings {
  families: Families
  tools: Toolbox
}

export function openBody(
  beginning: Exclude<Beginning, { state: 'more' | 'prose' }>,
  { families, tools }: Surroundings,
): CallBody {
  if (beginning.state === 'values') return new TaggedCall(beginning, { families, tools })
  const { name } = beginning
  const read = (text: string) => {
    if (name === undefined) return readCalls(text, tools)
    const call = readInput(name, text, tools)
    return call && [call]
  }
  return new JsonCall(new JsonBody(families.closings, read))
}

class JsonCall implements CallBody {
  readonly #body: JsonBody

  constructor(body: JsonBody) {
    this.#body = body
  }

  feed(text: string, from: number): number {
    return this.#body.feed(text, from)
  }

  get end(): CallEnd | undefined {
    return this.#body.result && toEnd(this.#body.result)
  }

  finish(): CallEnd {
    return this.end ?? toEnd(this.#body.finish())
  }
}

const toEnd = (end: { calls: Call[]; rest: string } | { malformed: string }): CallEnd =>
  'calls' in end ? { ...end, more: true } : { ...end, rest: '' }

class TaggedCall implements CallBody {
  readonly #name: string
  readonly #dialect: ValueDialect
  readonly #surroundings: Surroundings
  readonly #body: ValuesBody
  readonly #raw = new TextBuffer()

  constructor(beginning: Extract<Beginning, { state: 'values' }>, surroundings: Surroundings) {
    this.#name = beginning.name
    this.#dialect = beginning.dialect
    this.#surroundings = surroundings
    this.#body = this.#newBody(false)
    if (beginning.isEmpty) this.#body.feed(beginning.dialect.callClose, 0)
  }

  feed(text: string, from: number): number {
    const next = this.#body.feed(text, from)
    this.#raw.append(text.slice(from, next < 0 ? text.length : next))
    return next
  }

  get end(): CallEnd | undefined {
    return this.#body.result && this.#read(this.#body.result)
  }

  /** A call that never ended is read again with lenient rules; `rest` is the text that it had swallowed. */
  finish(): CallEnd {
    const first = this.#body.finish()
    if (first.state === 'complete') return this.#read(first)
    const source = this.#raw.toString()
    const second = this.#newBody(true)
    const stop = second.feed(source, 0)
    const end = second.result ?? second.finish()
    if (end.state !== 'complete') return { malformed: source, rest: '' }
    return this.#read(stop < 0 ? end : { ...end, rest: end.rest + source.slice(stop) })
  }

  #read(end: ValuesEnd): CallEnd {
    if (end.state === 'prose') return { prose: this.#raw.toString(), rest: '' }
    const call = end.state === 'complete' ? readValues(this.#name, end, this.#surroundings.tools) : undefined
    if (call && end.state === 'complete') return { calls: [call], rest: end.rest, more: false }
    return { malformed: this.#raw.toString(), rest: '' }
  }

  #newBody(lenient: boolean): ValuesBody {
    const { families, tools } = this.#surroundings
    const schema = tools.find(this.#name)?.schema
    return new ValuesBody({
      dialect: this.#dialect,
      closings: families.closings,
      openings: families.openings.map(({ marker }) => marker),
      knows: (key) => schema !== undefined && hasProperty(schema, key),
      lenient,
    })
  }
}
