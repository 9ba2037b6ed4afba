// JoinedAnswer: several turns of a model as one answer. Blocks are renumbered, tool calls that the gateway answers are left out, the
// progress between the turns is shown as reasoning or text, and usage is added up, or told as that of one answer.

import { BlockWriter } from './blocks.ts'
import type { CollectedPart, CollectedTurn } from './collect.ts'
import type { GatewayError } from './errors.ts'
import type { FinishReason, TurnEvent, Usage } from './events.ts'
import { sumUsage } from './sum-usage.ts'

type ProgressAs = 'reasoning' | 'text' | 'off'

interface JoinedAnswerOptions {
  progressAs: ProgressAs
  /** A program reads the text: it contains only the text of the last turn. */
  onlyLastText: boolean
  /**
   * The client is told the input of the last turn alone: each turn has the whole conversation as its input, and clients shorten theirs
   * by that number. Output is added up in any case.
   */
  tellsLastInput?: boolean
  /** The client gets this call. Default: no call. */
  showsCall?(call: { name: string; callId: string }): boolean
  /** A call that the client does not get is complete. Returns the events that stand for it. */
  onHiddenCall?(call: CallEnd): readonly TurnEvent[]
}

type CallEnd = Extract<TurnEvent, { type: 'tool-call-end' }>

export class JoinedAnswer {
  readonly #progressAs: ProgressAs
  readonly #onlyLastText: boolean
  readonly #out = new BlockWriter()
  #hasStarted = false
  /** The last text was progress. */
  #isTelling = false
  /** The next text begins a new paragraph. */
  #isBetween = false
  #refusal: { refusal?: true } = {}
  #usage: Usage | undefined
  #lastUsage: Usage | undefined
  #isUncounted = false
  /** The open call is shown. */
  #isCallShown = false
  readonly #options: JoinedAnswerOptions

  constructor(options: JoinedAnswerOptions) {
    const { progressAs, onlyLastText } = options
    this.#options = options
    this.#progressAs = onlyLastText && progressAs === 'text' ? 'reasoning' : progressAs
    this.#onlyLastText = onlyLastText
  }

  /** The visible events: without the calls that are not shown, and without the end. */
  show(events: readonly TurnEvent[]): TurnEvent[] {
    for (const event of events) this.#show(event)
    return this.#out.take()
  }

  /** Events that stand for calls that are not shown. */
  insert(events: readonly TurnEvent[]): TurnEvent[] {
    this.#out.close()
    for (const event of events) this.#out.push(event)
    return this.#out.take()
  }

  /** Progress between two turns; lines end in a newline. */
  progress(text: string): TurnEvent[] {
    if (this.#progressAs === 'reasoning') this.#out.reasoning(text)
    else if (this.#progressAs === 'text') {
      this.#isBetween ||= this.#out.hasText && !this.#isTelling
      this.#isTelling = true
      this.#say(text.replace(/^(?=[^\n])/gm, '> '))
    }
    return this.#out.take()
  }

  /** A turn is over, and another follows. */
  next(turn: CollectedTurn): void {
    this.#out.close()
    this.#isBetween = this.#out.hasText
    this.#isTelling = false
    this.#count(turn)
  }

  end(turn: CollectedTurn): TurnEvent[] {
    const { parts, reason, rawReason, stopSequence } = turn
    this.#count(turn)
    if (this.#onlyLastText) for (const part of parts) this.#sayPart(part)
    return this.#end(reason, {
      ...(rawReason === undefined ? {} : { rawReason }),
      ...(stopSequence === undefined ? {} : { stopSequence }),
    })
  }

  /** The gateway ends the answer, not the model. */
  stop(why: string, turn: CollectedTurn): TurnEvent[] {
    this.#count(turn)
    this.#say(why)
    return this.#end('length', {})
  }

  fail(error: GatewayError): TurnEvent[] {
    this.#out.close()
    this.#out.push({ type: 'turn-error', error })
    return this.#out.take()
  }

  #show(event: TurnEvent): void {
    switch (event.type) {
      case 'turn-start':
        if (!this.#hasStarted) this.#out.push(event)
        this.#hasStarted = true
        return
      case 'text-start':
        this.#refusal = event.refusal ? { refusal: true } : {}
        return
      case 'text-delta':
        // `end` shows the text: only then is it known which turn is the last.
        return this.#onlyLastText ? undefined : this.#say(event.delta, this.#refusal)
      case 'reasoning-start':
        this.#out.close()
        return this.#out.reasoning('')
      case 'reasoning-delta':
        return this.#out.reasoning(event.delta)
      case 'reasoning-end': {
        const { signature, redacted } = event
        return this.#out.endReasoning({
          ...(signature === undefined ? {} : { signature }),
          ...(redacted === undefined ? {} : { redacted }),
        })
      }
      case 'text-end':
        return this.#out.close()
      case 'tool-call-start':
        this.#isCallShown = this.#options.showsCall?.(event) ?? false
        return this.#isCallShown ? void this.#out.startCall(event.callId, event.name) : undefined
      case 'tool-call-delta':
        return this.#isCallShown ? this.#out.callDelta(event.delta) : undefined
      case 'tool-call-end':
        return this.#isCallShown ? void this.#out.endCall(event.input) : this.#hide(event)
    }
  }

  #hide(call: CallEnd): void {
    const events = this.#options.onHiddenCall?.(call) ?? []
    if (events.length > 0) this.#out.close()
    for (const event of events) this.#out.push(event)
  }

  #say(text: string, options: { refusal?: true } = {}): void {
    const gap = this.#isBetween ? '\n\n' : ''
    this.#isBetween = false
    this.#out.text(`${gap}${text}`, options)
  }

  #sayPart(part: CollectedPart): void {
    if (part.type !== 'text') return
    this.#say(part.text, part.refusal ? { refusal: true } : {})
    this.#out.close()
  }

  #end(reason: FinishReason, more: { rawReason?: string; stopSequence?: string }): TurnEvent[] {
    this.#out.close()
    this.#out.push({ type: 'turn-end', reason, ...more, ...this.#usageTold() })
    return this.#out.take()
  }

  #usageTold(): { usage?: Usage; spent?: Usage } {
    const sum = this.#usage
    const last = this.#lastUsage
    if (this.#isUncounted || !sum || !last) return {}
    return this.#options.tellsLastInput ? { usage: withOutputOf(last, sum), spent: sum } : { usage: sum }
  }

  #count({ usage, spent = usage }: CollectedTurn): void {
    if (usage === undefined) this.#isUncounted = true
    this.#usage = sumUsage(this.#usage, spent)
    this.#lastUsage = usage
  }
}

function withOutputOf(last: Usage, { outputTokens, reasoningTokens, estimated }: Usage): Usage {
  return {
    ...last,
    outputTokens,
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(estimated ? { estimated } : {}),
  }
}
