// HeldEvents: the events of a turn that is held back until its end. Deltas of one block are joined, because each delta alone takes
// several times the memory of its text.

import { TextBuffer } from '../base/text-buffer.ts'
import type { TurnEvent } from './events.ts'
import { entryCost, textCost } from './turn-budget.ts'

type Delta = Extract<TurnEvent, { delta: string }>

export class HeldEvents {
  #events: TurnEvent[] = []
  #open: { type: Delta['type']; block: number; text: TextBuffer } | undefined

  /** Returns the memory cost of the events. */
  push(events: readonly TurnEvent[]): number {
    let cost = 0
    for (const event of events) {
      if (isDelta(event)) cost += this.#onDelta(event)
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

const isDelta = (event: TurnEvent): event is Delta =>
  event.type === 'text-delta' || event.type === 'tool-call-delta' || event.type === 'reasoning-delta'

/** The memory cost of an event. The frequent ones by name: to go through all members takes several times longer. */
export function costOf(event: TurnEvent): number {
  if (isDelta(event)) return entryCost + textCost(event.delta)
  if (event.type === 'opaque') return entryCost + textCost(event.data)
  let cost = entryCost
  for (const value of Object.values(event)) if (typeof value === 'string') cost += textCost(value)
  if (event.type === 'web-use') cost += textCost(JSON.stringify(event.use))
  return cost
}
