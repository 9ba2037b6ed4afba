// Joins the events of the Responses API into its response.

import { type Fields, isObject } from '../../base/json.ts'
import type { JoinedAnswer, WireFact } from './joined-answer.ts'
import { Pieces } from './pieces.ts'
import type { StreamEvent } from './stream-events.ts'

export function joinResponses(events: readonly StreamEvent[]): JoinedAnswer {
  const join = new ResponsesJoin()
  for (const event of events) join.see(event)
  return { whole: join.whole, facts: join.facts(events) }
}

interface Item {
  added?: Fields
  done?: Fields
  pieces: Pieces
}

class ResponsesJoin {
  #response: Fields = {}
  readonly #items = new Map<string, Item>()
  #otherEnd = 0
  /** Deltas of items that have ended. */
  #late = 0

  get whole(): Fields {
    const { output, ...others } = this.#response
    const items = [...this.#items.values()].map(wholeItem)
    return { ...others, output: items.length > 0 ? items : output }
  }

  see({ data }: StreamEvent): void {
    if (!isObject(data)) return
    const { type, response, item } = data
    if (isObject(response)) this.#response = { ...this.#response, ...response }
    else if (type === 'response.output_item.added' && isObject(item)) this.#item(data).added = item
    else if (type === 'response.output_item.done' && isObject(item)) this.#done(this.#item(data), item)
    else if (typeof type === 'string' && type.endsWith('.delta') && typeof data.delta === 'string')
      this.#delta(this.#item(data), placeOf(data), data.delta)
    else if (typeof type === 'string' && type.endsWith('.done')) this.#compare(data)
    else if (type === 'error') this.#response = { ...this.#response, error: data }
  }

  #item({ output_index: index, item_id: id, item }: Fields): Item {
    const key = String(index ?? id ?? (isObject(item) ? item.id : ''))
    const known = this.#items.get(key) ?? { pieces: new Pieces() }
    this.#items.set(key, known)
    return known
  }

  #delta(known: Item, place: string, delta: string): void {
    if (known.done) this.#late++
    else known.pieces.add(place, delta)
  }

  #done(known: Item, item: Fields): void {
    known.done = item
    const streamed = known.pieces.all.map(([, text]) => text).join('')
    const ended = endOf(item)
    if (streamed !== '' && ended !== undefined && ended !== streamed) this.#otherEnd++
  }

  /** The end of a text repeats it. */
  #compare(data: Fields): void {
    const ended = data.text ?? data.arguments ?? data.refusal ?? data.input
    const streamed = this.#item(data).pieces.of(placeOf(data))
    if (typeof ended === 'string' && streamed !== undefined && ended !== streamed) this.#otherEnd++
  }

  facts(events: readonly StreamEvent[]): WireFact[] {
    const types = new Set(events.map(({ data }) => (isObject(data) ? data.type : undefined)))
    const items = [...this.#items.values()]
    const parts = items.filter(
      ({ added, done, pieces }) => !added || !done || (pieces.all.length === 0 && hasText(done)),
    )
    const kept = Array.isArray(this.#response.output) ? this.#response.output.length : 0
    const starts = events.filter(({ data }) => isObject(data) && data.type === 'response.created').length
    const last = ['response.completed', 'response.incomplete', 'response.failed', 'error'].filter((type) =>
      types.has(type),
    )
    const unnamed = events.some(({ name, data }) => isObject(data) && name === undefined)
    const isCut = last[0] === 'response.failed' || last[0] === 'error'
    return [
      ...[...eventKinds].map(
        (type): WireFact => ({ term: type, value: types.has(type) ? 'sent' : 'not sent' }),
      ),
      {
        term: 'beginnings',
        value: starts === 1 ? 'one' : starts === 0 ? 'none' : 'several',
        isOdd: starts !== 1,
      },
      { term: 'last event', value: last[0] ?? 'none', isOdd: last.length === 0 },
      {
        term: 'events of items',
        value: parts.length > 0 || kept > items.length ? 'not all' : 'all',
        isOdd: !isCut && (parts.length > 0 || kept > items.length),
      },
      { term: 'output after the end', value: this.#late > 0 ? 'some' : 'none', isOdd: this.#late > 0 },
      {
        term: 'ends of texts',
        value: this.#otherEnd > 0 ? 'others than streamed' : 'as streamed',
        isOdd: this.#otherEnd > 0,
      },
      {
        term: 'items in the last event',
        value: kept === items.length ? 'all' : 'not all',
        isOdd: !isCut && kept !== items.length,
      },
      { term: 'names of events', value: unnamed ? 'left out' : 'sent', isOdd: unnamed },
    ]
  }
}

const eventKinds = ['response.in_progress', 'response.content_part.added', 'response.content_part.done', 'response.output_text.done', 'response.function_call_arguments.done'] // biome-ignore format: a list to be read as one

/** The text or the arguments of an item; undefined if it has neither. */
function endOf({ type, content, arguments: input }: Fields): string | undefined {
  if (type === 'function_call') return typeof input === 'string' ? input : undefined
  if (type !== 'message' || !Array.isArray(content)) return undefined
  return content.map((part) => (isObject(part) ? String(part.text ?? part.refusal ?? '') : '')).join('')
}

const hasText = (item: Fields) => item.type === 'message' || item.type === 'function_call'

const placeOf = ({ content_index: index, summary_index: summary, type }: Fields) =>
  `${String(type).replace(/\.(?:delta|done)$/, '')} ${String(index ?? summary ?? 0)}`

/** As it ended; else as it was streamed. */
function wholeItem({ added, done, pieces }: Item): Fields {
  if (done) return done
  const texts = pieces.all
  const text = texts.map(([, joined]) => joined).join('')
  if (added && 'arguments' in added) return { ...added, arguments: text }
  if (added?.type === 'custom_tool_call') return { ...added, input: text }
  if (added?.type === 'reasoning') return { ...added, summary: [{ type: 'summary_text', text }] }
  return { type: 'message', ...added, content: [{ type: 'output_text', text }] }
}
