// Writes the events of the current answer.

import { TextBuffer } from '../../base/text-buffer.ts'
import { BlockWriter } from '../../core/blocks.ts'
import { longestRemembered } from '../../core/collect.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent, Usage } from '../../core/events.ts'

export class AnswerWriter {
  #blocks = new BlockWriter()
  /** Events of the previous answer that were not taken yet. */
  #earlier: TurnEvent[] = []
  #text = new TextBuffer(longestRemembered)

  /** Undefined if it was too long to be remembered. */
  get text(): string | undefined {
    return this.#text.tooLong ? undefined : this.#text.toString()
  }

  get isEmpty(): boolean {
    return this.#text.length === 0
  }

  get calls(): number {
    return this.#blocks.calls
  }

  start(turnId: string, model: string): void {
    this.#earlier.push(...this.#blocks.take())
    this.#blocks = new BlockWriter()
    this.#blocks.push({ type: 'turn-start', id: turnId, model })
    this.#text = new TextBuffer(longestRemembered)
  }

  say(text: string): void {
    this.#blocks.text(text)
    this.#text.append(text)
  }

  think(text: string): void {
    this.#blocks.reasoning(text)
  }

  closeBlock(): void {
    this.#blocks.close()
  }

  call(callId: string, tool: string, input: string): void {
    this.#blocks.startCall(callId, tool)
    this.#blocks.endCall(input)
  }

  end(reason: FinishReason, usage: Usage | undefined): void {
    this.#blocks.close()
    this.#blocks.push({ type: 'turn-end', reason, ...(usage === undefined ? {} : { usage }) })
  }

  fail(error: GatewayError): void {
    this.#blocks.push({ type: 'turn-error', error })
  }

  take(): TurnEvent[] {
    const events = [...this.#earlier, ...this.#blocks.take()]
    this.#earlier = []
    return events
  }
}
