// Renders scripted steps as Responses answers: a stream of numbered events, or one response object.

import { randomBytes } from 'node:crypto'
import { cutIntoPieces, cutText } from '../../pieces.ts'
import type { Renderer } from '../../player.ts'
import type { ContentStep, EndStep } from '../../script.ts'
import { isRecord, type Json } from '../../shape.ts'
import { estimateTokens } from '../../tokens.ts'
import { emptied, type ItemContext, newId, partsOf, toItem } from './items.ts'
import type { ResponsesQuirk } from './quirks.ts'
import type { Item } from './request.ts'

export interface RenderContext extends ItemContext {
  /** The fields of the request that its answer repeats. */
  readonly echo: Json
  readonly inputTokens: number
  readonly obfuscates: boolean
  readonly quirks: ReadonlySet<ResponsesQuirk>
  /** Called with the items of each finished answer. */
  onFinished(responseId: string, output: readonly Item[]): void
}

/** Reasons of all dialects that mean an incomplete answer. */
const INCOMPLETE: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  max_output_tokens: 'max_output_tokens',
  content_filter: 'content_filter',
  refusal: 'content_filter',
}

const FAULT = { type: 'server_error', code: 'server_error', message: 'The model had an error.', param: null }

export function createResponsesRenderer(context: RenderContext): Renderer {
  return new ResponsesRenderer(context)
}

class ResponsesRenderer implements Renderer {
  readonly #context: RenderContext
  readonly #id = newId('resp')
  readonly #createdAt = Math.floor(Date.now() / 1000)
  readonly #items: Item[] = []
  #sequence = 0
  #reasoningTokens = 0

  constructor(context: RenderContext) {
    this.#context = context
  }

