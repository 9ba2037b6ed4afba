// Responses stream, or whole response → TurnEvents. Servers are forgiven what they leave out, in items and in their events. The end is
// not forgiven: without its last event an answer is incomplete.

import { type Fields, isObject } from '../../base/json.ts'
import type { GatewayError } from '../../core/errors.ts'
import { createLaneStep, type LaneStep } from '../streams/lane.ts'
import { isCut, TurnReader } from '../streams/reader.ts'
import { endStatus } from './end-status.ts'
import { kindOf, OutputItem, textOf } from './output-item.ts'
import { type OutputOptions, OutputWriter } from './output-writer.ts'
import type { CallReasoning } from './reasoning-items.ts'
import { ResponseFaults } from './response-faults.ts'
import { errorBody, fromResponsesError } from './upstream-errors.ts'
import { usageOf } from './usage-in.ts'

type ResponsesReaderOptions = OutputOptions

/** Items of an answer. No answer has more, and each takes memory. */
const mostItems = 10_000

export class ResponsesReader extends TurnReader<ResponsesReaderOptions> {
  readonly #output: OutputWriter
  readonly #faults: ResponseFaults
  #started = false
  #count = 0
  /** The item of each `output_index`. Some servers change an item's id from event to event, so the index goes before the id. */
  readonly #byIndex = new Map<number, OutputItem>()
  readonly #byId = new Map<string, OutputItem>()
  #newest: OutputItem | undefined
  /** An item that is not shown: the service works, e.g. on a search. */
  #worksUnseen = false
  /** The response of the last event, and its status. */
  #last: { response: Fields; status: unknown } | undefined

  /** Calls that are announced and not complete. */
  readonly #openCalls = new Set<OutputItem>()
  /** A call began before the one in front of it was complete: each is written from its events, when it is. */
  #isOverlapping = false
  /** The message belongs to a call that the client sees under another id. */
  #isOfReplaced = false
  readonly #step = createLaneStep()

  constructor(options: ResponsesReaderOptions) {
    super(options)
    this.#faults = new ResponseFaults(this.repairs, options.lane?.form)
    this.#output = new OutputWriter(options, this.blocks, this.budget, this.#faults)
  }

  /** The reasoning that goes back with a call; undefined if there was none. */
  keptWith(callId: string): CallReasoning | undefined {
    return this.#output.keptWith(callId)
  }

  /** Nothing but its last event settles an answer. */
  get settled(): boolean {
    return this.#last !== undefined
  }

  override get mayBeSilent(): boolean {
    return super.mayBeSilent || this.#worksUnseen || this.#output.current?.kind === 'reasoning'
  }

  protected override get laneStep(): LaneStep {
    const step = this.#step
    step.holds = this.options.wholeArguments && this.#openCalls.size > 0
    // A whole answer says itself that a call was cut off.
    const isCut = this.#output.isCut && this.options.lane?.form === 'message'
    step.replaced = this.#output.takeReplaced() || this.#isOfReplaced || isCut || this.#isOverlapping
    if (this.#openCalls.size === 0) this.#isOverlapping = false
    return step
  }

  protected onMessage(data: string, name?: string): void {
    this.#step.ofCall = false
    this.#step.visible = false
    this.#isOfReplaced = false
    // OpenAI does not send it, some servers do. It is not an end.
    this.#step.withheld = data.trim() === '[DONE]'
    if (this.#step.withheld) return
    this.#onEvent(this.parse(data))
    this.#faults.onEventName(name)
  }

  #onEvent(event: Fields): void {
    switch (event.type) {
      case 'response.created':
      case 'response.queued':
        return this.#onCreated(event)
      case 'response.in_progress':
        return this.#onInProgress(event)
      case 'response.output_item.added':
        return this.#onItemAdded(event)
      case 'response.output_text.delta':
        return this.#onText(event, false)
      case 'response.output_text.done':
        return this.#onWholeText(event, event.text, false)
      case 'response.refusal.delta':
        return this.#onText(event, true)
      case 'response.refusal.done':
        return this.#onWholeText(event, event.refusal, true)
      case 'response.reasoning_summary_text.delta':
        return this.#onReasoning(event, 'summary')
      case 'response.reasoning_summary_text.done':
        return this.#onWholeReasoning(event, 'summary')
      case 'response.reasoning_text.delta':
        return this.#onReasoning(event, 'content')
      case 'response.reasoning_text.done':
        return this.#onWholeReasoning(event, 'content')
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#onInput(event)
      case 'response.function_call_arguments.done':
        return this.#onWholeInput(event, event.arguments)
      case 'response.custom_tool_call_input.done':
        return this.#onWholeInput(event, event.input)
      case 'response.output_item.done':
        return this.#onItemDone(event)
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#onEnd(event)
      case 'error':
        return this.#onError(event)
      case 'keepalive':
        return this.#onKeepAlive()
      default:
        return this.#onUnknown(event)
    }
  }

  protected onWhole(answer: Fields): void {
    if (isObject(answer.error) && !Array.isArray(answer.output)) throw this.#failure(answer)
    if (!Array.isArray(answer.output)) throw this.malformed('an answer without output')
    this.#faults.isWhole = true
    this.#last = { response: answer, status: answer.status }
    this.finish()
  }

  #onCreated({ type, response }: Fields): void {
    this.#step.withheld = this.#started && type === 'response.created'
    if (this.#step.withheld) this.#faults.always('repeated-start')
    if (isObject(response)) this.#start(response)
  }

  /** Some servers repeat it as a sign of life: that is no progress. */
  #onInProgress(event: Fields): void {
    if (this.#started) this.progress--
    this.#onCreated(event)
  }

  #onKeepAlive(): void {
    this.progress--
  }

