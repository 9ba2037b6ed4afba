// The turn reader: events of a model that writes its calls as text → events with the calls taken out of the text. A state
// machine over batches of events. It can complain about the first answer, and then goes on with a second one.

import { TextBuffer } from '../../base/text-buffer.ts'
import { BlockWriter } from '../../core/blocks.ts'
import type { CallCheck } from '../../core/call-check.ts'
import { longestRemembered } from '../../core/collect.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent, Usage } from '../../core/events.ts'
import { sumUsage } from '../../core/sum-usage.ts'
import { entryCost, TurnBudget, textCost } from '../../core/turn-budget.ts'
import { cutCallNote } from '../requests/tool-input.ts'
import { isCut } from '../streams/reader.ts'
import { type CallOptions, CallWriter } from './call-writer.ts'
import { type ToolTextOptions, ToolTextParser } from './parse.ts'
import type { Call, Piece } from './pieces.ts'
import { callShape, isCallShape } from './tools-section.ts'
import { turnNotes } from './turn-notes.ts'

interface TextTurnOptions extends ToolTextOptions, CallOptions {
  /** False: the answer is cut after its first call. */
  parallelCalls: boolean
  callRequired: boolean
  /** An answer with an unreadable call is asked for again. */
  secondTry: boolean
  /** The client has cancelled the turn. */
  isCanceled?(): boolean
  /** Checks the calls of the turn. Absent: they are not checked. */
  calls?: CallCheck | undefined
  /** Without one, the turn has the budget of any turn. */
  budget?: TurnBudget | undefined
}

/** The reason to ask the model again. */
export type Complaint =
  | { type: 'malformed'; said: string; problem: string; unread: number; taken: number }
  | { type: 'no-call'; said: string }

type Malformed = Extract<Piece, { type: 'malformed' }>

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>

export class TextTurnReader {
  readonly #options: TextTurnOptions
  readonly #budget: TurnBudget
  readonly #blocks: BlockWriter
  readonly #calls: CallWriter
  #parser: ToolTextParser
  /** Characters that went into the parser since it last gave out a piece: it may still hold them. */
  heldLength = 0
  #said = new TextBuffer(longestRemembered)
  #isRefusal = false
  #refused = false
  /** The last character of shown text. */
  #lastShown = ''
  #malformed: Malformed[] = []
  /** Those of the first answer. */
  #unanswered: readonly Malformed[] = []
  #attempt = 0
  /** Text of the second answer: it replies to a complaint that the client does not know. */
  #aside = new TextBuffer()
  #usage: Usage | undefined
  /** An answer was broken off before the service counted its tokens. */
  #uncounted = false
  /** The end of the first answer, used if there is no second. */
  #firstEnd: TurnEnd | undefined
  /** The rest of this answer is ignored, apart from its usage. */
  #enough = false
  ended = false
  complaint: Complaint | undefined

  constructor(options: TextTurnOptions) {
    this.#options = options
    this.#budget = options.budget ?? new TurnBudget()
    this.#blocks = new BlockWriter({ budget: this.#budget, calls: options.calls })
    this.#calls = new CallWriter(options, this.#blocks, this.#budget)
    this.#parser = new ToolTextParser(options)
  }

