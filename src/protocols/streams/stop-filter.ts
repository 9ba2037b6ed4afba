// Stop sequences for a service without them: the text ends before the first one, and so does the turn.

import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'

export class StopFilter {
  readonly #root: Place
  #at: Place
  #held = ''
  /** The start of a block, held until its first text: an empty block would be shown otherwise. */
  #pending: TurnEvent | undefined
  #block = 0
  #calls = 0
  /** The text was cut: reading can stop. */
  cut = false

  constructor(stops: readonly string[]) {
    this.#root = placesOf(stops.filter((stop) => stop !== ''))
    this.#at = this.#root
  }

  push(events: readonly TurnEvent[]): TurnEvent[] {
    if (this.#root.next.size === 0) return [...events]
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
      // Before an error too: the held text belongs to the answer.
      this.#give(this.#held, given)
      this.#held = ''
      this.#at = this.#root
      // A block without text keeps its index, so it is shown.
      if (this.#pending) given.push(this.#pending)
      this.#pending = undefined
      if (event.type === 'tool-call-end') this.#calls++
      given.push(event)
    }
  }

  #onText(delta: string, given: TurnEvent[]): void {
    const text = this.#held + delta
    for (let at = 0; at < delta.length; at++) {
      this.#at = nextPlace(this.#at, delta.charCodeAt(at))
      if (this.#at.stop === 0) continue
      this.#give(text.slice(0, this.#held.length + at + 1 - this.#at.stop), given)
      if (!this.#pending) given.push({ type: 'text-end', block: this.#block })
      this.cut = true
      given.push({
        type: 'turn-end',
        reason: this.#calls > 0 ? 'tool-calls' : 'stop',
        rawReason: 'stop sequence',
      })
      return
    }
    const kept = text.length - this.#at.depth
    this.#give(text.slice(0, kept), given)
    this.#held = text.slice(kept)
  }

  #give(text: string, given: TurnEvent[]): void {
    if (text === '') return
    if (this.#pending) given.push(this.#pending)
    this.#pending = undefined
    given.push({ type: 'text-delta', block: this.#block, delta: text })
  }
}

/** A node in the trie of all stop sequences: the text read last is the beginning of one. */
interface Place {
  next: Map<number, Place>
  /** The node of the longest proper suffix that begins a sequence. Undefined for the root. */
  shorter: Place | undefined
  depth: number
  /** The length of the longest sequence that ends here; 0 if none does. */
  stop: number
}

const longestStops = 10_000

/** An Aho-Corasick automaton: each character is read once, for any number of sequences. */
function placesOf(stops: readonly string[]): Place {
  if (stops.reduce((sum, stop) => sum + stop.length, 0) > longestStops)
    throw new GatewayError(
      'invalid-request',
      `stop: the sequences are longer than ${longestStops} characters together. Send fewer or shorter ones.`,
    )
  const root: Place = { next: new Map(), shorter: undefined, depth: 0, stop: 0 }
  for (const stop of stops) {
    let place = root
    for (let at = 0; at < stop.length; at++) place = addedPlace(place, stop.charCodeAt(at))
    place.stop = stop.length
  }
  const places = [...root.next.values()]
  for (const place of places) {
    for (const [code, next] of place.next) {
      next.shorter = nextPlace(place.shorter as Place, code)
      next.stop ||= next.shorter.stop
      places.push(next)
    }
  }
  return root
}

function addedPlace(place: Place, code: number): Place {
  const known = place.next.get(code)
  if (known) return known
  const root = place.depth === 0 ? place : undefined
  const added: Place = { next: new Map(), shorter: root, depth: place.depth + 1, stop: 0 }
  place.next.set(code, added)
  return added
}

function nextPlace(from: Place, code: number): Place {
  for (let place: Place | undefined = from; place; place = place.shorter) {
    const next = place.next.get(code)
    if (next) return next
    if (place.shorter === undefined) return place
  }
  return from
}
