// Decides how the chunks of a server reach a Chat client: as they are, with a repaired member, or not at all, in which case the events
// read from them are written instead. Calls pass as they are if a client that joins their pieces gets what the gateway has read.

import { type Fields, isObject } from '../../base/json.ts'
import type { KnownCall } from '../../core/call-key.ts'
import type { Repairs } from '../../core/repairs.ts'
import { entryCost, jsonCost, type TurnBudget, textCost } from '../../core/turn-budget.ts'
import { createLaneStep, type LaneStep } from '../streams/lane.ts'
import { ChunkFaults, chunkObject } from './chunk-faults.ts'

/** A call as a client of the dialect joins it. */
interface JoinedCall {
  id: string
  name: string
  input: string
  /** Every piece has the form that clients expect. */
  isSound: boolean
  /** The chunk with its first piece, and that piece with the members of all later ones. */
  chunk: Fields
  piece: Fields
  /** What all of it takes of the turn's memory. */
  cost: number
}

interface ChunkState {
  /** The finish reason came in an earlier chunk. */
  isAfterEnd: boolean
  /** The finish reason for the client, if the chunk has one; null if it must not be shown. */
  finish: string | null | undefined
}

export class ChunkLane {
  readonly #budget: TurnBudget
  readonly #faults: ChunkFaults
  readonly #step = createLaneStep()
  /** The members that all chunks of an answer share. */
  #head: { id: string; created: unknown } | undefined
  /** Chunks with a choice. */
  #count = 0
  #hasFinish = false
  #hasUsage = false
  /** Members of chunks that came before the answer. */
  #early: Fields | undefined
  /** In their order; undefined if they have ended. */
  readonly #calls: (JoinedCall | undefined)[] = []
  #endedCalls = 0
  readonly #byIndex = new Map<unknown, JoinedCall>()
  /** Calls are written from their events, to the end of the answer. */
  #isRepaired = false
  /** An odd chunk came while a call was open: its text follows the call, so everything from there on is written from events. */
  #isWritten = false
  #isOdd = false
  /** The last chunk passed as it is, so others of its shape do. */
  isPlain = true

  constructor(budget: TurnBudget, repairs: Repairs) {
    this.#budget = budget
    this.#faults = new ChunkFaults(repairs)
  }

  /** A chunk that adds text to the answer, and has the shape of one before it. */
  onText(): void {
    this.#start()
  }

  /** The same for the arguments of a call. */
  onArguments(index: unknown, text: string): void {
    this.#start()
    this.#step.withheld = true
    const call = this.#byIndex.get(index)
    if (call) this.#append(call, text)
  }

  /** The end mark: the end is written from its event. */
  onDone(): void {
    this.#start()
    this.#step.withheld = true
  }

