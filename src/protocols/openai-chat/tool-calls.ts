// Collects the tool calls of OpenAI-compatible servers; `call-sorter.ts` decides which call a delta belongs to. One call is open at
// a time; deltas of other calls wait.

import { writeExact } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { ownText } from '../../base/text-buffer.ts'
import type { BlockWriter } from '../../core/blocks.ts'
import { GatewayError } from '../../core/errors.ts'
import { repeatedIdNote } from '../../core/history.ts'
import { argumentsNote, type Repairs } from '../../core/repairs.ts'
import { entryCost, jsonCost, type TurnBudget, textCost } from '../../core/turn-budget.ts'
import { cutCallNote, emptyStartRemoved, longestInput, readToolInput } from '../requests/tool-input.ts'
import type { ReaderOptions } from '../streams/reader.ts'
import { CallSorter } from './call-sorter.ts'
import { StreamedCall } from './streamed-call.ts'

/** A call, its scanner, and its map entries. */
const callCost = 4 * entryCost

/** The index of the legacy `function_call`. No index of `tool_calls` is below 0. */
const legacyIndex = -1

export class ToolCallTracker {
  readonly #blocks: BlockWriter
  readonly #budget: TurnBudget
  readonly #options: ReaderOptions
  readonly #repairs: Repairs
  readonly #calls: StreamedCall[] = []
  readonly #sorter: CallSorter<StreamedCall>
  /** All calls before this place are open or ended. */
  #nextPlace = 0
  /** Proofs of calls, by the id that clients see. */
  readonly extras = new Map<string, unknown>()
  /** The server's own ids of calls for which clients see another id. */
  readonly ownIds = new Map<string, string>()
  #open: StreamedCall | undefined
  /** A call came in the older form. */
  hasLegacyCall = false
  #later: { write: (text: string) => void; text: string }[] = []
  /** The total length of all arguments. */
  #length = 0

  constructor(blocks: BlockWriter, options: ReaderOptions, budget: TurnBudget, repairs: Repairs) {
    this.#blocks = blocks
    this.#options = options
    this.#budget = budget
    this.#repairs = repairs
    this.#sorter = new CallSorter(() => this.#unclear())
  }

  get isIdle(): boolean {
    return !this.#open
  }

  /** Writes the text now, or after the open call if that one is not complete. */
  whenIdle(write: (text: string) => void, text: string): void {
    if (!this.#open || this.#advance()) {
      this.#writeLater()
      return write(text)
    }
    this.#budget.spend(entryCost + textCost(text))
    this.#later.push({ write, text: ownText(text) })
  }

  /** `isOfMessage`: an element of a whole message, which has no index. */
  onDelta(delta: Fields, position: number, isOfMessage = false): void {
    const index = toIndex(delta.index)
    if (index === undefined && !isOfMessage) this.#repairs.add('no-call-index')
    this.#onDelta(delta, index, position)
  }

  onLegacyCall(fields: unknown): void {
    this.hasLegacyCall = true
    this.#repairs.add('legacy-call')
    this.#onDelta({ function: fields }, legacyIndex, 0)
  }

  /** An element of a whole answer: always a separate call, whatever its id and index. */
  onWholeCall(element: Fields): void {
    const call = this.#create(undefined)
    this.#noteType(element)
    this.#name(call, textOf(element.id))
    this.#fill(call, element, nameOf(element), this.#argumentsOf(element))
  }

