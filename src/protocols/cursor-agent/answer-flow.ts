// The current answer of a run: its start, what the server's updates add to it, and each way in which it ends.

import type { InteractionUpdate } from '../../../proto/gen/agent/v1/interaction_pb.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, Usage } from '../../core/events.ts'
import type { ResultFlow } from './result-flow.ts'
import type { AnswerOptions } from './run-options.ts'
import type { RunParts } from './run-parts.ts'

export class AnswerFlow {
  readonly #parts: RunParts
  readonly #results: ResultFlow

  constructor(parts: RunParts, results: ResultFlow) {
    this.#parts = parts
    this.#results = results
  }

  start(answer: AnswerOptions, now: number): void {
    const { desk, out, stored, continuation, clocks } = this.#parts
    this.#parts.answer = answer
    desk.tools = answer.tools
    desk.note = answer.note
    out.start(answer.turnId, answer.model)
    stored.forget()
    continuation.checkpoint.onAnswer()
    clocks.excuse(now)
  }

  update({ message: update }: InteractionUpdate, now: number): void {
    const { notices, answer, out, continuation, stored, usage, window } = this.#parts
    const isNotice = update.case === 'textDelta' && update.value.isServerNotice
    if (!isNotice) notices.tell(answer.note)
    switch (update.case) {
      case 'textDelta':
        if (isNotice) notices.add(update.value.text)
        if (isNotice || update.value.text === '') break
        out.say(update.value.text)
        continuation.onShown()
        stored.forget()
        break
      case 'thinkingDelta':
        if (update.value.text === '') break
        out.think(update.value.text)
        continuation.onShown()
        break
      case 'thinkingCompleted':
        out.closeBlock()
        break
      case 'tokenDelta':
        usage.onTokens(update.value.tokens)
        break
      case 'partialToolCall':
      case 'toolCallStarted':
        window.announce(update.value.callId)
        break
      case 'toolCallCompleted':
        window.complete(update.value.callId)
        break
      case 'contextInjectionState': {
        const { injectionId, state } = update.value
        const how = state?.state.case
        if (this.#parts.steering.waitsFor(injectionId))
          this.#results.release(how === 'queued' || how === 'delivered')
        break
      }
      case 'routedModel':
        answer.note(`answered by ${update.value.displayName}`)
        break
      case 'toolRequestsListed':
        window.list(update.value.callCount)
        break
      case 'turnEnded':
        this.#endTurn(usage.final(update.value))
        return
    }
    this.progressed(now)
  }

  /** `bringsCalls`: false for messages that do not say whether more calls follow. */
  progressed(now: number, bringsCalls = true): void {
    const { clocks, stored, window, life, out } = this.#parts
    clocks.progressed(now)
    stored.wait(now)
    if (bringsCalls) window.extend(now)
    if (life.isAnswering && out.calls > 0 && window.isComplete) this.park()
  }

  /** Ends the answer with its tool calls. */
  park(): void {
    const { life, outbox, usage } = this.#parts
    this.#results.release(false)
    life.park()
    outbox.releaseEarly()
    this.#conclude('tool-calls', usage.partial())
  }

  /** The answer is complete although the turn has not ended: its text was stored, and nothing else comes. */
  endWithStored(): void {
    this.#finish(undefined)
    this.#parts.life.cutShort()
  }

  /** The run makes no more progress. */
  stall(): void {
    const { stored, options, clocks } = this.#parts
    if (stored.text !== '') return this.endWithStored()
    this.fail(
      new GatewayError(
        'timeout',
        `${options.backend}: no progress from the upstream for ${clocks.patienceMs / 1000} s, only signs of life.`,
        { retryable: false },
      ),
    )
  }

  /** Ends the run. The client sees the error only if an answer is under way. */
  fail(error: GatewayError): void {
    const { life, notices, answer, out } = this.#parts
    if (life.isEnded) return
    const isSeen = life.isAnswering
    life.fail()
    notices.tell(answer.note)
    if (isSeen) out.fail(error)
    this.#forgetCheck()
  }

  #endTurn(usage: Usage | undefined): void {
    this.#finish(usage)
    this.#parts.life.endTurn()
  }

  #finish(usage: Usage | undefined): void {
    const { stored, out, answer } = this.#parts
    if (stored.text !== '') {
      out.say(stored.text)
      answer.note('the upstream stored its answer without streaming it')
    }
    if (out.isEmpty && out.calls === 0) answer.note('the upstream ended its turn without a word')
    this.#conclude(out.calls > 0 ? 'tool-calls' : 'stop', usage)
  }

  #conclude(reason: FinishReason, usage: Usage | undefined): void {
    const { notices, answer, stored, out, window } = this.#parts
    notices.tell(answer.note)
    stored.onSaid(out.text)
    window.close()
    stored.forget()
    out.end(reason, usage)
    this.#forgetCheck()
  }

  /** The call check refers to one request, and a run outlives its requests by far. */
  #forgetCheck(): void {
    const { answer } = this.#parts
    if (answer.calls) this.#parts.answer = { ...answer, calls: undefined }
  }
}