  onChunk(chunk: Fields, state: ChunkState): void {
    this.#start()
    this.isPlain = true
    const choices = Array.isArray(chunk.choices) ? chunk.choices : []
    if (choices.length === 0) return this.#withoutChoice(chunk, state)
    const choice: unknown = choices.find((entry) => isObject(entry) && (entry.index ?? 0) === 0)
    this.#count++
    this.#head ??= headOf(chunk)
    if (isObject(choice) && !state.isAfterEnd)
      this.#faults.onChoice(chunk, choice, state.finish !== undefined)
    if (!this.#head) return this.#withhold(true)
    if (!isObject(choice)) return
    if (state.isAfterEnd) return this.#afterEnd(chunk)
    const { delta } = choice
    const isOdd = !isObject(delta) || isObject(choice.message) || Array.isArray(delta.content)
    if (isOdd || isObject(delta.function_call)) return this.#withhold(true)
    const { tool_calls: pieces } = delta
    if (!Array.isArray(pieces) || pieces.length === 0) return this.#pass(chunk, choice, delta, state.finish)
    if (pieces.length > 1 || hasText(delta) || state.finish !== undefined) return this.#withhold(true)
    this.#join(isObject(pieces[0]) ? pieces[0] : {}, chunk)
  }

  /** These calls have ended with the chunk that follows. `isAfterText`: text of that chunk came before them. */
  release(ended: readonly KnownCall[], isAfterText: boolean): void {
    this.#step.released = undefined
    if (ended.length === 0) return
    this.#isWritten ||= isAfterText
    this.#isRepaired ||= isAfterText
    const released: string[] = []
    for (const call of ended) {
      const joined = this.#calls[this.#endedCalls]
      this.#calls[this.#endedCalls++] = undefined
      if (!joined || !isSame(joined, call)) this.#isRepaired = true
      else if (!this.#isRepaired) released.push(this.#whole(joined))
      this.#budget.refund(joined?.cost ?? 0)
      // Its index stays known.
      if (joined) Object.assign(joined, { input: '', chunk: {}, piece: {}, cost: 0 })
    }
    this.#step.released = this.#isRepaired && released.length < ended.length ? [] : released
  }

  /** About the last chunk. `isBusy`: a call is open, and text waits for its end. */
  step(isBusy: boolean): LaneStep {
    this.#isWritten ||= this.#isOdd && (isBusy || this.#step.holds)
    this.#step.holds = isBusy
    this.#step.withheld ||= this.#isWritten
    return this.#step
  }

  #start(): void {
    this.#step.withheld = false
    this.#step.data = undefined
    this.#isOdd = false
  }

  #withhold(hasCalls: boolean): void {
    this.#step.withheld = true
    this.#isOdd = true
    this.isPlain = false
    if (hasCalls) this.#isRepaired = true
  }

  /** Usage, or what a service says before the answer, e.g. about its content filters. */
  #withoutChoice(chunk: Fields, { isAfterEnd }: ChunkState): void {
    const {
      choices: _,
      usage,
      id: _id,
      object: _object,
      created: _created,
      model: _model,
      ...members
    } = chunk
    this.#faults.onOther(chunk)
    if (isAfterEnd && isObject(usage) && this.#mayShowUsage) {
      this.#hasUsage = true
      this.#faults.onHead(chunk)
      const patches = this.#patchesOf({ ...chunk, usage: null })
      const isSame = Array.isArray(chunk.choices) && Object.keys(patches).length === 0
      if (!isSame) this.#step.data = JSON.stringify({ ...chunk, ...patches, choices: [] })
      return
    }
    this.#step.withheld = isObject(usage) || this.#head === undefined || !Array.isArray(chunk.choices)
    if (this.#head !== undefined) return
    this.#budget.spend(jsonCost(members))
    this.#early ??= {}
    addMissing(this.#early, members)
  }

  /** Once, and after the finish reason. */
  get #mayShowUsage(): boolean {
    return this.#hasFinish && !this.#hasUsage
  }

  /** Only usage belongs to the answer. */
  #afterEnd(chunk: Fields): void {
    this.#step.withheld = !isObject(chunk.usage) || !this.#mayShowUsage
    this.#faults.onOther(chunk)
    if (this.#step.withheld) return
    this.#hasUsage = true
    this.#faults.onHead(chunk)
    this.#step.data = JSON.stringify({ ...chunk, ...this.#patchesOf({ ...chunk, usage: null }), choices: [] })
  }