  #onDelta(delta: Fields, index: number | undefined, position: number): void {
    const text = this.#argumentsOf(delta)
    const id = textOf(delta.id)
    const name = nameOf(delta)
    const found = this.#sorter.find({ index, id, name, text, position })
    if (found) this.#notePiece(found, delta, name, text)
    else this.#noteStart(delta, index)
    const call = found ?? this.#create(index)
    const isFirstId = call.givenId === '' && id !== ''
    if (isFirstId) this.#name(call, id)
    if (!found) this.#sorter.add(call)
    else if (isFirstId) this.#sorter.onId(call)
    this.#fill(call, delta, name, text)
  }

  /** A piece of a known call. */
  #notePiece(call: StreamedCall, { id, function: fields }: Fields, name: string, text: string): void {
    if (name !== '') this.#repairs.add(call.name === '' ? 'late-call-name' : 'repeated-call-name')
    else if (id === '' || (fields as Fields | undefined)?.name === '') this.#repairs.add('empty-call-name')
    if (id && typeof id === 'string' && call.givenId !== '' && id !== call.givenId)
      this.#repairs.add('changing-call-id')
    if (call !== this.#calls.at(-1) && text.trim() !== '') this.#repairs.add('interleaved-calls')
  }

  #noteStart(delta: Fields, index: number | undefined): void {
    if (index === legacyIndex) return
    this.#noteType(delta)
    if (index === undefined || index === this.#calls.length) return
    if (this.#sorter.hasIndex(index)) this.#repairs.add('shared-call-index')
    else if (this.#options.lane) this.#repairs.add('call-index-gap')
  }

  /** Only clients of the same dialect see it. */
  #noteType({ type }: Fields): void {
    if (this.#options.lane && type !== 'function') this.#repairs.add('no-call-type')
  }

  #argumentsOf({ function: fields }: Fields): string {
    const given = isObject(fields) ? fields.arguments : undefined
    if (typeof given === 'string') return given
    // PHP's form of an empty object.
    if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) return ''
    this.#repairs.add('object-arguments')
    return writeExact(given)
  }

  #name(call: StreamedCall, id: string): void {
    this.#budget.spend(textCost(id))
    call.givenId = id
  }

  #fill(call: StreamedCall, delta: Fields, name: string, text: string): void {
    // Never appended: servers repeat names, and none was seen to send one in pieces.
    if (call.name === '' && name !== '') {
      this.#budget.spend(textCost(name))
      call.name = name
    }
    if (isObject(delta.extra_content)) {
      this.#budget.spend(jsonCost(delta.extra_content))
      call.extra = delta.extra_content
    }
    this.#append(call, text)
  }

  #append(call: StreamedCall, text: string): void {
    if (call.state === 'ended') {
      if (text.trim() !== '') throw this.#malformed(call)
      return
    }
    this.#length += text.length
    if (this.#length > longestInput) throw this.#tooLong()
    if (text !== '') this.#keep(call, text)
    if (call !== this.#open) return void this.#advance()
    if (this.#later.length > 0 && text.trim() !== '') this.#repairs.add('text-inside-call')
    this.#pass(call, text)
  }

  #keep(call: StreamedCall, text: string): void {
    this.#budget.spend(textCost(text))
    call.append(text)
  }

  #create(index: number | undefined): StreamedCall {
    this.#budget.spend(callCost)
    const call = new StreamedCall(index)
    this.#calls.push(call)
    return call
  }

  /** No call returns to `waiting`, so the scan passes each call once. */
  get #nextWaiting(): StreamedCall | undefined {
    while (this.#calls[this.#nextPlace] && this.#calls[this.#nextPlace]?.state !== 'waiting')
      this.#nextPlace++
    return this.#calls[this.#nextPlace]
  }

  /** Ends the open call if its arguments are complete, and opens the next one that has a name. True if no call is open then. */
  #advance(): boolean {
    if (this.#open) {
      if (!this.#open.isWhole(false)) return false
      this.#finish(this.#open)
    }
    const next = this.#nextWaiting
    if (next && next.name !== '') this.#begin(next)
    return this.#open === undefined
  }

  #begin(call: StreamedCall): void {
    call.state = 'open'
    this.#open = call
    call.shownId = this.#blocks.startCall(call.givenId, call.name)
    if (call.givenId === '' && call.index !== legacyIndex) this.#repairs.add('no-call-id')
    else if (call.givenId !== '' && call.shownId !== call.givenId) this.#options.note(repeatedIdNote)
    this.#pass(call, call.text)
  }

  /** Passes new text on, unless the whole text could still be a leading `{}`. */
  #pass(call: StreamedCall, text: string): void {
    if (this.#options.wholeArguments || text === '') return
    if (!call.passed) {
      if (call.length < 64 && ['', '{', '{}'].includes(call.text.trim())) return
      if (call.dropEmptyStart()) this.#options.note(argumentsNote(emptyStartRemoved))
    }
    this.#blocks.callDelta(call.passed ? text : call.text)
    call.passed = true
  }

  /** Ends all calls: no more deltas follow. With `cut` the last call may be incomplete; it is dropped, not repaired. */
  flush(cut: boolean): void {
    for (;;) {
      const call = this.#open ?? this.#nextWaiting
      if (!call) break
      if (call.name === '') {
        if (!cut)
          throw new GatewayError(
            'upstream-protocol',
            `${this.#options.backend}: the upstream sent a tool call without a name.`,
          )
        this.#options.note(cutCallNote)
        call.state = 'ended'
        continue
      }
      if (call.state === 'waiting') this.#begin(call)
      if (cut && (call.text.trim() === '' || !readToolInput(call.text).ok)) {
        this.#options.note(cutCallNote)
        // No call may open after one that is left open: later calls are dropped as well.
        for (const rest of this.#calls) rest.state = 'ended'
        this.#later = []
        this.#open = undefined
        return
      }
      this.#finish(call)
    }
    this.#writeLater()
  }

  #writeLater(): void {
    // Asked before each delta of text, when nothing waits.
    if (this.#later.length === 0) return
    for (const { write, text } of this.#later.splice(0)) write(text)
  }

  #finish(call: StreamedCall): void {
    const read = readToolInput(call.text)
    if (!read.ok) throw this.#malformed(call)
    const [first, ...others] = read.inputs
    if (call.passed && first !== call.text) throw this.#malformed(call)
    if (call.length === 0 || call.text.trim() === '') this.#repairs.add('empty-arguments')
    if (read.changed !== undefined) this.#options.note(argumentsNote(read.changed))
    this.#blocks.endCall(first, read.value)
    if (call.extra) this.extras.set(call.shownId, call.extra)
    if (call.givenId !== '' && call.givenId !== call.shownId) this.ownIds.set(call.shownId, call.givenId)
    call.state = 'ended'
    this.#open = undefined
    for (const input of others) {
      this.#blocks.startCall('', call.name)
      if (!this.#options.wholeArguments) this.#blocks.callDelta(input)
      this.#blocks.endCall(input)
    }
  }

  #tooLong(): GatewayError {
    return new GatewayError(
      'upstream-protocol',
      `${this.#options.backend}: the upstream sent tool calls of more than 8 MiB.`,
    )
  }

  #unclear(): GatewayError {
    return new GatewayError(
      'upstream-protocol',
      `${this.#options.backend}: the upstream sent a piece of a tool call that could belong to more than one of its calls.`,
    )
  }

  #malformed(call: StreamedCall): GatewayError {
    return new GatewayError(
      'upstream-protocol',
      `${this.#options.backend}: the upstream sent malformed arguments for tool "${call.name}".`,
      {
        upstream: { excerpt: call.text },
      },
    )
  }
}

const toIndex = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

const nameOf = ({ function: fields }: Fields) => (isObject(fields) ? textOf(fields.name) : '')
