// Collects a turn in which the model thinks, for it will have to be sent back as it was. What nobody will ask for is not
// collected: a copy of every piece of text is the dearest thing on its way.

import { type CollectedTurn, longestRemembered, TurnCollector } from '../../core/collect.ts'
import type { TurnEvent } from '../../core/events.ts'

export class ThinkingCollector {
  #collector: TurnCollector | undefined
  #isDecided = false

  /** `expected`: it was asked for, or the model does so unasked. Otherwise it shows by its first block. */
  constructor({ expected }: { expected: boolean }) {
    if (expected) this.#collect()
  }

  /** Text is of no use to it. */
  get passesText(): boolean {
    return this.#isDecided && this.#collector === undefined
  }

  /** With the turn's end it is kept, where there is something to be kept. Gives the events back. */
  push(events: TurnEvent[], keep: (turn: CollectedTurn) => void): TurnEvent[] {
    if (!this.#isDecided) this.#decide(events)
    const collector = this.#collector
    collector?.push(events)
    if (collector && !collector.tooLong && events.at(-1)?.type === 'turn-end') keep(collector.turn)
    return events
  }

  #decide(events: readonly TurnEvent[]): void {
    const first = events.find(({ type }) => type !== 'turn-start')
    if (first === undefined) return
    if (first.type === 'reasoning-start') this.#collect()
    this.#isDecided = true
  }

  #collect(): void {
    this.#collector = new TurnCollector({ maxLength: longestRemembered })
    this.#isDecided = true
  }
}
