// Joins the chunks of Chat Completions into its answer, and tells how the server wrote them.

import { type Fields, isObject } from '../../base/json.ts'
import type { JoinedAnswer, WireFact } from './joined-answer.ts'
import { JsonEnd } from './json-end.ts'
import { Pieces } from './pieces.ts'
import type { StreamEvent } from './stream-events.ts'

interface Call {
  /** Its number among the calls, in the order in which they began. */
  order: number
  piece: Fields
  made: Fields
  input: string[]
  end: JsonEnd
  /** Arguments that are no text. */
  value?: unknown
  inner: 'function' | 'custom'
}

/** Members of a delta that come in pieces. */
const texts = new Set(['content', 'reasoning_content', 'reasoning', 'refusal'])

export class ChatJoin {
  readonly #chunks: Fields[]
  readonly #events: readonly StreamEvent[]
  readonly #whole: Fields = {}
  readonly #choice: Fields = {}
  readonly #message: Fields = {}
  readonly #pieces = new Pieces()
  readonly #calls: Call[] = []
  readonly #byIndex = new Map<unknown, Call>()
  readonly #byId = new Map<unknown, Call>()
  readonly #shared = new Set<unknown>()
  readonly #odd = new Set<string>()
  readonly #parts: unknown[] = []
  #legacy: Call | undefined
  #lastCall: Call | undefined
  #saidSinceCall = false
  #finished = false
  #usages = 0

