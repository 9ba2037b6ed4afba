// BlockWriter: opens, numbers and closes blocks. All block events are made here, so readers cannot get their order wrong: opening a
// block closes the one before it.

import type { CallCheck } from './call-check.ts'
import { isTerminal, type TurnEvent } from './events.ts'
import { entryCost, TurnBudget, textCost } from './turn-budget.ts'

type OpenBlock =
  | { kind: 'text'; block: number; refusal: boolean }
  | { kind: 'reasoning'; block: number }
  | { kind: 'tool-call'; block: number; callId: string; name: string; started: boolean; given: boolean }

export type OpaqueEvent = Extract<TurnEvent, { type: 'opaque' }>
export type OpaqueFields = Omit<Extract<TurnEvent, { type: 'opaque' }>, 'type' | 'covers'>
type TurnStart = Extract<TurnEvent, { type: 'turn-start' }>

type CallEnd = Extract<TurnEvent, { type: 'tool-call-end' }>

const none: readonly CallEnd[] = []

const startFields = ({ id, model, usage }: TurnStart) => (usage ? { id, model, usage } : { id, model })

interface BlockOptions {
  budget?: TurnBudget
  stem?: string
  lane?: string | undefined
  calls?: CallCheck | undefined
  /** Translates the whole input of a call back, for a tool whose schema was rewritten. */
  undoInput?: ((name: string, input: string) => string) | undefined
  isLive?: boolean
}

export class BlockWriter {
  #open: OpenBlock | undefined
  #next = 0
  readonly #ids = new Set<string>()
  readonly #stem: string
  #events: TurnEvent[] = []
  readonly #budget: TurnBudget
  #lane: string | undefined
  readonly #calls: CallCheck | undefined
  readonly #undoInput: BlockOptions['undoInput']
  #isLive: boolean
  /** `turn-start` was written. */
  isStarted = false
  /** Completed tool calls. */
  calls = 0
  hasText = false

  /**
   * `stem`: the prefix of generated call ids. Call ids are kept until the turn ends. `lane`: its dialect, for `turn-start`. `calls`:
   * checks each call before its first event. `isLive`: the client sees the beginning of a call at once, beside the events.
   */
  constructor(options: BlockOptions = {}) {
    const { budget = new TurnBudget(), stem = 'call', lane, calls, undoInput, isLive = false } = options
    this.#budget = budget
    this.#stem = stem
    this.#lane = lane
    this.#calls = calls
    this.#undoInput = undoInput
    this.#isLive = isLive
  }

  /** The answer has no messages that a door could forward. */
  leaveLane(): void {
    this.#lane = undefined
    this.#isLive = false
  }

  get begun(): boolean {
    return this.#next > 0
  }

  /** The next text delta would belong to the open block. */
  get isTextOpen(): boolean {
    return this.#open?.kind === 'text' && !this.#open.refusal
  }

  push(event: TurnEvent): void {
    const open = this.#open
    // A call that was cut off is still a call that began.
    if (open?.kind === 'tool-call' && !open.started && isTerminal(event)) this.#startOpen(open)
    this.#events.push(event.type === 'turn-start' ? this.#begin(event) : event)
  }

