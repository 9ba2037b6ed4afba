// Several turns of a model as one: their blocks numbered through, their calls left out, what is done between them shown
// as reasoning or text, their usage added up.

import { BlockWriter } from './blocks.ts'
import type { CollectedPart, CollectedTurn } from './collect.ts'
import type { GatewayError } from './errors.ts'
import type { FinishReason, TurnEvent, Usage } from './events.ts'
import { sumUsage } from './sum-usage.ts'

export type ProgressAs = 'reasoning' | 'text' | 'off'

export interface JoinedAnswerOptions {
  progressAs: ProgressAs
  /** The text is for a program: nothing is in it but what the last turn says. */
  onlyLastText: boolean
}

export class JoinedAnswer {
  readonly #progressAs: ProgressAs
  readonly #onlyLastText: boolean
  readonly #out = new BlockWriter()
  #hasStarted = false
  /** What is being done is told, as text. */
  #isTelling = false
  /** A text that was shown is over: what comes next is a new paragraph. */
  #isBetween = false
  #refusal: { refusal?: true } = {}
  #usage: Usage | undefined
  #isUncounted = false

  constructor({ progressAs, onlyLastText }: JoinedAnswerOptions) {
    this.#progressAs = onlyLastText && progressAs === 'text' ? 'reasoning' : progressAs
    this.#onlyLastText = onlyLastText
  }

  /** What a client sees of these events; nothing of calls, and not the end. */
  show(events: readonly TurnEvent[]): TurnEvent[] {
    for (const event of events) this.#show(event)
    return this.#out.take()
  }

  /** A piece of what is being done meanwhile; lines end in a newline. */
  progress(text: string): TurnEvent[] {
    if (this.#progressAs === 'reasoning') this.#out.reasoning(text)
    else if (this.#progressAs === 'text') {
      this.#isBetween ||= this.#out.hasText && !this.#isTelling
      this.#isTelling = true
      this.#say(text.replace(/^(?=[^\n])/gm, '> '))
    }
    return this.#out.take()
  }

  /** One of the turns is over, and another will follow. */
  next({ usage }: CollectedTurn): void {
    this.#out.close()
    this.#isBetween = this.#out.hasText
    this.#isTelling = false
    this.#count(usage)
  }

  end({ parts, reason, rawReason, stopSequence, usage }: CollectedTurn): TurnEvent[] {
    this.#count(usage)
    if (this.#onlyLastText) for (const part of parts) this.#sayPart(part)
    return this.#end(reason, {
      ...(rawReason === undefined ? {} : { rawReason }),
      ...(stopSequence === undefined ? {} : { stopSequence }),
    })
  }

  /** Not the model ends it. */
  stop(why: string, { usage }: CollectedTurn): TurnEvent[] {
    this.#count(usage)
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
        // Which is the last one is known at its end.
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
    }
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
    const usage = this.#isUncounted || this.#usage === undefined ? {} : { usage: this.#usage }
    this.#out.push({ type: 'turn-end', reason, ...more, ...usage })
    return this.#out.take()
  }

  #count(usage: Usage | undefined): void {
    if (usage === undefined) this.#isUncounted = true
    this.#usage = sumUsage(this.#usage, usage)
  }
}