  push(batch: readonly TurnEvent[]): TurnEvent[] {
    for (const event of batch) {
      if (this.#isSettled) break
      if (event.type === 'turn-end') this.#onEnd(event)
      else if (!this.#enough) this.#on(event)
    }
    if (this.#enough && !this.#isSettled) this.#settle()
    return this.#blocks.take()
  }

  /** The model was asked again: the second answer follows. */
  goOn(): void {
    if (this.complaint) this.#options.note(turnNotes.again[this.complaint.type])
    this.#options.onRepair?.('asked-again')
    this.#attempt++
    this.complaint = undefined
    this.#enough = false
    this.#unanswered = this.#malformed
    this.#malformed = []
    this.#calls.beginSecondAnswer()
    this.#said = new TextBuffer(longestRemembered)
    this.#parser = new ToolTextParser(this.#options)
    this.#onParserMoved()
    this.#blocks.close()
  }

  /** The answer failed. A second answer that fails before its first call leaves the first answer standing. */
  giveUp(error: unknown): TurnEvent[] {
    const failure = GatewayError.from(error)
    const isFinal = failure.code === 'canceled' || this.#options.isCanceled?.()
    if (this.#attempt === 0 || isFinal || this.#calls.corrected > 0)
      this.#close({ type: 'turn-error', error: failure })
    else {
      this.#options.note(`asking again failed (${failure.code})`)
      this.#aside = new TextBuffer()
      this.#malformed = []
      this.#conclude(this.#firstEnd?.reason ?? 'stop', this.#firstEnd?.rawReason)
    }
    return this.#blocks.take()
  }

  get #isSettled(): boolean {
    return this.ended || this.complaint !== undefined
  }

  #on(event: Exclude<TurnEvent, TurnEnd>): void {
    switch (event.type) {
      case 'turn-start':
        if (this.#attempt === 0) this.#blocks.push(event)
        break
      case 'text-start':
        if ((event.refusal === true) !== this.#isRefusal) this.#blocks.close()
        this.#isRefusal = event.refusal === true
        break
      case 'text-delta':
        this.#onText(event.delta)
        break
      case 'reasoning-delta':
        this.#blocks.reasoning(event.delta)
        break
      case 'reasoning-end':
        if (event.signature !== undefined || event.redacted !== undefined) {
          const { signature, redacted } = event
          this.#blocks.endReasoning({
            ...(signature === undefined ? {} : { signature }),
            ...(redacted === undefined ? {} : { redacted }),
          })
        }
        break
      case 'tool-call-end':
        // Some servers make structured calls although they were offered no tools.
        this.#call({ type: 'call', name: event.name, input: event.input, changes: [] })
        break
      case 'turn-error':
        for (const end of this.giveUp(event.error)) this.#blocks.push(end)
        break
    }
  }

  #onText(delta: string): void {
    this.#said.append(delta)
    if (this.#isRefusal) {
      this.#refused = true
      this.#blocks.text(delta, { refusal: true })
      return
    }
    this.heldLength += delta.length
    this.#budget.spend(textCost(delta))
    const pieces = this.#parser.push(delta)
    if (pieces.length > 0) this.#onParserMoved()
    this.#onPieces(pieces)
    if (this.#enough || !this.#parser.stopped) return
    this.#options.note(turnNotes.madeUp)
    this.#enough = true
  }

  /** The parser gives out pieces as soon as it can, so it holds none of the earlier text. */
  #onParserMoved(): void {
    this.#budget.refund(2 * this.heldLength)
    this.heldLength = 0
  }

  #onPieces(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (this.#enough) return
      if (piece.type === 'text') this.#onWords(piece.text)
      else if (piece.type === 'reasoning') this.#blocks.reasoning(piece.text)
      else if (piece.type === 'call') this.#onCall(piece)
      else if (piece.type === 'malformed') this.#onMalformed(piece)
      else this.#options.note(cutCallNote)
    }
  }

  /** Small models copy the shape of a call with its placeholders; others quote it when they explain their instructions. */
  #onCall(call: Call): void {
    const { markup, tools } = this.#options
    if (!isCallShape(call) || tools.some(({ name }) => name === call.name)) this.#call(call)
    else {
      const problem = 'It has the placeholders of the shape: write the name and the arguments of a real tool.'
      this.#onMalformed({ type: 'malformed', source: callShape(markup), problem })
    }
  }

  /** If the model may be asked again, the unreadable call is not shown before the second answer. */
  #onMalformed(piece: Malformed): void {
    if (!this.#options.secondTry) return this.#showUnreadable(piece)
    this.#budget.spend(entryCost + textCost(piece.source) + textCost(piece.problem))
    this.#malformed.push(piece)
  }

  #showUnreadable({ source }: Malformed): void {
    this.#options.note(turnNotes.unreadable)
    this.#options.onRepair?.('unreadable')
    this.#showParagraph(source)
  }

  #onWords(text: string): void {
    if (this.#attempt === 0) return this.#show(text)
    this.#budget.spend(textCost(text))
    this.#aside.append(text)
  }

  #show(text: string): void {
    this.#blocks.text(text)
    this.#lastShown = text.slice(-1)
  }

  #showParagraph(text: string): void {
    if (this.#lastShown !== '') this.#show(this.#lastShown === '\n' ? '\n' : '\n\n')
    this.#show(text)
  }

  #call(call: Call): void {
    if (!this.#calls.write(call) || this.#options.parallelCalls) return
    this.#options.note(turnNotes.first)
    this.#enough = true
  }

  #onEnd(end: TurnEnd): void {
    if (!this.#enough) this.#onPieces(this.#parser.end(isCut(end.reason)))
    this.#settle(end)
  }

  /** The answer is over: it ended, or its rest is ignored. */
  #settle(end?: TurnEnd): void {
    this.#usage = sumUsage(this.#usage, end?.usage)
    if (!end?.usage) this.#uncounted = true
    const stated = this.#enough || !end ? undefined : end
    if (this.#attempt === 0) {
      this.#firstEnd = stated
      this.complaint = this.#complaintAbout(stated)
      if (this.complaint) return
    }
    this.#conclude(stated?.reason ?? 'tool-calls', stated?.rawReason)
  }

  #complaintAbout(end: TurnEnd | undefined): Complaint | undefined {
    const { secondTry, callRequired, parallelCalls } = this.#options
    const taken = this.#calls.count
    if (!secondTry || (end && isCut(end.reason)) || (taken > 0 && !parallelCalls)) return undefined
    if (this.#said.tooLong) return undefined
    const said = this.#said.toString()
    const [first] = this.#malformed
    if (first)
      return { type: 'malformed', said, problem: first.problem, unread: this.#malformed.length, taken }
    return callRequired && taken === 0 && !this.#refused ? { type: 'no-call', said } : undefined
  }

  #conclude(stated: FinishReason, rawReason?: string): void {
    this.#showRest()
    const { calls } = this.#blocks
    if (this.#options.callRequired && calls === 0) this.#options.note(turnNotes.none)
    const reason =
      calls > 0 ? (isCut(stated) ? stated : 'tool-calls') : stated === 'tool-calls' ? 'stop' : stated
    const usage = this.#usage && this.#uncounted ? { ...this.#usage, estimated: true } : this.#usage
    this.#close({
      type: 'turn-end',
      reason,
      ...(rawReason === undefined ? {} : { rawReason }),
      ...(usage ? { usage } : {}),
    })
  }

  /** Shows the unreadable calls and the text of the second answer if they brought no call. */
  #showRest(): void {
    const { note } = this.#options
    const { corrected } = this.#calls
    if (this.#attempt > 0 && corrected > 0) {
      if (this.#aside.toString().trim() !== '') note(turnNotes.aside)
      if (this.#malformed.length > 0 || corrected < this.#unanswered.length) note(turnNotes.lost)
      return
    }
    const unread = this.#malformed.length > 0 ? this.#malformed : this.#unanswered
    for (const piece of unread) this.#showUnreadable(piece)
    const aside = this.#aside.toString()
    if (aside.trim() === '') return
    // The first answer has text, and the second only says that there will be no call.
    if (unread.length === 0 && this.#lastShown !== '') note(turnNotes.aside)
    else this.#showParagraph(aside)
  }

  #close(event: TurnEvent): void {
    this.#blocks.close()
    this.#blocks.push(event)
    this.ended = true
  }
}
