// A turn whose calls may be asked for once more: calls that do not fit are held back, the model is told what was wrong, and its second
// answer takes their place. Good calls and text of the first answer reach the client at once.

import { parseJson } from '../base/json.ts'
import { asMade } from '../core/call-check.ts'
import type { KnownCall } from '../core/call-key.ts'
import { type CollectedTurn, longestRemembered, TurnCollector } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import { followUp } from '../core/follow-up.ts'
import { JoinedAnswer } from '../core/joined-answer.ts'
import type { AssistantPart, Message, ToolResult, TurnRequest } from '../core/request.ts'
import type { Turn } from '../core/turn.ts'
import { complaintAbout } from '../protocols/call-check/complaint.ts'
import { markId } from '../protocols/call-check/marked-id.ts'
import type { CallRecord } from '../protocols/call-check/restore-calls.ts'
import type { TurnCalls, UnfitCall } from '../protocols/call-check/turn-calls.ts'

export interface RetryTurnOptions {
  turnId?: string | undefined
  request: TurnRequest
  first: Turn
  calls: TurnCalls
  /** The service keeps the conversation: all calls of an answer must have their results before it goes on. */
  isSession: boolean
  /** One of several parts of the client's answer. */
  isPart?: boolean
  /** False if the model was asked again before, for a call that could not be read. */
  mayAsk(): boolean
  /** Opens the second answer, with the check of its calls. */
  ask(request: TurnRequest): Promise<{ turn: Turn; calls: TurnCalls | undefined }>
  /** `calls`: as the client sees them. */
  keep(calls: readonly KnownCall[], record: CallRecord): void
  /** The results of this call will never come. */
  abandon(callId: string): void
  note(text: string): void
  onRetried(): void
}

type CallEnd = Extract<TurnEvent, { type: 'tool-call-end' }>

/** Characters of one answer, as for local tools. */
const longestPart = 16 * 1024 * 1024

/** A program reads the text of an answer with a response format, so all of it is needed at the end. */
const collectorFor = ({ responseFormat }: TurnRequest) =>
  new TurnCollector({ maxLength: responseFormat ? longestPart : longestRemembered })

export async function* retryTurn(options: RetryTurnOptions): AsyncGenerator<TurnEvent[]> {
  const retry = new Retry(options)
  try {
    yield* retry.run()
  } finally {
    retry.stop()
  }
}

class Retry {
  readonly #options: RetryTurnOptions
  readonly #answer: JoinedAnswer
  #turn: Turn
  /** Calls of the first answer that the client does not get. */
  #held: UnfitCall[] = []
  /** The calls that the client has, of each answer. */
  readonly #shown: { first: CallEnd[]; second: CallEnd[] } = { first: [], second: [] }
  #firstIds: ReadonlySet<string> = new Set()
  #firstWork: ReadonlySet<string> = new Set()
  #isSecond = false
  /** Of the second answer. */
  #hasBegunCall = false
  /** The held calls have no result yet. */
  #isOpen = false

