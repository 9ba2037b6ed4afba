// Collects the tool calls of OpenAI-compatible servers; `call-sorter.ts` decides which call a delta belongs to. One call is open at
// a time; deltas of other calls wait.

import { writeExact } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { ownText, TextBuffer } from '../../base/text-buffer.ts'
import type { BlockWriter } from '../../core/blocks.ts'
import { GatewayError } from '../../core/errors.ts'
import { repeatedIdNote } from '../../core/history.ts'
import { entryCost, jsonCost, type TurnBudget, textCost } from '../../core/turn-budget.ts'
import { cutCallNote, longestInput, ObjectScanner, readToolInput } from '../requests/tool-input.ts'
import type { ReaderOptions } from '../streams/reader.ts'
import { CallSorter, type SortedCall } from './call-sorter.ts'

class Call implements SortedCall {
  readonly index: number | undefined
  givenId = ''
  /** The id that clients see. */
  shownId = ''
  name = ''
  state: 'waiting' | 'open' | 'ended' = 'waiting'
  /** The client has received some of the text. */
  passed = false
  #text = new TextBuffer()
  /** Text that the scanner has not seen yet. The scanner runs on demand and sees each piece once. */
  #unscanned = new TextBuffer()
  readonly #scanner = new ObjectScanner()
  /** Opaque data that the server wants back. */
  extra: Fields | undefined

  constructor(index: number | undefined) {
    this.index = index
  }

  get text(): string {
    return this.#text.toString()
  }

  get length(): number {
    return this.#text.length
  }

  append(text: string): void {
    this.#text.append(text)
    this.#unscanned.append(text)
  }

  /** Servers have been seen to send `{}` before the real arguments. */
  dropEmptyStart(): void {
    const text = this.text.replace(/^\s*\{\}\s*(?=\{)/, '')
    if (text.length === this.length) return
    this.#text = new TextBuffer()
    this.#text.append(text)
  }

  isWhole(orEmpty: boolean): boolean {
    if (this.#unscanned.length > 0) {
      this.#scanner.push(this.#unscanned.toString())
      this.#unscanned = new TextBuffer()
    }
    return this.#scanner.complete && (orEmpty || this.length > 16 || this.text.trim() !== '{}')
  }
}

/** A call, its scanner, and its map entries. */
const callCost = 4 * entryCost

/** The index of the legacy `function_call`. No index of `tool_calls` is below 0. */
const legacyIndex = -1

export class ToolCallTracker {
  readonly #blocks: BlockWriter
  readonly #budget: TurnBudget
  readonly #options: ReaderOptions
  readonly #calls: Call[] = []
  readonly #sorter: CallSorter<Call>
  /** All calls before this place are open or ended. */
  #nextPlace = 0
  /** Proofs of calls, by the id that clients see. */
  readonly extras = new Map<string, unknown>()
  /** The server's own ids of calls for which clients see another id. */
  readonly ownIds = new Map<string, string>()
  #open: Call | undefined
  #later: { write: (text: string) => void; text: string }[] = []
  /** The total length of all arguments. */
  #length = 0

  constructor(blocks: BlockWriter, options: ReaderOptions, budget: TurnBudget) {
    this.#blocks = blocks
    this.#options = options
    this.#budget = budget
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

  onDelta(delta: Fields, position: number): void {
    this.#onDelta(delta, toIndex(delta.index), position)
  }

  onLegacyCall(fields: unknown): void {
    this.#onDelta({ function: fields }, legacyIndex, 0)
  }

  /** An element of a whole answer: always a separate call, whatever its id and index. */
  onWholeCall(element: Fields): void {
    const call = this.#create(undefined)
    this.#name(call, textOf(element.id))
    this.#fill(call, element, argumentsOf(element))
  }

  #onDelta(delta: Fields, index: number | undefined, position: number): void {
    const text = argumentsOf(delta)
    const id = textOf(delta.id)
    const found = this.#sorter.find({ index, id, name: nameOf(delta), text, position })
    const call = found ?? this.#create(index)
    const isFirstId = call.givenId === '' && id !== ''
    if (isFirstId) this.#name(call, id)
    if (!found) this.#sorter.add(call)
    else if (isFirstId) this.#sorter.onId(call)
    this.#fill(call, delta, text)
  }

  #name(call: Call, id: string): void {
    this.#budget.spend(textCost(id))
    call.givenId = id
  }

  #fill(call: Call, delta: Fields, text: string): void {
    // Never appended: servers repeat names, and none was seen to send one in pieces.
    const name = nameOf(delta)
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

  #append(call: Call, text: string): void {
    if (call.state === 'ended') {
      if (text.trim() !== '') throw this.#malformed(call)
      return
    }
    this.#length += text.length
    if (this.#length > longestInput) throw this.#tooLong()
    if (text !== '') this.#keep(call, text)
    if (call === this.#open) this.#pass(call, text)
    else this.#advance()
  }

  #keep(call: Call, text: string): void {
    this.#budget.spend(textCost(text))
    call.append(text)
  }

  #create(index: number | undefined): Call {
    this.#budget.spend(callCost)
    const call = new Call(index)
    this.#calls.push(call)
    return call
  }

  /** No call returns to `waiting`, so the scan passes each call once. */
  get #nextWaiting(): Call | undefined {
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

  #begin(call: Call): void {
    call.state = 'open'
    this.#open = call
    call.shownId = this.#blocks.startCall(call.givenId, call.name)
    if (call.givenId !== '' && call.shownId !== call.givenId) this.#options.note(repeatedIdNote)
    this.#pass(call, call.text)
  }

  /** Passes new text on, unless the whole text could still be a leading `{}`. */
  #pass(call: Call, text: string): void {
    if (this.#options.wholeArguments || text === '') return
    if (!call.passed) {
      if (call.length < 64 && ['', '{', '{}'].includes(call.text.trim())) return
      call.dropEmptyStart()
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
    for (const { write, text } of this.#later.splice(0)) write(text)
  }

  #finish(call: Call): void {
    const read = readToolInput(call.text)
    if (!read.ok) throw this.#malformed(call)
    const [first, ...others] = read.inputs
    if (call.passed && first !== call.text) throw this.#malformed(call)
    if (read.changed !== undefined) this.#options.note(`in the upstream's tool call, ${read.changed}`)
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

  #malformed(call: Call): GatewayError {
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

function argumentsOf({ function: fields }: Fields): string {
  if (!isObject(fields)) return ''
  return isObject(fields.arguments) ? writeExact(fields.arguments) : textOf(fields.arguments)
}