  constructor(events: readonly StreamEvent[]) {
    this.#events = events
    this.#chunks = events.flatMap(({ data }) => (isObject(data) ? [data] : []))
    for (const chunk of this.#chunks) this.#see(chunk)
  }

  joined(): JoinedAnswer {
    const calls = this.#calls.map(wholeCall)
    const message = {
      ...this.#message,
      ...Object.fromEntries(this.#pieces.all),
      ...(this.#parts.length > 0 ? { content: this.#parts } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...(this.#legacy ? { function_call: (wholeCall(this.#legacy) as { function: unknown }).function } : {}),
    }
    const choices =
      Object.keys(message).length + Object.keys(this.#choice).length > 0 ? [{ ...this.#choice, message }] : []
    return { whole: { ...this.#whole, choices }, facts: this.#facts() }
  }

  #see(chunk: Fields): void {
    const { choices, usage, ...others } = chunk
    for (const [name, value] of Object.entries(others))
      if (this.#whole[name] === undefined || this.#whole[name] === null) this.#whole[name] = value
    if (isObject(usage)) {
      this.#whole.usage = usage
      this.#usages++
    }
    if (!Array.isArray(choices)) this.#odd.add('chunks: some without choices')
    for (const choice of Array.isArray(choices) ? choices : []) if (isObject(choice)) this.#seeChoice(choice)
  }

  #seeChoice(choice: Fields): void {
    const { delta, message, usage, ...others } = choice
    const said = isObject(delta) ? delta : isObject(message) ? message : undefined
    if (!isObject(delta))
      this.#odd.add(isObject(message) ? 'deltas: a whole message' : 'deltas: some left out')
    else if (isObject(message)) this.#odd.add('deltas: a whole message beside them')
    if (isObject(usage)) {
      this.#odd.add('usage: in a choice')
      this.#whole.usage ??= usage
    }
    if (others.index === undefined) this.#odd.add('index of the choice: left out')
    if (
      this.#finished &&
      said &&
      Object.values(said).some((value) => value !== null && value !== '' && value !== 'assistant')
    )
      this.#odd.add('output after the end: some')
    for (const [name, value] of Object.entries(others))
      if (value !== null || !(name in this.#choice)) this.#choice[name] = value
    if (said) this.#seeDelta(said)
    if (typeof others.finish_reason === 'string') this.#finished = true
  }

  #seeDelta(said: Fields): void {
    // The Qwen web chat tells its thinking by phase.
    const isThought = typeof said.phase === 'string' && said.phase.startsWith('think')
    for (const [name, value] of Object.entries(said)) {
      if (name === 'tool_calls' && Array.isArray(value)) for (const call of value) this.#seeCall(call)
      else if (name === 'function_call' && isObject(value)) this.#seeLegacy(value)
      else if (texts.has(name) && typeof value === 'string') {
        if (name === 'content' && value !== '') this.#saidSinceCall = true
        this.#pieces.add(name === 'content' && isThought ? 'reasoning_content' : name, value)
      } else if (name === 'content' && Array.isArray(value)) {
        this.#odd.add('content: a list of parts')
        this.#parts.push(...value)
      } else if (value !== null || !(name in this.#message)) this.#message[name] = value
    }
  }

  #seeCall(piece: unknown): void {
    if (!isObject(piece)) return
    const inner = isObject(piece.custom) ? 'custom' : 'function'
    const made = isObject(piece[inner]) ? piece[inner] : {}
    const call = this.#callOf(piece, made, inner)
    if (this.#lastCall && this.#lastCall !== call && call.order < this.#calls.length - 1)
      this.#odd.add('pieces of calls: in turns')
    if (this.#lastCall === call && this.#saidSinceCall) this.#odd.add('text: between the pieces of a call')
    this.#lastCall = call
    this.#saidSinceCall = false
    this.#note(call, piece, made)
    const input = made.arguments ?? made.input
    if (typeof input === 'string') {
      call.input.push(input)
      call.end.add(input)
    } else if (input !== undefined && input !== null) {
      this.#odd.add('arguments: no text')
      call.value = input
    }
  }

  #callOf(piece: Fields, made: Fields, inner: Call['inner']): Call {
    const { index, id } = piece
    const isNew = typeof id === 'string' && id !== ''
    const found =
      index === undefined || index === null
        ? isNew || typeof made.name === 'string'
          ? this.#byId.get(isNew ? id : undefined)
          : this.#calls.at(-1)
        : this.#byIndex.get(index)
    // Some servers give all calls one index: another name with another id is another call.
    const begins = found && typeof made.name === 'string' && made.name !== '' && found.input.length > 0
    const isOther = begins && isNew && found.piece.id !== id && made.name !== found.made.name
    const isNext =
      begins && typeof made.arguments === 'string' && made.arguments !== '' && found.end.isComplete
    if (found && !isOther && !isNext) return found
    const call: Call = {
      order: this.#calls.length,
      piece: { ...piece },
      made: { ...made },
      input: [],
      end: new JsonEnd(),
      inner,
    }
    this.#calls.push(call)
    if (this.#byIndex.has(index)) this.#shared.add(index)
    this.#byIndex.set(index, call)
    if (isNew) this.#byId.set(id, call)
    return call
  }

  #note(call: Call, piece: Fields, made: Fields): void {
    const isFirst = call.input.length === 0 && call.value === undefined && call.piece.index === piece.index
    if (piece.index === undefined || piece.index === null) this.#odd.add('index of calls: left out')
    else if (this.#shared.has(piece.index)) this.#odd.add('index of calls: shared')
    if (!isFirst || call.made !== made) {
      if (made.name === '' || piece.id === '') this.#odd.add('names of calls: empty in later pieces')
      else if (call.input.length > 0 && typeof made.name === 'string' && call.made.name === made.name)
        this.#odd.add('names of calls: repeated')
      else if (typeof made.name === 'string' && typeof call.made.name !== 'string')
        this.#odd.add('names of calls: late')
      if (
        typeof piece.id === 'string' &&
        piece.id !== '' &&
        typeof call.piece.id === 'string' &&
        call.piece.id !== piece.id
      )
        this.#odd.add('ids of calls: change')
    }
    for (const [name, value] of Object.entries(piece))
      if (call.piece[name] === undefined || call.piece[name] === null) call.piece[name] = value
    for (const [name, value] of Object.entries(made)) if (!call.made[name]) call.made[name] = value
  }

  #seeLegacy(made: Fields): void {
    this.#legacy ??= { order: 0, piece: {}, made: {}, input: [], end: new JsonEnd(), inner: 'function' }
    if (typeof made.name === 'string') this.#legacy.made.name ??= made.name
    if (typeof made.arguments === 'string') this.#legacy.input.push(made.arguments)
    else if (made.arguments !== undefined) this.#legacy.value = made.arguments
    this.#odd.add('calls: the older function_call')
  }

  /** What a whole answer can have too. */
  callFacts(): WireFact[] {
    const own = ['arguments', 'content', 'calls', 'text', 'index of the choice']
    return [
      ...oddFacts([...this.#odd].filter((odd) => own.some((term) => odd.startsWith(`${term}:`)))),
      ...this.#idFacts(),
    ]
  }

  #idFacts(): WireFact[] {
    const ids = this.#calls.map(({ piece }) => piece.id)
    const missing = ids.some((id) => typeof id !== 'string' || id === '')
    const types = this.#calls.some(({ piece }) => piece.type === undefined)
    return this.#calls.length === 0
      ? []
      : [
          { term: 'ids', value: missing ? 'left out' : 'sent', isOdd: missing },
          { term: 'types of calls', value: types ? 'left out' : 'sent' },
        ]
  }

  #facts(): WireFact[] {
    const chunks = this.#chunks.filter(({ error }) => error === undefined)
    const isFailed = chunks.length < this.#chunks.length
    const member = (name: string): WireFact => ({ term: `${name} of chunks`, value: valuesOf(chunks, name) })
    const roles = chunks.filter(
      ({ choices }) =>
        Array.isArray(choices) &&
        choices.some((one) => isObject(one) && isObject(one.delta) && typeof one.delta.role === 'string'),
    )
    const hasDone = this.#events.some(({ data }) => data === '[DONE]')
    const last = chunks.at(-1)?.usage
    const indexes = this.#calls.map(({ piece }) => String(piece.index ?? 'none')).join()
    return [
      ...['id', 'object', 'created', 'model'].map(member),
      {
        term: 'role',
        value: roles.length === 0 ? 'not sent' : roles.length === 1 ? 'once' : 'more than once',
      },
      { term: 'end of the stream', value: hasDone ? '[DONE]' : 'no [DONE]', isOdd: !hasDone && !isFailed },
      {
        term: 'finish reason',
        value: this.#finished ? 'sent' : 'not sent',
        isOdd: !this.#finished && !isFailed,
      },
      {
        term: 'usage',
        value:
          this.#usages === 0
            ? 'none in chunks'
            : this.#usages === 1 && isObject(last)
              ? 'in the last chunk'
              : 'in other chunks',
      },
      {
        term: 'first chunk',
        value:
          Array.isArray(chunks[0]?.choices) && isObject(chunks[0].choices[0])
            ? 'with a choice'
            : 'without a choice',
      },
      ...(indexes === '' ? [] : [{ term: 'numbers of calls', value: indexes }]),
      ...this.#idFacts(),
      ...oddFacts([...this.#odd]),
    ]
  }
}

const oddFacts = (odd: readonly string[]): WireFact[] =>
  odd.map((text) => {
    const [term = '', value = ''] = text.split(': ')
    return { term, value, isOdd: true }
  })

function valuesOf(chunks: readonly Fields[], name: string): string {
  const values = chunks.map((chunk) => chunk[name])
  if (values.some((value) => value === undefined || value === null || value === '')) return 'left out'
  return new Set(values.map(String)).size > 1 ? 'changes' : 'one'
}

function wholeCall({ piece, made, input, value, inner }: Call): Fields {
  const { index: _index, [inner]: _inner, ...others } = piece
  const { arguments: _arguments, input: _input, ...rest } = made
  const member = inner === 'custom' ? 'input' : 'arguments'
  return { ...others, [inner]: { ...rest, [member]: value === undefined ? input.join('') : value } }
}