  #begin(event: TurnStart): TurnEvent {
    this.isStarted = true
    const lane = this.#lane
    return lane === undefined ? event : { type: 'turn-start', lane, ...startFields(event) }
  }

  /** The number of events that were not taken yet. */
  get pending(): number {
    return this.#events.length
  }

  /**
   * Inserts opaque events before the pending events from `at` on; the last one covers those before `end`. `turn-start` stays before
   * them and names the lane. Returns the position after the covered events.
   */
  cover(at: number, messages: readonly OpaqueFields[], end = this.#events.length): number {
    const first = this.#events[at]
    const lane = messages[0]?.lane
    if (lane === undefined) return end
    const from = first?.type === 'turn-start' ? at + 1 : at
    if (first?.type === 'turn-start') this.#events[at] = { type: 'turn-start', lane, ...startFields(first) }
    const covered = end - from
    const last = messages.length - 1
    const opaque = messages.map(
      ({ form, lane, data, name, visible }, place): TurnEvent => ({
        type: 'opaque',
        form,
        lane,
        data,
        name,
        covers: place === last && form === 'message' ? covered : 0,
        visible,
      }),
    )
    // Not `splice` with a spread: very many messages would overflow the stack.
    this.#events = [...this.#events.slice(0, from), ...opaque, ...this.#events.slice(from)]
    return end + opaque.length
  }

  /** `cover` for one message, which is what most reads hold: without lists in between. The message becomes the event. */
  coverWith(at: number, message: OpaqueEvent): void {
    const events = this.#events
    const first = events[at]
    if (first?.type === 'turn-start') return void this.cover(at, [message])
    message.covers = events.length - at
    if (first === undefined) events.push(message)
    else if (events.length > at + 1) events.splice(at, 0, message)
    else {
      events[at] = message
      events.push(first)
    }
  }

  /** The position after the last call that ended among the pending events from `at` on; `at` if none did. */
  afterCalls(at: number): number {
    for (let place = this.#events.length; place > at; place--)
      if (this.#events[place - 1]?.type === 'tool-call-end') return place
    return at
  }

  /** Text or reasoning comes before the end of a call among the pending events from `at` on. */
  hasTextBeforeCalls(at: number): boolean {
    const end = this.afterCalls(at)
    for (let place = at; place < end; place++) {
      const type = this.#events[place]?.type
      if (type === 'text-delta' || type === 'reasoning-delta') return true
    }
    return false
  }

  /** The calls that ended among the pending events from `at` on. */
  endedSince(at: number): readonly CallEnd[] {
    let ended: CallEnd[] | undefined
    for (let place = at; place < this.#events.length; place++) {
      const event = this.#events[place]
      if (event?.type !== 'tool-call-end') continue
      ended ??= []
      ended.push(event)
    }
    return ended ?? none
  }

  take(): TurnEvent[] {
    const events = this.#events
    if (events.length > 0) this.#events = []
    return events
  }

  text(delta: string, options: { refusal?: true } = {}): void {
    if (delta === '') return
    this.hasText = true
    const refusal = options.refusal === true
    if (this.#open?.kind !== 'text' || this.#open.refusal !== refusal) {
      this.close()
      this.#open = { kind: 'text', block: this.#next++, refusal }
      this.push({ type: 'text-start', block: this.#open.block, ...options })
    }
    this.push({ type: 'text-delta', block: this.#open.block, delta })
  }

  /** Opens a reasoning block; `reasoning('')` opens an empty one, which can still carry a signature. */
  reasoning(delta: string): void {
    if (this.#open?.kind !== 'reasoning') {
      this.close()
      this.#open = { kind: 'reasoning', block: this.#next++ }
      this.push({ type: 'reasoning-start', block: this.#open.block })
    }
    if (delta !== '') this.push({ type: 'reasoning-delta', block: this.#open.block, delta })
  }

  endReasoning(proof: { signature?: string; redacted?: string }): void {
    if (this.#open?.kind !== 'reasoning') this.reasoning('')
    const block = this.#open?.block ?? 0
    this.#open = undefined
    this.push({ type: 'reasoning-end', block, ...proof })
  }

  /** Opens a call and returns its id, which clients use as a key. An empty or repeated id is replaced by a new one. */
  startCall(id: string, name: string): string {
    this.#budget.spend(2 * (entryCost + textCost(id)))
    this.close()
    const callId = id === '' || this.#ids.has(id) ? this.#freshId() : id
    this.#ids.add(callId)
    // A check may give the call another name, so its start waits.
    const started = this.#calls === undefined || this.#isLive
    this.#open = { kind: 'tool-call', block: this.#next++, callId, name, started, given: false }
    if (started) this.#startOpen(this.#open)
    return callId
  }

  #startOpen({ block, callId, name }: { block: number; callId: string; name: string }): void {
    this.push({ type: 'tool-call-start', block, callId, name })
  }

  #freshId(): string {
    let number = this.#ids.size
    while (this.#ids.has(`${this.#stem}_${number}`)) number++
    return `${this.#stem}_${number}`
  }

  callDelta(delta: string): void {
    if (this.#open?.kind !== 'tool-call' || delta === '') return
    if (!this.#open.started) this.#startOpen(this.#open)
    this.#open.started = true
    this.#open.given = true
    this.push({ type: 'tool-call-delta', block: this.#open.block, delta })
  }

  /**
   * Ends the open call. A call has at least one delta: if there was none, it is the whole input. `value`: the parsed input, if known.
   * True if the client gets another call than the model made.
   */
  endCall(written: string, value?: unknown): boolean {
    if (this.#open?.kind !== 'tool-call') return false
    const { block, callId, name, started, given } = this.#open
    const input = given ? written : (this.#undoInput?.(name, written) ?? written)
    const made = { callId, name, input }
    const isShown = given || this.#isLive
    const call = this.#calls?.check(made, isShown, input === written ? value : undefined) ?? made
    if (!started) this.#startOpen({ block, callId: call.callId, name: call.name })
    if (!given) this.push({ type: 'tool-call-delta', block, delta: call.input })
    this.#open = undefined
    this.calls++
    const isChanged = call !== made
    this.push({ type: 'tool-call-end', block, ...call, ...(isChanged ? { made } : {}) })
    return isChanged
  }

  /** Closes text and reasoning. A tool call stays open: only its reader knows whether it is complete. */
  close(): void {
    if (this.#open === undefined || this.#open.kind === 'tool-call') return
    const { kind, block } = this.#open
    this.#open = undefined
    this.push(kind === 'text' ? { type: 'text-end', block } : { type: 'reasoning-end', block })
  }
}
