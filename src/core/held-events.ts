// The events of a turn that nobody is shown before its end. Pieces of one text are put together: each by itself would take several
// times the memory of what it says.

import { TextBuffer } from '../base/text-buffer.ts'
import type { TurnEvent } from './events.ts'
import { entryCost, textCost } from './turn-budget.ts'

type Delta = Extract<TurnEvent, { delta: string }>

export class HeldEvents {
  #events: TurnEvent[] = []
  #open: { type: Delta['type']; block: number; text: TextBuffer } | undefined

  /** Says what it takes to keep them. */
  push(events: readonly TurnEvent[]): number {
    let cost = 0
    for (const event of events) {
      if ('delta' in event) cost += this.#onDelta(event)
      else {
        this.#close()
        this.#events.push(event)
        cost += costOf(event)
      }
    }
    return cost
  }

  take(): TurnEvent[] {
    this.#close()
    return this.#events
  }

  #onDelta({ type, block, delta }: Delta): number {
    const isNew = this.#open?.type !== type || this.#open.block !== block
    if (isNew) this.#close()
    this.#open ??= { type, block, text: new TextBuffer() }
    this.#open.text.append(delta)
    return textCost(delta) + (isNew ? entryCost : 0)
  }

  #close(): void {
    if (!this.#open) return
    const { type, block, text } = this.#open
    this.#events.push({ type, block, delta: text.toString() })
    this.#open = undefined
  }
}

/** What it takes to keep an event. */
export function costOf(event: TurnEvent): number {
  let cost = entryCost
  for (const value of Object.values(event)) if (typeof value === 'string') cost += textCost(value)
  return cost
}
