// Checks the calls of a turn whose events come from a run that outlives it, so that no writer of this turn could check them.

import type { CallCheck } from './call-check.ts'
import type { TurnEvent } from './events.ts'

type CallEvent = Extract<TurnEvent, { type: `tool-call-${string}` }>

/** Calls whose arguments come in one delta may change; others are only judged. */
export async function* checkedEvents(
  batches: AsyncIterable<TurnEvent[]>,
  calls: CallCheck,
): AsyncGenerator<TurnEvent[]> {
  const checker = new EventChecker(calls)
  for await (const batch of batches) {
    const events = checker.push(batch)
    if (events.length > 0) yield events
  }
}

class EventChecker {
  readonly #calls: CallCheck
  /** The start of the open call, until the client may see it. */
  #start: CallEvent | undefined
  #first: CallEvent | undefined

  constructor(calls: CallCheck) {
    this.#calls = calls
  }

  push(batch: TurnEvent[]): TurnEvent[] {
    if (!this.#start && !batch.some(({ type }) => type === 'tool-call-start')) return batch
    return batch.flatMap((event) => this.#on(event))
  }

  #on(event: TurnEvent): TurnEvent[] {
    if (event.type === 'tool-call-start') {
      this.#start = event
      this.#first = undefined
      return []
    }
    if (event.type === 'tool-call-delta') return this.#onDelta(event)
    return event.type === 'tool-call-end' ? this.#onEnd(event) : [event]
  }

  /** The first delta waits for the end: it may be the whole input. */
  #onDelta(delta: CallEvent): TurnEvent[] {
    if (!this.#start) return [delta]
    if (!this.#first) {
      this.#first = delta
      return []
    }
    return [...this.#release(), delta]
  }

  #release(): TurnEvent[] {
    const held = [this.#start, this.#first].filter((event) => event !== undefined)
    this.#start = undefined
    this.#first = undefined
    return held
  }

  #onEnd(event: Extract<TurnEvent, { type: 'tool-call-end' }>): TurnEvent[] {
    const { type, block, callId, name, input } = event
    const made = { callId, name, input }
    const isShown = this.#start === undefined
    const call = this.#calls.check(made, isShown)
    if (call === made || isShown) return [...this.#release(), event]
    this.#release()
    return [
      { type: 'tool-call-start', block, callId: call.callId, name: call.name },
      { type: 'tool-call-delta', block, delta: call.input },
      { type, block, ...call, made },
    ]
  }
}