  constructor(options: RetryTurnOptions) {
    this.#options = options
    this.#turn = options.first
    this.#answer = new JoinedAnswer({
      progressAs: 'off',
      onlyLastText: options.request.responseFormat !== undefined,
      tellsLastInput: options.isPart === true,
      showsCall: (call) => this.#shows(call),
    })
  }

  /** Also if the client is gone: the reader has stopped. */
  stop(): void {
    if (!this.#turn.over) this.#turn.stop()
    if (this.#isOpen) for (const { made } of this.#held) this.#options.abandon(made.callId)
  }

  async *run(): AsyncGenerator<TurnEvent[]> {
    const first = collectorFor(this.#options.request)
    yield* this.#show(first)
    if (first.error) return yield this.#answer.fail(first.error)
    this.#held = [...this.#options.calls.unfit.values()]
    if (this.#held.length === 0) return yield this.#end(first.turn)
    this.#isOpen = true
    if (first.tooLong || !this.#mayAsk(first.turn)) {
      yield this.#showHeld()
      return yield this.#end(first.turn)
    }
    yield* this.#runSecond(first.turn)
  }

  #mayAsk({ reason, parts }: CollectedTurn): boolean {
    const { isSession, mayAsk } = this.#options
    const calls = parts.filter(({ type }) => type === 'tool-call').length
    return reason === 'tool-calls' && mayAsk() && (!isSession || calls === this.#held.length)
  }

  async *#runSecond(first: CollectedTurn): AsyncGenerator<TurnEvent[]> {
    const { request, note, onRetried } = this.#options
    const names = request.tools.map(({ name }) => name)
    const complaints = this.#held.map((call) => complaintAbout(call, names))
    const second = collectorFor(request)
    const next = this.#followUp(first, complaints)
    let checks: TurnCalls | undefined
    onRetried()
    try {
      const opened = await this.#options.ask(next)
      this.#turn = opened.turn
      this.#isOpen = false
      checks = opened.calls
    } catch (error) {
      return yield* this.#fallBack(first, GatewayError.from(error))
    }
    this.#beginSecond(first)
    note('the model was asked again for a tool call that did not fit')
    yield* this.#show(second)
    if (second.error) return yield* this.#breakOff(first, second.error)
    const isEmpty = !second.tooLong && second.turn.parts.every((part) => part.type === 'reasoning')
    if (isEmpty) yield this.#showHeld()
    if (!second.tooLong) this.#keep(next.messages.slice(request.messages.length), second.turn)
    if (checks && checks.unfit.size > 0) note('the second try does not fit either; it was passed on as it is')
    yield this.#end(second.turn)
  }

  #beginSecond(first: CollectedTurn): void {
    this.#answer.next(first)
    this.#isSecond = true
    this.#firstIds = new Set(this.#shown.first.map(({ callId }) => callId))
    this.#firstWork = new Set(this.#shown.first.map(workOf))
  }

  /** Without good calls of the same answer: their results are not known yet. */
  #followUp(first: CollectedTurn, complaints: ToolResult[]): TurnRequest {
    const held = new Set(this.#held.map(({ made }) => made.callId))
    const parts = first.parts.filter((part) => part.type !== 'tool-call' || held.has(asMade(part).callId))
    return followUp(this.#options.request, { ...first, parts }, complaints)
  }

  /** The second answer broke off. Without a call of it, the turn can still end as without it. */
  async *#breakOff(first: CollectedTurn, error: GatewayError): AsyncGenerator<TurnEvent[]> {
    if (this.#hasBegunCall) return yield this.#answer.fail(error)
    // The first answer was counted, and what the second one took is not known.
    yield* this.#fallBack({ ...first, usage: undefined }, error)
  }

  async *#fallBack(first: CollectedTurn, error: GatewayError): AsyncGenerator<TurnEvent[]> {
    if (error.code === 'canceled') return yield this.#answer.fail(error)
    this.#options.note(`asking again for a tool call that did not fit failed (${error.code})`)
    yield this.#showHeld()
    yield this.#end(first)
  }

  async *#show(collector: TurnCollector): AsyncGenerator<TurnEvent[]> {
    const shown = this.#isSecond ? this.#shown.second : this.#shown.first
    for (let batch = await this.#turn.next(); batch !== undefined; batch = await this.#turn.next()) {
      const news = this.#isSecond ? this.#withoutRepeats(batch) : batch
      collector.push(news)
      const events = this.#answer.show(this.#isSecond ? news.map((event) => this.#ofSecond(event)) : news)
      for (const event of events) {
        this.#hasBegunCall ||= this.#isSecond && event.type === 'tool-call-start'
        if (event.type === 'tool-call-end') shown.push(event)
      }
      if (events.length > 0) yield events
    }
  }

  /** The second answer often makes the good calls of the first again: the model was not shown them. They would run twice. */
  #withoutRepeats(batch: TurnEvent[]): TurnEvent[] {
    const begun = new Set(batch.flatMap((event) => (event.type === 'tool-call-start' ? [event.block] : [])))
    // The client has the beginning of a call that began before.
    const repeated = new Set(
      batch.flatMap((event) =>
        event.type === 'tool-call-end' && begun.has(event.block) && this.#firstWork.has(workOf(event))
          ? [event.block]
          : [],
      ),
    )
    if (repeated.size === 0) return batch
    this.#options.note('a tool call that was repeated was left out')
    return batch.filter((event) => !('block' in event) || !repeated.has(event.block))
  }

  #shows({ callId }: { callId: string }): boolean {
    return this.#isSecond || !this.#options.calls.unfit.has(callId)
  }

  /**
   * Proofs of the second answer are bound to a conversation that the client does not have, so they stay with the gateway. The ids of
   * its calls show that there is such a record.
   */
  #ofSecond(event: TurnEvent): TurnEvent {
    if (event.type === 'reasoning-end') return { type: 'reasoning-end', block: event.block }
    if (event.type !== 'tool-call-start' && event.type !== 'tool-call-end') return event
    return { ...event, callId: this.#secondId(event.callId) }
  }

  /** Servers that number the calls of each answer give both answers the same ids. */
  #secondId(made: string): string {
    let id = made
    const { turnId } = this.#options
    while (this.#firstIds.has(markId(id, turnId))) id = `${id}_2`
    return markId(id, turnId)
  }

  /** The calls that were held back, for lack of better ones. */
  #showHeld(): TurnEvent[] {
    this.#isSecond = true
    this.#isOpen = false
    const events = this.#answer.show(
      this.#held.flatMap(({ shown: { callId, name, input } }): TurnEvent[] => [
        { type: 'tool-call-start', block: 0, callId, name },
        { type: 'tool-call-end', block: 0, callId, name, input },
      ]),
    )
    for (const event of events) if (event.type === 'tool-call-end') this.#shown.first.push(event)
    return events
  }

  #end(turn: CollectedTurn): TurnEvent[] {
    const hasCalls = this.#shown.first.length + this.#shown.second.length > 0
    const isOther = hasCalls && turn.reason === 'stop'
    return this.#answer.end(isOther ? { ...turn, reason: 'tool-calls' } : turn)
  }

  /** `added`: what the second answer was asked with. */
  #keep(added: readonly Message[], second: CollectedTurn): void {
    const shown = this.#shown.second
    if (shown.length === 0) return
    const made = second.parts.filter((part) => part.type === 'tool-call').map((part) => asMade(part).callId)
    const ids = new Map(shown.map(({ callId }, at) => [callId, made[at] ?? callId]))
    this.#options.keep(shown, { type: 'retried', added, second: partsAsMade(second), ids })
  }
}

/** Equal for calls that do the same. */
const workOf = ({ name, input }: KnownCall) => JSON.stringify([name, parseJson(input)])

const partsAsMade = ({ parts }: CollectedTurn): AssistantPart[] =>
  parts.map((part): AssistantPart => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    return part.type === 'tool-call' ? { type: 'tool-call', ...asMade(part) } : part
  })