  open(): string[] {
    const response = this.#response('in_progress', [])
    return [this.#event('response.created', { response }), this.#event('response.in_progress', { response })]
  }

  content(steps: readonly ContentStep[]): string[] {
    return steps.flatMap((step) => {
      const item = this.#take(step)
      if (item === undefined || this.#has('items-at-end')) return []
      return [...this.#odd(), ...this.#itemEvents(item, 'pieces' in step ? (step.pieces ?? 2) : 2)]
    })
  }

  repeat(text: string, times: number) {
    const item = this.#take({ say: text.repeat(times) }) as Item
    const at = { ...this.#place(item), content_index: 0 }
    const delta = this.#delta('response.output_text.delta', { ...at, logprobs: [] }, text)
    return { before: this.#added(item, at), delta, after: [this.#itemDone(item)] }
  }

  end(step: EndStep | undefined): string[] {
    if (this.#has('no-end')) return []
    const { code, message, param } = FAULT
    if (this.#has('flat-error')) return [this.#event('error', { code, message, param })]
    if (this.#has('error-then-failed') || this.#has('failed-alone')) {
      const error = this.#has('failed-alone') ? [] : [this.#event('error', { error: FAULT })]
      const response = { ...this.#response('failed', []), error: { code, message } }
      return [...error, this.#event('response.failed', { response })]
    }
    const cut =
      this.#items.at(-1)?.status === 'incomplete' ? [this.#itemDone(this.#items.at(-1) as Item)] : []
    const response = this.#finished(step)
    const output = this.#has('empty-output') ? [] : response.output
    const last = this.#event(`response.${response.status}`, { response: { ...response, output } })
    return [...cut, last, ...(this.#has('done-mark') ? ['data: [DONE]\n\n'] : [])]
  }

  frame(json: unknown, event: string | undefined): string {
    const type = event ?? (isRecord(json) && typeof json.type === 'string' ? json.type : undefined)
    return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(json)}\n\n`
  }

  whole(steps: readonly ContentStep[], end: EndStep | undefined): unknown {
    for (const step of steps) this.#take(step)
    const isFault = ['flat-error', 'error-then-failed', 'failed-alone'].some((quirk) =>
      this.#has(quirk as ResponsesQuirk),
    )
    if (!isFault) return this.#finished(end)
    return { ...this.#response('failed', []), error: { code: FAULT.code, message: FAULT.message } }
  }

  #has(quirk: ResponsesQuirk): boolean {
    return this.#context.quirks.has(quirk)
  }

  #take(step: ContentStep): Item | undefined {
    const item = toItem(step, this.#context)
    if (item === undefined) return undefined
    if ('think' in step) this.#reasoningTokens += estimateTokens(step.think)
    if (this.#has('same-item-ids')) item.id = 'msg_0'
    if (this.#has('no-item-ids')) delete item.id
    this.#items.push(item)
    return item
  }

  #itemEvents(item: Item, pieces: number): string[] {
    const place = this.#place(item)
    if (this.#has('no-deltas') || item.type === 'tool_search_call')
      return [this.#addedItem(item), this.#itemDone(item)]
    if (item.type === 'message') return this.#messageEvents(item, pieces)
    if (item.type === 'reasoning') return this.#reasoningEvents(item, pieces)
    const [name, field] =
      item.type === 'function_call'
        ? ['function_call_arguments', 'arguments']
        : ['custom_tool_call_input', 'input']
    const text = String(item[field])
    const begun = [this.#addedItem(item), ...this.#deltas(`response.${name}.delta`, place, text, pieces)]
    if (item.status === 'incomplete') return begun
    return [...begun, this.#event(`response.${name}.done`, { ...place, [field]: text }), this.#itemDone(item)]
  }

  #messageEvents(item: Item, pieces: number): string[] {
    const at = { ...this.#place(item), content_index: 0 }
    const [part = {}] = partsOf(item)
    const text = String(part.text)
    return [
      ...this.#added(item, at),
      ...this.#deltas('response.output_text.delta', { ...at, logprobs: [] }, text, pieces),
      this.#event('response.output_text.done', { ...at, text, logprobs: [] }),
      this.#event('response.content_part.done', { ...at, part }),
      this.#itemDone(item),
    ]
  }

  #reasoningEvents(item: Item, pieces: number): string[] {
    const summaries = (item.summary ?? []).flatMap((part, index) => {
      const at = { ...this.#place(item), summary_index: index }
      const text = String(part.text)
      return [
        this.#event('response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }),
        ...this.#deltas('response.reasoning_summary_text.delta', at, text, pieces),
        this.#event('response.reasoning_summary_text.done', { ...at, text }),
        this.#event('response.reasoning_summary_part.done', { ...at, part }),
      ]
    })
    const raw = partsOf(item).flatMap((part, index) => {
      const at = { ...this.#place(item), content_index: index }
      const text = String(part.text)
      return [
        ...this.#deltas('response.reasoning_text.delta', at, text, pieces),
        this.#event('response.reasoning_text.done', { ...at, text }),
      ]
    })
    return [this.#addedItem(item), ...summaries, ...raw, this.#itemDone(item)]
  }

  #added(item: Item, at: Json): string[] {
    const part = { type: 'output_text', annotations: [], logprobs: [], text: '' }
    return [this.#addedItem(item), this.#event('response.content_part.added', { ...at, part })]
  }

  #addedItem(item: Item): string {
    return this.#event('response.output_item.added', {
      output_index: this.#indexOf(item),
      item: this.#named(emptied(item)),
    })
  }

  #itemDone(item: Item): string {
    return this.#event('response.output_item.done', {
      output_index: this.#indexOf(item),
      item: this.#named(item),
    })
  }

  #deltas(type: string, at: Json, text: string, pieces: number): string[] {
    if (this.#has('done-only')) return []
    const parts = type.includes('arguments') ? cutIntoPieces(text, pieces) : cutText(text, pieces)
    return parts.map((part) => this.#delta(type, at, part))
  }

  #delta(type: string, at: Json, delta: string): string {
    const noise = randomBytes(1 + (delta.length % 8)).toString('hex')
    return this.#event(type, { ...at, delta, ...(this.#context.obfuscates ? { obfuscation: noise } : {}) })
  }

  /** What a client has to ignore. */
  #odd(): string[] {
    const ping = this.#has('keepalive-events') ? [this.#event('keepalive', {})] : []
    if (!this.#has('unknown-events')) return ping
    const item = { id: newId('odd'), type: 'odd_call', status: 'completed', action: { type: 'none' } }
    const output_index = 90 + this.#items.length
    return [
      ...ping,
      this.#event('response.odd_call.in_progress', { output_index, item_id: item.id }),
      this.#event('response.output_item.added', { output_index, item }),
      this.#event('response.content_part.added', {
        output_index,
        item_id: item.id,
        content_index: 0,
        part: { type: 'odd_part', odd: [1] },
      }),
      this.#event('response.output_item.done', { output_index, item }),
    ]
  }

  #place(item: Item): Json {
    const id = this.#named(item).id
    return { ...(id === undefined ? {} : { item_id: id }), output_index: this.#indexOf(item) }
  }

  #named(item: Item): Item {
    return this.#has('rotating-ids') ? { ...item, id: newId('item') } : item
  }

  #indexOf(item: Item): number {
    const index = this.#items.indexOf(item)
    const at = index < 0 ? this.#items.length - 1 : index
    return this.#has('index-gaps') ? 2 + 3 * at : at
  }

  #event(type: string, fields: Json): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...fields })
    return this.#has('no-event-lines') ? `data: ${data}\n\n` : `event: ${type}\ndata: ${data}\n\n`
  }

  #finished(step: EndStep | undefined): Json {
    const reason = INCOMPLETE[step?.end ?? '']
    const status = reason === undefined ? 'completed' : 'incomplete'
    this.#context.onFinished(this.#id, this.#items)
    const usage = this.#has('no-usage') ? {} : { usage: { ...this.#usage(), ...step?.usage } }
    return {
      ...this.#response(status, this.#items),
      ...(reason === undefined ? {} : { incomplete_details: { reason } }),
      ...usage,
    }
  }

  #response(status: string, output: readonly Item[]): Json {
    return {
      id: this.#id,
      object: 'response',
      created_at: this.#createdAt,
      status,
      background: false,
      error: null,
      incomplete_details: null,
      ...this.#context.echo,
      output,
      usage: null,
    }
  }

  #usage(): Json {
    const { inputTokens } = this.#context
    const shown = this.#items.filter(({ type }) => type !== 'reasoning')
    const output = Math.max(1, this.#reasoningTokens + estimateTokens(shown.map(wordsOf).join('')))
    return {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: this.#reasoningTokens },
      total_tokens: inputTokens + output,
    }
  }
}

const wordsOf = ({ arguments: given, ...item }: Item): string =>
  (isRecord(given) ? JSON.stringify(given) : given) ?? item.input ?? partsOf(item).map((part) => String(part.text)).join('') // biome-ignore format: one line
