// Joins the events of Anthropic's stream into its message.

import { type Fields, isObject, parseJson } from '../../base/json.ts'
import type { JoinedAnswer, WireFact } from './joined-answer.ts'
import { Pieces } from './pieces.ts'
import type { StreamEvent } from './stream-events.ts'

export function joinMessages(events: readonly StreamEvent[]): JoinedAnswer {
  const join = new MessagesJoin()
  for (const event of events) join.see(event)
  return { whole: join.whole, facts: join.facts(events) }
}

interface Block {
  block: Fields
  pieces: Pieces
  citations: unknown[]
  isOpen: boolean
}

const textMembers = ['text', 'thinking', 'partial_json', 'signature'] as const

class MessagesJoin {
  #message: Fields = {}
  #error: Fields = {}
  readonly #blocks: Block[] = []
  readonly #byIndex = new Map<unknown, Block>()
  #stray = 0
  #unended = 0

  get whole(): Fields {
    const content = this.#blocks.map(wholeBlock)
    return { ...this.#message, ...(content.length > 0 ? { content } : {}), ...this.#error }
  }

  see({ data }: StreamEvent): void {
    if (!isObject(data)) return
    const { type, message, delta, usage, index } = data
    if (type === 'message_start' && isObject(message)) this.#message = { ...message, ...this.#message }
    else if (type === 'content_block_start') this.#start(index, data.content_block)
    else if (type === 'content_block_delta') this.#delta(index, delta)
    else if (type === 'content_block_stop') this.#stop(index)
    else if (type === 'message_delta') this.#end(delta, usage)
    else if (type === 'error') this.#error = { error: data.error }
  }

  #start(index: unknown, block: unknown): void {
    if ([...this.#byIndex.values()].some(({ isOpen }) => isOpen)) this.#unended++
    for (const open of this.#byIndex.values()) open.isOpen = false
    const made = { block: isObject(block) ? block : {}, pieces: new Pieces(), citations: [], isOpen: true }
    this.#byIndex.set(index, made)
    this.#blocks.push(made)
  }

  #delta(index: unknown, delta: unknown): void {
    const known = this.#byIndex.get(index)
    if (!isObject(delta)) return
    if (!known?.isOpen) this.#stray++
    for (const name of textMembers) if (typeof delta[name] === 'string') known?.pieces.add(name, delta[name])
    if (isObject(delta.citation)) known?.citations.push(delta.citation)
  }

  #stop(index: unknown): void {
    const known = this.#byIndex.get(index)
    if (known?.isOpen) known.isOpen = false
    else this.#stray++
  }

  #end(delta: unknown, usage: unknown): void {
    const before = isObject(this.#message.usage) ? this.#message.usage : {}
    this.#message = {
      ...this.#message,
      ...(isObject(delta) ? delta : {}),
      ...(isObject(usage) ? { usage: { ...before, ...usage } } : {}),
    }
  }

  facts(events: readonly StreamEvent[]): WireFact[] {
    const count = (wanted: string) =>
      events.filter(({ data }) => isObject(data) && data.type === wanted).length
    const times = (wanted: string): WireFact => {
      const found = count(wanted)
      return {
        term: wanted,
        value: found === 0 ? 'not sent' : found === 1 ? 'once' : 'more than once',
        isOdd: found !== 1,
      }
    }
    const isFailed = 'error' in this.#error
    const unnamed = events.filter(({ name, data }) => isObject(data) && name === undefined).length
    const open = this.#blocks.filter(({ isOpen }) => isOpen).length + this.#unended
    return [
      times('message_start'),
      ...(isFailed ? [] : [times('message_stop')]),
      fact('names of events', unnamed, 'sent', 'left out'),
      fact('ends of blocks', isFailed ? 0 : open, 'sent', 'left out'),
      fact('deltas', this.#stray, 'all of open blocks', 'some of no open block'),
    ]
  }
}

const fact = (term: string, count: number, usual: string, odd: string): WireFact => ({
  ...{ term, value: count === 0 ? usual : odd, isOdd: count > 0 },
})

function wholeBlock({ block, pieces, citations }: Block): Fields {
  const out: Fields = { ...block, ...(citations.length > 0 ? { citations } : {}) }
  for (const [name, text] of pieces.all) {
    if (name === 'partial_json') out.input = parseJson(text) ?? text
    else out[name] = typeof out[name] === 'string' ? `${out[name]}${text}` : text
  }
  return out
}
