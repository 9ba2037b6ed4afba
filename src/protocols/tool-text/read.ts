// The turn of a model that writes text → the turn that its text means: the same events, with the calls taken out of the
// text. A state machine over batches of events; it can be asked to go on with a second answer.

import { TextBuffer } from '../../base/text-buffer.ts'
import type { TextRepair } from '../../core/backend.ts'
import { BlockWriter } from '../../core/blocks.ts'
import { longestRemembered } from '../../core/collect.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent, Usage } from '../../core/events.ts'
import { sumUsage } from '../../core/sum-usage.ts'
import { entryCost, TurnBudget, textCost } from '../../core/turn-budget.ts'
import { cutCallNote } from '../requests/tool-input.ts'
import { isCut } from '../streams/reader.ts'
import { type ToolTextOptions, ToolTextParser } from './parse.ts'
import type { Call, Piece } from './pieces.ts'
import { respelt, sameJson } from './respelt.ts'
import { callShape, isCallShape } from './tools-section.ts'
import { turnNotes } from './turn-notes.ts'

export interface TextTurnOptions extends ToolTextOptions {
  /** Names the turn, and so its calls. */
  turnId: string
  /** False: the first call of an answer is the last. */
  parallelCalls: boolean
  /** A call has to come. */
  callRequired: boolean
  /** It has to be this tool's, and none else is wanted. */
  onlyTool?: string | undefined
  /** An answer with a call that cannot be read is asked for again. */
  secondTry: boolean
  /** Gives strings of arguments their own spelling back. */
  unescape(text: string): string
  /** Nobody waits for the answer any more. */
  isCanceled?(): boolean
  /** What may be kept of the turn; without it, as much as any turn may keep. */
  budget?: TurnBudget | undefined
  note(text: string): void
  /** For those who count: a call was not right as it came. */
  onRepair?(kind: TextRepair): void
}

/** What to ask for again. */
export type Complaint =
  | { type: 'malformed'; said: string; problem: string; unread: number; taken: number }
  | { type: 'no-call'; said: string }

type Malformed = Extract<Piece, { type: 'malformed' }>

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>

export class TextTurnReader {
  readonly #options: TextTurnOptions
  readonly #budget: TurnBudget
  readonly #blocks: BlockWriter
  #parser: ToolTextParser
  /** Of the text that went into the parser, in characters: so much may have come out as nothing yet. */
  heldLength = 0
  #said = new TextBuffer(longestRemembered)
  #isRefusal = false
  #refused = false
  /** The last character of text that was shown. */
  #lastShown = ''
  #malformed: Malformed[] = []
  /** What the first answer had of these. */
  #unanswered: readonly Malformed[] = []
  readonly #made: Call[] = []
  /** How many of them are of the first answer. */
  #madeBefore = 0
  #attempt = 0
  /** Words of the second answer: the client knows nothing of what they reply to. */
  #aside = new TextBuffer()
  #usage: Usage | undefined
  /** Some answer was broken off before its tokens were counted. */
  #uncounted = false
  /** How the first answer ended, for when there is no second. */
  #firstEnd: TurnEnd | undefined
  /** Nothing that follows in this answer counts, apart from its usage. */
  #enough = false
  /** The turn is over. */
  ended = false
  complaint: Complaint | undefined

  constructor(options: TextTurnOptions) {
    this.#options = options
    this.#budget = options.budget ?? new TurnBudget()
    this.#blocks = new BlockWriter({ budget: this.#budget })
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

  /** The complaint was made: what comes next is the answer to it. */
  goOn(): void {
    if (this.complaint) this.#options.note(turnNotes.again[this.complaint.type])
    this.#options.onRepair?.('asked-again')
    this.#attempt++
    this.complaint = undefined
    this.#enough = false
    this.#unanswered = this.#malformed
    this.#malformed = []
    this.#madeBefore = this.#made.length
    this.#said = new TextBuffer(longestRemembered)
    this.#parser = new ToolTextParser(this.#options)
    this.#onParserMoved()
    this.#blocks.close()
  }

  /** There was no second answer, or only the beginning of one. */
  giveUp(error: unknown): TurnEvent[] {
    const failure = GatewayError.from(error)
    const isFinal = failure.code === 'canceled' || this.#options.isCanceled?.()
    if (this.#attempt === 0 || isFinal || this.#made.length > this.#madeBefore)
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
        // A server that makes calls of its own, although it was offered no tools.
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

  /** It gives what it can: only what came last can still be in it. */
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

  /** Small models copy the shape that they were shown, and others repeat it where they tell what they were told. */
  #onCall(call: Call): void {
    const { markup, tools } = this.#options
    if (!isCallShape(call) || tools.some(({ name }) => name === call.name)) this.#call(call)
    else {
      const problem = 'It has the placeholders of the shape: write the name and the arguments of a real tool.'
      this.#onMalformed({ type: 'malformed', source: callShape(markup), problem })
    }
  }

  /** Where it may be asked for again, nothing of it is shown before that is done. */
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
    const { note, parallelCalls, onlyTool, turnId } = this.#options
    if (onlyTool !== undefined && call.name !== onlyTool) {
      note(`a call of ${call.name} was left out: only ${onlyTool} was to be called`)
      return
    }
    const input = respelt(call.input, this.#options.unescape)
    // A second answer often repeats what was taken from the first: that would run twice.
    const before = this.#made.slice(0, this.#madeBefore)
    if (before.some((made) => made.name === call.name && sameJson(made.input, input)))
      return note(turnNotes.repeated)
    if (input !== call.input) note(turnNotes.respelt)
    for (const change of call.changes) note(`${call.name}: ${change}`)
    if (call.changes.length > 0) this.#options.onRepair?.('mended')
    this.#blocks.startCall(`call_${turnId.replace(/^turn_/, '')}_${this.#blocks.calls}`, call.name)
    this.#blocks.endCall(input)
    this.#budget.spend(entryCost + textCost(input) + textCost(call.name))
    this.#made.push({ ...call, input })
    if (parallelCalls) return
    note(turnNotes.first)
    this.#enough = true
  }

  #onEnd(end: TurnEnd): void {
    if (!this.#enough) this.#onPieces(this.#parser.end(isCut(end.reason)))
    this.#settle(end)
  }

  /** The answer is over: by its own end, or because no more of it is wanted. */
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
    const taken = this.#made.length
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

  /** What was held back for a call that has not come. */
  #showRest(): void {
    const { note } = this.#options
    const corrected = this.#made.length - this.#madeBefore
    if (this.#attempt > 0 && corrected > 0) {
      if (this.#aside.toString().trim() !== '') note(turnNotes.aside)
      if (this.#malformed.length > 0 || corrected < this.#unanswered.length) note(turnNotes.lost)
      return
    }
    const unread = this.#malformed.length > 0 ? this.#malformed : this.#unanswered
    for (const piece of unread) this.#showUnreadable(piece)
    const aside = this.#aside.toString()
    if (aside.trim() === '') return
    // An answer stands already, and the second says no more than that there will be no call.
    if (unread.length === 0 && this.#lastShown !== '') note(turnNotes.aside)
    else this.#showParagraph(aside)
  }

  #close(event: TurnEvent): void {
    this.#blocks.close()
    this.#blocks.push(event)
    this.ended = true
  }
}
