// Sorts the tool-call deltas of OpenAI-compatible servers into calls: by index where it can be trusted, else by id,
// else by what is still incomplete. One call is open at a time; what comes for others meanwhile waits.

import type { BlockWriter } from '../../core/blocks.ts'
import { GatewayError } from '../../core/errors.ts'
import { ownText } from '../../core/text-buffer.ts'
import { entryCost, jsonCost, type TurnBudget, textCost } from '../../core/turn-budget.ts'
import { type Fields, isObject } from '../json.ts'
import type { ReaderOptions } from '../reader.ts'
import { cutCallNote, longestInput, ObjectScanner, readToolInput } from '../tool-input.ts'

interface Call {
  /** Its place among the calls of the answer. */
  at: number
  id: string
  name: string
  text: string
  state: 'waiting' | 'open' | 'ended'
  /** Some of the text has been handed on. */
  passed: boolean
  /** Pieces of `text` that the scanner has not seen yet: it is asked seldom, and looks at each once. */
  unscanned: string[]
  scanner: ObjectScanner
  /** What only the server can read, and wants back. */
  extra?: Fields
}

/** A call, its scanner, and its places in the maps. */
const callCost = 4 * entryCost

export class ToolCallTracker {
  readonly #blocks: BlockWriter
  readonly #budget: TurnBudget
  readonly #options: ReaderOptions
  readonly #calls: Call[] = []
  readonly #byIndex = new Map<number, Call>()
  /** Of several with one id, the last. */
  readonly #byId = new Map<string, Call>()
  /** All calls in front of this place are open or ended. */
  #nextPlace = 0
  /** Proofs that came with calls, by call id. */
  readonly extras = new Map<string, unknown>()
  #open: Call | undefined
  #later: { write: (text: string) => void; text: string }[] = []
  /** Of all arguments together. */
  #length = 0

  constructor(blocks: BlockWriter, options: ReaderOptions, budget: TurnBudget) {
    this.#blocks = blocks
    this.#options = options
    this.#budget = budget
  }

  get isIdle(): boolean {
    return !this.#open
  }

  /** Writes the text now, or behind the open call if that one is not complete. */
  whenIdle(write: (text: string) => void, text: string): void {
    if (!this.#open || this.#advance()) return write(text)
    this.#budget.spend(entryCost + textCost(text))
    this.#later.push({ write, text: ownText(text) })
  }

  onDelta(delta: Fields, position: number): void {
    const fields = isObject(delta.function) ? delta.function : {}
    const id = typeof delta.id === 'string' ? delta.id : ''
    const name = typeof fields.name === 'string' ? fields.name : ''
    const call = this.#locate({ index: delta.index, id, name, position })
    if (call.id === '') this.#name(call, id)
    // Never appended: servers repeat names, none was seen to send one in pieces.
    if (call.name === '' && name !== '') {
      this.#budget.spend(textCost(name))
      call.name = name
    }
    if (isObject(delta.extra_content)) {
      this.#budget.spend(jsonCost(delta.extra_content))
      call.extra = delta.extra_content
    }
    const text =
      typeof fields.arguments === 'string'
        ? fields.arguments
        : isObject(fields.arguments)
          ? JSON.stringify(fields.arguments)
          : ''
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
    call.text += text
    call.unscanned.push(text)
  }

  #locate({
    index,
    id,
    name,
    position,
  }: {
    index: unknown
    id: string
    name: string
    position: number
  }): Call {
    if (typeof index === 'number' && Number.isInteger(index) && index >= 0) {
      const known = this.#byIndex.get(index)
      if (known && !this.#startsAnother(known, id, name)) return known
      const call = this.#create()
      this.#byIndex.set(index, call)
      return call
    }
    const last = this.#calls.at(-1)
    if (id !== '') return this.#byId.get(id) ?? (name !== '' || !last ? this.#create() : last)
    if (!last || (name !== '' && position > 0) || this.#startsAnother(last, id, name)) return this.#create()
    return last
  }

  /** Servers that send every call as index 0, or with no index at all, show a new call by a new id or a new name. */
  #startsAnother(known: Call, id: string, name: string): boolean {
    if (name === '' || known.name === '') return false
    if (id !== '' && known.id !== '') return id !== known.id
    return isComplete(known)
  }

  #create(): Call {
    this.#budget.spend(callCost)
    const call: Call = {
      at: this.#calls.length,
      id: '',
      name: '',
      text: '',
      state: 'waiting',
      passed: false,
      unscanned: [],
      scanner: new ObjectScanner(),
    }
    this.#calls.push(call)
    return call
  }

  /** None that has begun waits again, so that each is passed once. */
  get #nextWaiting(): Call | undefined {
    while (this.#calls[this.#nextPlace] && this.#calls[this.#nextPlace]?.state !== 'waiting')
      this.#nextPlace++
    return this.#calls[this.#nextPlace]
  }

  #name(call: Call, id: string): void {
    this.#budget.spend(textCost(id))
    call.id = id
    if (id !== '' && call.at >= (this.#byId.get(id)?.at ?? 0)) this.#byId.set(id, call)
  }

  /**
   * Something else follows: ends the open call if its arguments are complete, and opens the next that has a name.
   */
  #advance(): boolean {
    if (this.#open) {
      if (!isComplete(this.#open)) return false
      this.#finish(this.#open)
    }
    const next = this.#nextWaiting
    if (next && next.name !== '') this.#begin(next)
    return this.#open === undefined
  }

  #begin(call: Call): void {
    // Upstream ids reach the client unchanged; where none came, one of ours stands in.
    if (call.id === '') this.#name(call, `call_${this.#options.turnId.replace(/^turn_/, '')}_${call.at}`)
    call.state = 'open'
    this.#open = call
    this.#blocks.startCall(call.id, call.name)
    this.#pass(call, call.text)
  }

  /** Hands new text on, except while all of it together could still be that leading `{}`. */
  #pass(call: Call, text: string): void {
    if (this.#options.wholeArguments || text === '') return
    if (!call.passed) {
      if (call.text.length < 64 && ['', '{', '{}'].includes(call.text.trim())) return
      call.text = call.text.replace(/^\s*\{\}\s*(?=\{)/, '')
    }
    this.#blocks.callDelta(call.passed ? text : call.text)
    call.passed = true
  }

  /** Everything has come. With `cut` the last call may be incomplete: it is dropped, not mended. */
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
        // Nothing may open behind a call that is left open; later ones are cut off as well.
        for (const rest of this.#calls) rest.state = 'ended'
        this.#later = []
        this.#open = undefined
        return
      }
      this.#finish(call)
    }
    for (const { write, text } of this.#later.splice(0)) write(text)
  }

  #finish(call: Call): void {
    const read = readToolInput(call.text)
    if (!read.ok) throw this.#malformed(call)
    const [first, ...others] = read.inputs
    if (call.passed && first !== call.text) throw this.#malformed(call)
    if (read.changed !== undefined) this.#options.note(`in the upstream's tool call, ${read.changed}`)
    this.#blocks.endCall(first)
    if (call.extra) this.extras.set(call.id, call.extra)
    call.state = 'ended'
    this.#open = undefined
    for (const input of others) {
      this.#blocks.startCall(call.id, call.name)
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

/** `{}` alone does not count: servers have been seen to send it ahead of the real arguments. */
function isComplete(call: Call): boolean {
  for (const piece of call.unscanned.splice(0)) call.scanner.push(piece)
  return call.scanner.complete && (call.text.length > 16 || call.text.trim() !== '{}')
}