  #onItemAdded(event: Fields): void {
    if (!isObject(event.item)) return
    this.#startLate({})
    this.#add(event.item, event)
  }

  #onText(event: Fields, isRefusal: boolean): void {
    const entry = this.#find(event, 'message')
    this.#output.text(entry, indexOf(event.content_index) ?? 0, textOf(event.delta), isRefusal)
  }

  #onWholeText(event: Fields, text: unknown, isRefusal: boolean): void {
    const entry = this.#find(event, 'message')
    this.#output.wholeText(entry, indexOf(event.content_index) ?? 0, textOf(text), isRefusal)
  }

  #onReasoning(event: Fields, shows: 'summary' | 'content'): void {
    this.#output.reasoning(this.#find(event, 'reasoning'), shows, partOf(event, shows), textOf(event.delta))
  }

  #onWholeReasoning(event: Fields, shows: 'summary' | 'content'): void {
    this.#output.wholeReasoning(
      this.#find(event, 'reasoning'),
      shows,
      partOf(event, shows),
      textOf(event.text),
    )
  }

  #onInput(event: Fields): void {
    const entry = this.#findKnown(event)
    this.#step.ofCall = true
    this.#isOfReplaced = entry?.isReplaced ?? false
    if (entry?.isCall) this.#output.input(entry, textOf(event.delta))
  }

  #onWholeInput(event: Fields, input: unknown): void {
    const entry = this.#findKnown(event)
    this.#step.ofCall = true
    this.#isOfReplaced = entry?.isReplaced ?? false
    if (entry?.isCall) this.#output.wholeInput(entry, textOf(input))
  }

  #onItemDone(event: Fields): void {
    const { item } = event
    if (!isObject(item)) return
    this.#startLate({})
    const kind = kindOf(item)
    const found = this.#findKnown(event, item)
    const known = found?.kind === kind ? found : undefined
    if (!known) this.#faults.read('missing-events')
    const entry = known ?? this.#add(item, event)
    this.#onKind(kind)
    this.#isOfReplaced = entry.isReplaced
    if (kind === 'other') this.#worksUnseen = false
    else this.#output.done(entry, item)
    this.#openCalls.delete(entry)
  }

  /** Items of other kinds are only in the lane. */
  #onKind(kind: OutputItem['kind']): void {
    this.#step.ofCall = kind === 'call' || kind === 'custom-call'
    this.#step.visible = kind === 'other'
  }

  #onEnd({ type, response }: Fields): void {
    const answer = isObject(response) ? response : {}
    const named = String(type).slice('response.'.length)
    this.#last = { response: answer, status: textOf(answer.status) || named }
    this.finish()
  }

  /** Documented flat, seen nested. A `response.failed` after it is for the same fault. */
  #onError({ type: _, sequence_number: __, ...error }: Fields): void {
    throw this.#failure(errorBody(error))
  }

  /** Events of tools that the service runs itself, and of later versions: the model is at work. */
  #onUnknown({ type, error }: Fields): void {
    if (type === undefined && error != null) throw this.#failure({ error })
  }

  #failure(body: unknown): GatewayError {
    return fromResponsesError({ backend: this.options.backend, status: 200, body })
  }

  /** Without the event that should have begun the answer. */
  #startLate(response: Fields): void {
    if (this.#started) return
    this.#faults.read('no-start')
    this.#start(response)
  }

  #start(response: Fields): void {
    if (this.#started) return
    this.#started = true
    const id = textOf(response.id) || this.options.turnId
    const model = textOf(response.model) || this.options.model
    this.blocks.push({ type: 'turn-start', id, model })
  }

  #add(item: Fields, { output_index: index }: Fields): OutputItem {
    if (++this.#count > mostItems) throw this.malformed(`more than ${mostItems} items`)
    const entry = new OutputItem(kindOf(item), item)
    const at = indexOf(index)
    const id = textOf(item.id)
    if (at !== undefined) this.#byIndex.set(at, entry)
    if (id !== '') this.#byId.set(id, entry)
    this.#newest = entry
    this.#worksUnseen = entry.kind === 'other'
    this.#onKind(entry.kind)
    if (entry.isCall) {
      this.#isOverlapping ||= this.options.wholeArguments && this.#openCalls.size > 0
      this.#openCalls.add(entry)
    }
    if (entry.kind === 'other') this.#faults.read('odd-part')
    else this.#output.add(entry)
    return entry
  }

  /** By index, else by id, else the newest. */
  #findKnown({ output_index: index, item_id: id }: Fields, item: Fields = {}): OutputItem | undefined {
    const at = indexOf(index)
    if (at !== undefined) return this.#byIndex.get(at)
    const named = textOf(id) || textOf(item.id)
    if (named !== '') return this.#byId.get(named)
    return this.#newest?.isDone ? undefined : this.#newest
  }

  /** The item of an event, made up if the server did not announce it. */
  #find(event: Fields, kind: 'message' | 'reasoning'): OutputItem {
    const known = this.#findKnown(event)
    if (known?.kind === kind) return known
    this.#startLate({})
    this.#faults.read('missing-events')
    return this.#add({ type: kind, id: event.item_id }, event)
  }

  protected finish(): void {
    const { response, status } = this.#last ?? { response: {}, status: undefined }
    this.#startLate(response)
    if (status === 'failed' || status === 'cancelled')
      throw this.#failure({ error: response.error ?? { message: `the answer has the status "${status}"` } })
    const { stated, raw, fault } = endStatus(status, response)
    this.#faults.read(fault)
    this.#readRest(response.output)
    this.#output.finish(stated !== 'stop')
    this.#openCalls.clear()
    this.blocks.close()
    if (this.#output.isCut && !isCut(stated) && stated !== 'other')
      throw this.malformed('an incomplete tool call in a complete answer')
    const reason = this.#output.isCut ? stated : this.conclude(stated)
    this.ended = true
    const rawReason = textOf(raw)
    const usage = usageOf(response.usage)
    this.blocks.push({
      type: 'turn-end',
      reason,
      ...(rawReason === '' ? {} : { rawReason }),
      ...(usage ? { usage } : {}),
    })
  }

  /** Items without events, and items whose end did not come. */
  #readRest(output: unknown): void {
    if (!Array.isArray(output)) return
    const isUnseen = this.#count === 0
    for (const [at, item] of output.entries()) {
      if (!isObject(item)) continue
      const known = isUnseen ? undefined : this.#byId.get(textOf(item.id))
      const isOpen = known && known.kind !== 'other' && !known.isDone && known.kind === kindOf(item)
      if (isUnseen) this.#onItemDone({ item, output_index: at })
      else if (isOpen) {
        this.#faults.read('missing-events')
        this.#output.done(known, item)
      }
    }
  }
}

const indexOf = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined

const partOf = (event: Fields, shows: 'summary' | 'content') =>
  indexOf(shows === 'summary' ? event.summary_index : event.content_index) ?? 0