  #join(piece: Fields, chunk: Fields): void {
    this.#step.withheld = true
    const { index, id, type, function: fields } = piece
    const { name, arguments: input } = isObject(fields) ? fields : ({} as Fields)
    const isText = input === undefined || input === null || typeof input === 'string'
    const known = this.#byIndex.get(index)
    if (known) {
      const isAgain = textOf(name) !== '' || (textOf(id) !== '' && id !== known.id)
      if (isAgain || !isText) known.isSound = false
      if (!addMissing(known.piece, piece)) known.isSound = false
      this.#spend(known, jsonCost(piece))
      return this.#append(known, textOf(input))
    }
    const isSound = index === this.#calls.length && type === 'function' && isText
    const call = {
      id: textOf(id),
      name: textOf(name),
      input: '',
      isSound,
      chunk,
      piece: { ...piece },
      cost: 0,
    }
    this.#spend(call, entryCost + jsonCost(chunk))
    this.#append(call, textOf(input))
    this.#calls.push(call)
    this.#byIndex.set(index, call)
  }

  #append(call: JoinedCall, text: string): void {
    this.#spend(call, textCost(text))
    call.input += text
  }

  #spend(call: JoinedCall, cost: number): void {
    this.#budget.spend(cost)
    call.cost += cost
  }

  /** The first chunk of a call with all its arguments: clients have been seen to take the first piece for the whole. */
  #whole({ chunk, piece, input }: JoinedCall): string {
    const choice =
      (chunk.choices as Fields[]).find((entry) => isObject(entry) && (entry.index ?? 0) === 0) ?? {}
    const call = { ...piece, function: { ...(piece.function as Fields), arguments: input } }
    const given = choice.delta as Fields
    const delta = { ...given, role: undefined, tool_calls: [call] }
    return JSON.stringify({ ...chunk, ...this.#patchesOf(chunk), choices: [{ ...choice, index: 0, delta }] })
  }

  /** The role comes once, with the first chunk. If that does not have it, the writer adds it. */
  #withoutRole({ role }: Fields): Fields {
    const isFit = role === undefined || role === null || (role === 'assistant' && this.#count === 1)
    return isFit ? {} : { role: undefined }
  }

  #patchesOf(chunk: Fields): Fields {
    const early = this.#early
    this.#early = undefined
    if (early) this.#faults.onEarly(early, chunk)
    const { id, created } = this.#head ?? {}
    return {
      ...early,
      ...(chunk.id === id ? {} : { id }),
      ...(chunk.created === created ? {} : { created }),
      ...(typeof chunk.model === 'string' ? {} : { model: '' }),
      ...(chunk.object === chunkObject ? {} : { object: chunkObject }),
      ...(isObject(chunk.usage) ? { usage: null } : {}),
    }
  }

  #pass(chunk: Fields, choice: Fields, delta: Fields, finish: string | null | undefined): void {
    if (finish === null) return this.#withhold(false)
    this.#hasFinish ||= finish !== undefined
    const ofDelta = this.#withoutRole(delta)
    const { reasoning, reasoning_content: shown } = delta
    if (textOf(reasoning) !== '' && !shown) ofDelta.reasoning_content = reasoning
    const ofChoice: Fields = choice.index === 0 ? {} : { index: 0 }
    if (isObject(choice.usage)) ofChoice.usage = undefined
    if ((choice.finish_reason ?? null) !== (finish ?? null)) ofChoice.finish_reason = finish ?? null
    const ofChunk = this.#patchesOf(chunk)
    if ([ofDelta, ofChoice, ofChunk].every((patch) => Object.keys(patch).length === 0)) return
    this.isPlain = false
    const patched = { ...choice, ...ofChoice, delta: { ...delta, ...ofDelta } }
    const choices = (chunk.choices as Fields[]).map((entry) => (entry === choice ? patched : entry))
    this.#step.data = JSON.stringify({ ...chunk, ...ofChunk, choices })
  }
}

/** Members of a chunk or of a call that the gateway does not know. No server has more. */
const mostMembers = 64

/** False if there are too many: the others are left out. */
function addMissing(to: Fields, from: Fields): boolean {
  for (const [name, value] of Object.entries(from)) {
    if (Object.hasOwn(to, name)) continue
    if (Object.keys(to).length >= mostMembers || name === '__proto__') return false
    to[name] = value
  }
  return true
}

/** Undefined if the chunk lacks what clients rely on. */
function headOf({ id, created, model }: Fields): { id: string; created: unknown } | undefined {
  const isWhole = textOf(id) !== '' && Number.isInteger(created) && textOf(model) !== ''
  return isWhole ? { id: textOf(id), created } : undefined
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

const hasText = ({ content, reasoning, reasoning_content: shown, refusal }: Fields): boolean =>
  [content, reasoning, shown, refusal].some((text) => typeof text === 'string' && text !== '')

const isSame = (joined: JoinedCall, { callId, name, input }: KnownCall): boolean =>
  joined.isSound && joined.id === callId && joined.name === name && joined.input === input
