// The calls of a text turn on their way out: filtered, unescaped, numbered and written as events.

import { respelt, sameJson } from '../../base/json-source.ts'
import type { TextRepair } from '../../core/backend.ts'
import type { BlockWriter } from '../../core/blocks.ts'
import { entryCost, type TurnBudget, textCost } from '../../core/turn-budget.ts'
import type { Call } from './pieces.ts'
import { turnNotes } from './turn-notes.ts'

export interface CallOptions {
  /** Names the turn, and so its calls. */
  turnId: string
  /** Only this tool may be called. */
  onlyTool?: string | undefined
  /** Undoes the escaping of markup in strings of arguments. */
  unescape(text: string): string
  note(text: string): void
  /** Counts calls that needed a repair. */
  onRepair?(kind: TextRepair): void
}

export class CallWriter {
  readonly #options: CallOptions
  readonly #blocks: BlockWriter
  readonly #budget: TurnBudget
  readonly #made: Call[] = []
  /** How many of them are of the first answer. */
  #first = 0

  constructor(options: CallOptions, blocks: BlockWriter, budget: TurnBudget) {
    this.#options = options
    this.#blocks = blocks
    this.#budget = budget
  }

  get count(): number {
    return this.#made.length
  }

  /** Calls of the second answer. */
  get corrected(): number {
    return this.#made.length - this.#first
  }

  beginSecondAnswer(): void {
    this.#first = this.#made.length
  }

  /** False: the call was left out. */
  write(call: Call): boolean {
    const { note, onlyTool, turnId } = this.#options
    if (onlyTool !== undefined && call.name !== onlyTool) {
      note(`a call of ${call.name} was left out: only ${onlyTool} may be called`)
      return false
    }
    const input = respelt(call.input, this.#options.unescape)
    if (this.#isRepeated(call.name, input)) {
      note(turnNotes.repeated)
      return false
    }
    if (input !== call.input) note(turnNotes.respelt)
    for (const change of call.changes) note(`${call.name}: ${change}`)
    if (call.changes.length > 0) this.#options.onRepair?.('mended')
    this.#blocks.startCall(`call_${turnId.replace(/^turn_/, '')}_${this.#blocks.calls}`, call.name)
    this.#blocks.endCall(input)
    this.#budget.spend(entryCost + textCost(input) + textCost(call.name))
    this.#made.push({ ...call, input })
    return true
  }

  /** A second answer often repeats calls of the first, which would then run twice. */
  #isRepeated(name: string, input: string): boolean {
    return this.#made.slice(0, this.#first).some((made) => made.name === name && sameJson(made.input, input))
  }
}
