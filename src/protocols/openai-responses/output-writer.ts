// The items of a Responses answer → blocks. One block is open at a time: what arrives for a later item waits until the earlier ones
// are complete.

import type { Fields } from '../../base/json.ts'
import { jsonString } from '../../base/json-string.ts'
import { ownText } from '../../base/text-buffer.ts'
import type { BlockWriter } from '../../core/blocks.ts'
import { GatewayError } from '../../core/errors.ts'
import { repeatedIdNote } from '../../core/history.ts'
import { argumentsNote } from '../../core/repairs.ts'
import { entryCost, jsonCost, type TurnBudget, textCost } from '../../core/turn-budget.ts'
import { customInput } from '../requests/custom-tools.ts'
import { cutCallNote, longestInput, readToolInput } from '../requests/tool-input.ts'
import type { ReaderOptions } from '../streams/reader.ts'
import { ReasoningByCall } from './call-reasoning.ts'
import { inputOf, type OutputItem, partTexts, textOf } from './output-item.ts'
import { type CallReasoning, proofOf, replayable } from './reasoning-items.ts'
import type { ResponseFaults } from './response-faults.ts'
import { joinedName } from './tool-names.ts'

export interface OutputOptions extends ReaderOptions {
  /** Where the reasoning of this answer comes from. */
  source: string
  /** The names of the offered tools. */
  offered: ReadonlySet<string>
  /** Gets each reasoning item that can go back. */
  onReasoning?(item: Fields): void
}

/** An item, its maps and their entries. */
const itemCost = 8 * entryCost

export class OutputWriter {
  readonly #options: OutputOptions
  readonly #blocks: BlockWriter
  readonly #budget: TurnBudget
  readonly #faults: ResponseFaults
  /** Items that are not complete, in their order. The first one is open. */
  readonly #queue: OutputItem[] = []
  #inputLength = 0
  /** A call was cut off: nothing may follow it. */
  isCut = false
  #isReplaced = false
  readonly #reasoning = new ReasoningByCall()

  constructor(options: OutputOptions, blocks: BlockWriter, budget: TurnBudget, faults: ResponseFaults) {
    this.#options = options
    this.#blocks = blocks
    this.#budget = budget
    this.#faults = faults
  }

  /** The open item. */
  get current(): OutputItem | undefined {
    return this.#queue[0]
  }

  /** The reasoning that goes back with a call. */
  keptWith(callId: string): CallReasoning | undefined {
    return this.#reasoning.with(callId)
  }

  /** Since the last time, the client must see other events for a call than the service's. */
  takeReplaced(): boolean {
    const isReplaced = this.#isReplaced
    this.#isReplaced = false
    return isReplaced
  }

  add(entry: OutputItem): void {
    this.#budget.spend(itemCost)
    this.#queue.push(entry)
    if (this.#queue.length === 1) this.#open(entry)
  }

  text(entry: OutputItem, part: number, delta: string, isRefusal: boolean): void {
    if (delta === '' || this.#isOver(entry.state === 'ended')) return
    this.#inTurn(entry, delta, (text) => {
      entry.pass(String(part), text)
      this.#say(text, isRefusal)
    })
  }

