// Collects a turn with thinking, because it must be replayed unchanged. Other turns are not collected: copying every text delta is
// the most expensive step of a turn.

import { type CollectedTurn, longestRemembered, TurnCollector } from '../../core/collect.ts'
import type { TurnEvent } from '../../core/events.ts'

export class ThinkingCollector {
  #collector: TurnCollector | undefined
  #isDecided = false

  /** `expected`: the request asks for thinking, or the model thinks by default. Otherwise the first block decides. */
  constructor({ expected }: { expected: boolean }) {
    if (expected) this.#collect()
  }

  /** The turn is not collected, so text may take the fast path. */
  get ignoresText(): boolean {
    return this.#isDecided && this.#collector === undefined
  }

  /** Calls `keep` at the end of a collected turn. Returns the events. */
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
