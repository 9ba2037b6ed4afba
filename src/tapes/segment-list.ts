// The timeline of a turn while it runs: its events as segments.

import type { TurnEvent } from '../core/events.ts'
import type { TimelineSegment } from './timeline-segment.ts'

/** The length of a preview. A secret may be cut there, so previews are scrubbed as beginnings of texts. */
export const previewLength = 200

export class SegmentList {
  readonly all: TimelineSegment[] = []
  readonly #hasRoom: (isFirst: boolean) => boolean

  /** `hasRoom` is asked for each new segment; a segment without room is not kept. */
  constructor(hasRoom: (isFirst: boolean) => boolean) {
    this.#hasRoom = hasRoom
  }

  get last(): TimelineSegment | undefined {
    return this.all.at(-1)
  }

  /** `at`: milliseconds since the tape began. */
  see(events: readonly TurnEvent[], at: number): void {
    for (const event of events) {
      const { last } = this
      if (event.type === 'text-start') this.#begin('text', at)
      else if (event.type === 'reasoning-start') this.#begin('reasoning', at)
      else if (event.type === 'tool-call-start')
        Object.assign(this.#begin('tool-call', at), { callId: event.callId, name: event.name })
      else if (last === undefined) continue
      else if ('delta' in event) extend(last, event.delta, at)
      else if (event.type === 'tool-call-end') {
        last.to = at
        last.characters = event.input.length
        last.preview = event.input.slice(0, previewLength)
      }
    }
  }

  #begin(kind: TimelineSegment['kind'], at: number): TimelineSegment {
    const segment: TimelineSegment = { kind, from: at, to: at, characters: 0, preview: '' }
    if (this.#hasRoom(this.all.length === 0)) this.all.push(segment)
    return segment
  }
}

function extend(segment: TimelineSegment, delta: string, at: number): void {
  segment.to = at
  segment.characters += delta.length
  if (segment.preview.length < previewLength)
    segment.preview += delta.slice(0, previewLength - segment.preview.length)
}
