// What is wrong in the items and events of a Responses service, for the notes. A client of the same dialect sees the service's own
// events: for it, only what does not pass as it is is noted.

import { type Fields, isObject } from '../../base/json.ts'
import type { RepairKind, Repairs } from '../../core/repairs.ts'

const ofStreams = new Set<RepairKind>(['missing-events', 'no-start'])

export class ResponseFaults {
  readonly #repairs: Repairs
  readonly #lane: 'message' | 'answer' | undefined
  /** The answer is not streamed. */
  isWhole = false

  constructor(repairs: Repairs, lane: 'message' | 'answer' | undefined) {
    this.#repairs = repairs
    this.#lane = lane
  }

  /** Noted for every client. */
  always(kind: RepairKind): void {
    this.#repairs.add(kind)
  }

  read(kind: RepairKind | undefined): void {
    if (kind === undefined || this.#lane || (this.isWhole && ofStreams.has(kind))) return
    this.#repairs.add(kind)
  }

  onEventName(name: string | undefined): void {
    if (!name && this.#lane === 'message') this.#repairs.add('no-event-names')
  }

  /** The whole text of a part. `rest`: what it has beyond the deltas; undefined if they were another text. */
  onRest(rest: string | undefined, whole: string): string {
    if (rest === undefined && whole !== '') this.read('other-text')
    if (rest) this.read('missing-events')
    return rest ?? ''
  }

  /** The arguments of a call that is complete. True if they do not pass as they are. */
  onInput({ arguments: given, input }: Fields, streamed: string, whole: string): boolean {
    if (streamed === '' && whole !== '') this.read('missing-events')
    else if (streamed !== whole) this.read('other-arguments')
    const isValue = isObject(given ?? input)
    if (isValue) this.always('object-arguments')
    return isValue
  }
}