  wholeText(entry: OutputItem, part: number, text: string, isRefusal: boolean): void {
    this.#inTurn(entry, text, (whole) => {
      const rest = this.#faults.onRest(entry.rest(String(part), whole), whole)
      entry.pass(String(part), rest)
      this.#say(rest, isRefusal)
    })
  }

  /** The item of a delta has ended. */
  #isOver(isEnded: boolean): boolean {
    if (isEnded) this.#faults.read('output-after-end')
    return isEnded
  }

  #say(text: string, isRefusal: boolean): void {
    if (isRefusal) this.#blocks.text(text, { refusal: true })
    else this.#blocks.text(text)
  }

  reasoning(entry: OutputItem, shows: 'summary' | 'content', part: number, delta: string): void {
    if (delta === '' || this.#isOver(entry.state === 'ended')) return
    this.#inTurn(entry, delta, (text) => this.#think(entry, shows, part, text))
  }

  wholeReasoning(entry: OutputItem, shows: 'summary' | 'content', part: number, text: string): void {
    this.#inTurn(entry, text, (whole) => {
      if ((entry.shows ?? shows) !== shows) return
      this.#think(entry, shows, part, this.#faults.onRest(entry.rest(String(part), whole), whole))
    })
  }

  /** Servers that send both show the same thoughts twice. */
  #think(entry: OutputItem, shows: 'summary' | 'content', part: number, text: string): void {
    entry.shows ??= shows
    if (text === '' || entry.shows !== shows) return
    if (entry.hasPassed && entry.isNewPart(String(part))) this.#blocks.reasoning('\n\n')
    this.#blocks.reasoning(entry.pass(String(part), text))
  }

  input(entry: OutputItem, delta: string): void {
    if (delta === '' || this.#isOver(entry.isDone || entry.state === 'ended')) return
    this.#spendInput(delta)
    entry.input.append(delta)
    if (entry.state === 'open') this.#passInput(entry, delta)
  }

  #spendInput(text: string): void {
    this.#inputLength += text.length
    if (this.#inputLength > longestInput)
      throw new GatewayError(
        'upstream-protocol',
        `${this.#options.backend}: the upstream sent tool calls of more than 8 MiB.`,
      )
    this.#budget.spend(textCost(text))
  }

  #passInput(entry: OutputItem, delta: string): void {
    if (this.#options.wholeArguments || entry.shownId === undefined) return
    if (entry.kind === 'call') this.#blocks.callDelta(delta)
    else {
      const piece = `${entry.isPassed ? '' : '{"input":"'}${jsonString(delta).slice(1, -1)}`
      this.#budget.spend(textCost(piece))
      entry.escaped.append(piece)
      this.#blocks.callDelta(piece)
    }
    entry.isPassed = true
  }

  /** The whole arguments, before the item itself is complete. */
  wholeInput(entry: OutputItem, text: string): void {
    entry.hasWholeInput = true
    if (entry.input.length > 0 || entry.isDone) return
    if (text !== '') this.#faults.read('missing-events')
    this.input(entry, text)
  }

  /** The item is complete. */
  done(entry: OutputItem, item: Fields): void {
    if (entry.isDone) return
    entry.item = item
    entry.isDone = true
    this.#advance()
  }

  /** No more events come: ends all items. `isCut`: the last one may be incomplete. */
  finish(isCut: boolean): void {
    for (const entry of this.#queue) {
      if (entry.isDone) continue
      if (!isCut) this.#faults.read('missing-events')
      const { item } = entry
      const isEmpty = entry.input.length === 0 && !inputOf(item)
      // Without its end, a call in an answer that was cut off is cut off too.
      if (isCut && entry.isCall) entry.item = { ...item, status: 'incomplete' }
      else if (entry.isCall && isEmpty && !entry.hasWholeInput) throw this.#malformed(entry, '')
      entry.isDone = true
    }
    this.#advance()
  }

  #advance(): void {
    for (let entry = this.current; entry?.isDone; entry = this.current) {
      this.#end(entry)
      entry.state = 'ended'
      this.#queue.shift()
      if (this.current) this.#open(this.current)
    }
  }

  #open(entry: OutputItem): void {
    entry.state = 'open'
    if (this.isCut) return
    if (entry.isCall) {
      this.#beginCall(entry)
      if (entry.input.length > 0) this.#passInput(entry, entry.input.toString())
    }
    for (const write of entry.waiting.splice(0)) write()
  }

  /** Writes now, or when the item is open. */
  #inTurn(entry: OutputItem, text: string, write: (text: string) => void): void {
    if (this.isCut || entry.state === 'ended') return
    if (entry.state === 'open') return write(text)
    this.#budget.spend(entryCost + textCost(text))
    const own = ownText(text)
    entry.waiting.push(() => write(own))
  }

  #end(entry: OutputItem): void {
    if (this.isCut) return
    if (entry.kind === 'message') this.#endMessage(entry)
    else if (entry.kind === 'reasoning') this.#endReasoning(entry)
    else if (entry.isCall) this.#endCall(entry)
  }

  #endMessage(entry: OutputItem): void {
    for (const { at, text, isRefusal } of partTexts(entry.item.content))
      this.wholeText(entry, at, text, isRefusal)
    if (this.#blocks.calls === 0) this.#reasoning.onText()
  }

  #endReasoning(entry: OutputItem): void {
    const { item } = entry
    const raw = partTexts(item.content)
    const shows = entry.shows ?? (raw.some(({ text }) => text !== '') ? 'content' : 'summary')
    for (const { at, text } of shows === 'content' ? raw : partTexts(item.summary))
      this.wholeReasoning(entry, shows, at, text)
    const back = replayable(item)
    if (!back) return this.#blocks.close()
    this.#budget.spend(2 * jsonCost(back))
    this.#reasoning.add(back)
    this.#options.onReasoning?.(back)
    this.#blocks.endReasoning(proofOf(back, this.#options.source, entry.hasPassed))
  }

  #beginCall(entry: OutputItem): void {
    const { call_id: given, id, namespace } = entry.item
    const name = this.#nameOf(textOf(entry.item.name), textOf(namespace))
    if (name === '') return
    const callId = textOf(given) || (given === undefined ? textOf(id) : '')
    entry.shownId = this.#blocks.startCall(callId, name)
    entry.isReplaced = entry.shownId !== callId
    this.#isReplaced ||= entry.isReplaced
    if (callId !== '' && entry.isReplaced) this.#options.note(repeatedIdNote)
    else if (entry.isReplaced) this.#faults.always('no-call-id')
    else if (callId !== given) this.#faults.read('no-call-id')
  }

  /** Tools are offered without namespaces; a service may name one all the same. */
  #nameOf(name: string, namespace: string): string {
    return namespace === '' || this.#options.offered.has(name) ? name : joinedName(namespace, name)
  }

  #endCall(entry: OutputItem): void {
    if (entry.shownId === undefined) this.#beginCall(entry)
    if (entry.shownId === undefined)
      throw new GatewayError(
        'upstream-protocol',
        `${this.#options.backend}: the upstream sent a tool call without a name.`,
      )
    const streamed = entry.input.toString()
    const stated = inputOf(entry.item)
    const text = stated === undefined || stated === '' ? streamed : stated
    if (streamed === '') this.#spendInput(text)
    if (entry.item.status === 'incomplete') {
      this.#options.note(cutCallNote)
      this.isCut = true
      return
    }
    if (this.#faults.onInput(entry.item, streamed, text)) this.#isReplaced = true
    if (entry.isPassed && text !== streamed) {
      if (!text.startsWith(streamed)) throw this.#malformed(entry, text)
      this.#passInput(entry, text.slice(streamed.length))
    }
    const callId = entry.shownId
    this.#writeEnd(entry, text)
    this.#reasoning.onCall(callId)
  }

  #writeEnd(entry: OutputItem, text: string): void {
    if (entry.kind === 'custom-call') {
      if (entry.isPassed) this.#blocks.callDelta('"}')
      if (this.#blocks.endCall(entry.isPassed ? `${entry.escaped}"}` : customInput(text)))
        this.#isReplaced = true
      return
    }
    const read = readToolInput(text)
    if (!read.ok) throw this.#malformed(entry, text)
    const [first, ...others] = read.inputs
    if (entry.isPassed && first !== text) throw this.#malformed(entry, text)
    if (read.changed !== undefined) {
      this.#isReplaced = true
      this.#options.note(argumentsNote(read.changed))
    } else if (text.trim() === '') this.#faults.read('empty-arguments')
    if (this.#blocks.endCall(first, read.value)) this.#isReplaced = true
    for (const input of others) {
      this.#blocks.startCall('', textOf(entry.item.name))
      this.#blocks.endCall(input)
    }
  }

  #malformed({ item }: OutputItem, text: string): GatewayError {
    return new GatewayError(
      'upstream-protocol',
      `${this.#options.backend}: the upstream sent malformed arguments for tool "${textOf(item.name)}".`,
      { upstream: { excerpt: text } },
    )
  }
}
