// Reads a Responses stream by code of its own, and checks what the protocol promises: numbers that grow by one, parts
// that begin before they end, deltas that add up, and a last response that says the same as its events.

// biome-ignore lint/suspicious/noExplicitAny: events are looked into by tests
type Json = any

export interface ResponsesStream {
  status: number
  headers: Headers
  raw: string
  events: Json[]
  comments: string[]
  /** Of the last event. */
  response: Json
  /** The items that are done. */
  items: Json[]
  text: string
  reasoning: string
  calls: { id: string; name: string; namespace?: string; input: string; custom: boolean; pieces: number }[]
  error: Json
  /** What a strict client would stumble over. */
  problems: string[]
}

interface Open {
  item: Json
  /** What the deltas gave so far, by the place of the part. */
  parts: Map<number, { text: string; type: string; ended: boolean }>
  input: string
  pieces: number
  inputEnded: boolean
}

const terminal = new Set(['response.completed', 'response.incomplete', 'response.failed'])

export async function readResponsesStream(answer: Response): Promise<ResponsesStream> {
  const raw = await answer.text()
  const stream: ResponsesStream = {
    status: answer.status,
    headers: answer.headers,
    raw,
    events: [],
    comments: [],
    response: undefined,
    items: [],
    text: '',
    reasoning: '',
    calls: [],
    error: undefined,
    problems: [],
  }
  if (!(answer.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    stream.error = JSON.parse(raw).error
    return stream
  }
  readEvents(stream)
  new Checker(stream).check()
  return stream
}

function readEvents({ raw, events, comments, problems }: ResponsesStream): void {
  if (!raw.endsWith('\n\n')) problems.push('the last event is cut off')
  for (const block of raw.split('\n\n')) {
    const lines = block.split('\n').filter((line) => line !== '')
    const [first = '', second = '', ...more] = lines.filter((line) => !line.startsWith(':'))
    comments.push(...lines.filter((line) => line.startsWith(':')))
    if (first === '') continue
    if (!first.startsWith('event: ') || !second.startsWith('data: ') || more.length > 0)
      problems.push(`not an event and its data: ${block}`)
    const event = JSON.parse(second.slice(6))
    if (event.type !== first.slice(7)) problems.push(`${first} holds ${event.type}`)
    events.push(event)
  }
}

class Checker {
  readonly #stream: ResponsesStream
  readonly #ids = new Set<string>()
  #open: Open | undefined
  #created: Json

  constructor(stream: ResponsesStream) {
    this.#stream = stream
  }

  check(): void {
    const { events, problems } = this.#stream
    for (const [at, event] of events.entries()) {
      const say = (problem: string) => problems.push(`event ${at} (${event.type}): ${problem}`)
      if (event.sequence_number !== at) say(`has number ${event.sequence_number}`)
      if ((at === 0) !== (event.type === 'response.created')) say('created must be the first, once')
      if (at === 1 && event.type !== 'response.in_progress') say('in_progress must be the second')
      if (terminal.has(event.type) !== (at === events.length - 1)) say('the end must be last')
      this.#on(event, say)
    }
  }

  #on(event: Json, say: (problem: string) => void): void {
    const { type } = event
    if (type === 'error') {
      this.#stream.error = event
      if (typeof event.code !== 'string' || typeof event.error?.message !== 'string')
        say('no code or message')
    } else if (event.response) this.#onResponse(event, say)
    else if (type === 'response.output_item.added') this.#added(event, say)
    else if (type === 'response.output_item.done') this.#done(event, say)
    else this.#inside(event, say)
  }

  #onResponse({ type, response }: Json, say: (problem: string) => void): void {
    const stream = this.#stream
    this.#created ??= response
    for (const field of ['id', 'created_at', 'model', 'object'])
      if (response[field] !== this.#created[field]) say(`${field} changed`)
    if (!/^resp_\w+$/.test(response.id) || response.object !== 'response') say('no response id')
    for (const field of ['tools', 'output']) if (!Array.isArray(response[field])) say(`${field} is no array`)
    if (!terminal.has(type)) {
      if (response.status !== 'in_progress') say('not at its beginning')
      // A later one keeps the stream open: it holds what is done.
      if (JSON.stringify(response.output) !== JSON.stringify(stream.items))
        say('the output is not what was done')
      return
    }
    stream.response = response
    if (type !== `response.${response.status}`) say(`status is ${response.status}`)
    if ((response.status === 'failed') !== (stream.error !== undefined)) say('failed and error do not agree')
    if ((response.status === 'incomplete') !== (response.incomplete_details !== null))
      say('incomplete_details')
    if (response.status !== 'failed' && !Number.isInteger(response.usage?.total_tokens)) say('no usage')
    if (this.#open && (response.status === 'completed' || !this.#open.item.type.endsWith('_call')))
      if (response.status !== 'failed') say(`${this.#open.item.type} was never done`)
    if (JSON.stringify(response.output) !== JSON.stringify(stream.items))
      say('the output is not what was done')
  }

  #added({ item, output_index }: Json, say: (problem: string) => void): void {
    if (this.#open) say('the item before it is not done')
    if (output_index !== this.#stream.items.length) say(`output_index ${output_index}`)
    if (!/^(msg|rs|fc|ctc|tsc)_\w+$/.test(item.id) || this.#ids.has(item.id)) say(`item id ${item.id}`)
    if (item.type !== 'reasoning' && item.status !== 'in_progress') say(`status ${item.status}`)
    if (item.content?.length || item.summary?.length || item.arguments?.length || item.input)
      say('it is not empty')
    this.#ids.add(item.id)
    this.#open = { item, parts: new Map(), input: '', pieces: 0, inputEnded: false }
  }

  #done({ item, output_index }: Json, say: (problem: string) => void): void {
    const stream = this.#stream
    const open = this.#open
    this.#open = undefined
    if (!open || open.item.id !== item.id || open.item.type !== item.type) return say('another item is open')
    if (output_index !== stream.items.length) say(`output_index ${output_index}`)
    stream.items.push(item)
    if (item.type === 'message' || item.type === 'reasoning') {
      const parts: Json[] = item.type === 'message' ? item.content : item.summary
      const texts = parts.map((part) => part.text ?? part.refusal)
      if (JSON.stringify(texts) !== JSON.stringify([...open.parts.values()].map(({ text }) => text)))
        say('the parts are not what the deltas said')
      if ([...open.parts.values()].some(({ ended }) => !ended)) say('a part was never done')
      stream[item.type === 'message' ? 'text' : 'reasoning'] += texts.join('')
      return
    }
    // It has no name, and its arguments come whole.
    if (item.type === 'tool_search_call') return
    const { call_id: id, name, namespace } = item
    const custom = item.type === 'custom_tool_call'
    const input: string = custom ? item.input : item.arguments
    if (open.item.call_id !== id || open.item.name !== name || !id || !name) say('id or name')
    if (!open.inputEnded || open.input !== input) say('the input is not what the deltas said')
    stream.calls.push({ id, name, ...(namespace ? { namespace } : {}), input, custom, pieces: open.pieces })
  }

  #inside(event: Json, say: (problem: string) => void): void {
    const open = this.#open
    if (!open) return void say('no item is open')
    if (event.item_id !== open.item.id || event.output_index !== this.#stream.items.length)
      say('another item is meant')
    const [, what = '', step = ''] = /^response\.(.+)\.(added|delta|done)$/.exec(event.type) ?? []
    if (what === 'function_call_arguments' || what === 'custom_tool_call_input') {
      const whole = what === 'function_call_arguments' ? event.arguments : event.input
      if (open.inputEnded) say('it was done')
      if (step === 'delta') {
        open.input += event.delta
        open.pieces++
      } else if (whole !== open.input) say('the deltas do not add up')
      open.inputEnded = step === 'done'
      return
    }
    this.#onPart(event, { what, step, open, say })
  }

  #onPart(
    event: Json,
    { what, step, open, say }: { what: string; step: string; open: Open; say: (problem: string) => void },
  ): void {
    const at = event.content_index ?? event.summary_index
    const isPart = what === 'content_part' || what === 'reasoning_summary_part'
    if (!isPart && !['output_text', 'refusal', 'reasoning_summary_text'].includes(what))
      return say('not known')
    if (isPart && step === 'added') {
      if (at !== open.parts.size) say(`index ${at}`)
      open.parts.set(at, { text: '', type: event.part.type, ended: false })
      return
    }
    const part = open.parts.get(at)
    if (!part) return say('no such part was added')
    if (part.ended) say('the part was done')
    if (!isPart && part.type !== (what === 'reasoning_summary_text' ? 'summary_text' : what))
      say('of another type')
    if (step === 'delta') {
      if (event.delta === '') say('empty')
      part.text += event.delta
      return
    }
    const whole = isPart ? (event.part.text ?? event.part.refusal) : (event.text ?? event.refusal)
    if (whole !== part.text) say('the deltas do not add up')
    part.ended = isPart
  }
}
