// Events of an answer that the client has not taken yet.

import type { TurnEvent } from '../../core/events.ts'

const maxEvents = 1_000
const maxLength = 64 * 1024

export class EventQueue {
  #events: TurnEvent[] = []
  #length = 0
  #wake: (() => void) | undefined

  /** The driver stops reading the stream until the client has caught up. */
  get isFull(): boolean {
    return this.#events.length > maxEvents || this.#length > maxLength
  }

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  some(predicate: (event: TurnEvent) => boolean): boolean {
    return this.#events.some(predicate)
  }

  add(events: readonly TurnEvent[]): void {
    if (events.length === 0) return
    for (const event of events) {
      this.#events.push(event)
      if ('delta' in event) this.#length += event.delta.length
    }
    this.wake()
    this.#wake = undefined
  }

  take(): TurnEvent[] {
    const events = this.#events
    this.#events = []
    this.#length = 0
    return events
  }

  /** Resolves when events are added, or at `wake`. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  wake(): void {
    this.#wake?.()
  }
}
