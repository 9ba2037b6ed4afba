// Stop sequences for a service that has none: text is given up to the first of them, and the turn ends there.

import type { TurnEvent } from '../../core/events.ts'

export class StopFilter {
  readonly #stops: readonly string[]
  readonly #longest: number
  #held = ''
  /** Open, and not given yet: an empty block would be shown otherwise. */
  #pending: TurnEvent | undefined
  #block = 0
  #calls = 0
  /** The text was cut: nothing more is to be read. */
  cut = false

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '')
    this.#longest = Math.max(0, ...this.#stops.map((stop) => stop.length))
  }

  push(events: readonly TurnEvent[]): TurnEvent[] {
    if (this.#longest === 0) return [...events]
    const given: TurnEvent[] = []
    for (const event of events) if (!this.cut) this.#on(event, given)
    return given
  }

  #on(event: TurnEvent, given: TurnEvent[]): void {
    if (event.type === 'text-start') {
      this.#pending = event
      this.#block = event.block
    } else if (event.type === 'text-delta') this.#onText(event.delta, given)
    else {
      // Also in front of an error: what was held back was said.
      this.#give(this.#held, given)
      this.#held = ''
      // A block without text keeps its number, so it is shown.
      if (this.#pending) given.push(this.#pending)
      this.#pending = undefined
      if (event.type === 'tool-call-end') this.#calls++
      given.push(event)
    }
  }

  #onText(delta: string, given: TurnEvent[]): void {
    const text = this.#held + delta
    const at = this.#firstStop(text)
    if (at !== undefined) {
      this.#give(text.slice(0, at), given)
      if (!this.#pending) given.push({ type: 'text-end', block: this.#block })
      this.cut = true
      given.push({
        type: 'turn-end',
        reason: this.#calls > 0 ? 'tool-calls' : 'stop',
        rawReason: 'stop sequence',
      })
      return
    }
    const kept = this.#possibleStart(text)
    this.#give(text.slice(0, kept), given)
    this.#held = text.slice(kept)
  }

  #firstStop(text: string): number | undefined {
    const found = this.#stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
    return found.length === 0 ? undefined : Math.min(...found)
  }

  /** From where on the text may be the beginning of a stop sequence. */
  #possibleStart(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++) {
      const rest = text.slice(at)
      if (this.#stops.some((stop) => stop.startsWith(rest))) return at
    }
    return text.length
  }

  #give(text: string, given: TurnEvent[]): void {
    if (text === '') return
    if (this.#pending) given.push(this.#pending)
    this.#pending = undefined
    given.push({ type: 'text-delta', block: this.#block, delta: text })
  }
}
