// A turn as it is watched: its frames so far, its events as a timeline, bounded in size.

import type { TurnEvent } from '../core/events.ts'
import type { Frame, FrameBody, TapeHead } from './frame.ts'
import type { TurnTape } from './watch.ts'

/** A stretch of an answer: what the model said, thought or called, or that nothing came. */
export interface Stretch {
  kind: 'text' | 'reasoning' | 'tool-call'
  /** Milliseconds since the tape began. */
  from: number
  /** Of its last piece so far. */
  to: number
  /** Of text and reasoning; of a call, its arguments. */
  characters: number
  /** The beginning of it, for a line in a list. */
  preview: string
  /** Of a call. */
  callId?: string
  name?: string
}

export interface TapeOptions {
  head: Omit<TapeHead, 'cut'>
  turn: string
  /** Beyond so many bytes of frames nothing more is kept but the last words. */
  maxBytes: number
  /** Somebody looks: called after each change. */
  onChange?(tape: Tape): void
}

/** What a frame takes beside its content. */
const frameBytes = 120
const previewLength = 200

export class Tape implements TurnTape {
  readonly turn: string
  readonly frames: Frame[] = []
  readonly stretches: Stretch[] = []
  readonly #head: TapeOptions['head']
  readonly #startedAt = performance.now()
  readonly #maxBytes: number
  readonly #onChange: TapeOptions['onChange']
  bytes = 0
  isCut = false
  #continues: string | undefined
  /** The turn has reported its end; the answer to the client may come later. */
  #isFinished = false
  #isAnswered = false

  constructor({ head, turn, maxBytes, onChange }: TapeOptions) {
    this.#head = head
    this.turn = turn
    this.#maxBytes = maxBytes
    this.#onChange = onChange
  }

  get head(): TapeHead {
    return {
      ...this.#head,
      ...(this.#continues === undefined ? {} : { continues: this.#continues }),
      ...(this.isCut ? { cut: true } : {}),
    }
  }

  get isOver(): boolean {
    return this.#isFinished && this.#isAnswered
  }

  continues(turn: string): void {
    this.#continues = turn
  }

  get elapsed(): number {
    return performance.now() - this.#startedAt
  }

  add(body: FrameBody): void {
    const size = frameBytes + contentLength(body)
    if (this.bytes + size > this.#maxBytes && body.side !== 'gateway') this.isCut = true
    else {
      this.bytes += size
      // Not copied, for there is one for each piece of an answer: whoever tells it does not keep it.
      const frame = body as Frame
      frame.at = Math.round(this.elapsed * 10) / 10
      frame.turn = this.turn
      this.frames.push(frame)
    }
    if (body.side === 'gateway' && body.do === 'finish') this.#isFinished = true
    if (body.side === 'client' && (body.do === 'end' || body.do === 'gone')) this.#isAnswered = true
    this.#onChange?.(this)
  }

  /** The same answer, as what it means. */
  see(events: readonly TurnEvent[]): void {
    const at = Math.round(this.elapsed * 10) / 10
    for (const event of events) {
      const last = this.stretches.at(-1)
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
    this.#onChange?.(this)
  }

  seePiece(piece: string): void {
    const last = this.stretches.at(-1)
    if (last !== undefined) extend(last, piece, Math.round(this.elapsed * 10) / 10)
    this.#onChange?.(this)
  }

  #begin(kind: Stretch['kind'], at: number): Stretch {
    const stretch: Stretch = { kind, from: at, to: at, characters: 0, preview: '' }
    this.stretches.push(stretch)
    return stretch
  }
}

function extend(stretch: Stretch, delta: string, at: number): void {
  stretch.to = at
  stretch.characters += delta.length
  if (stretch.preview.length < previewLength)
    stretch.preview += delta.slice(0, previewLength - stretch.preview.length)
}

function contentLength(body: FrameBody): number {
  if ('text' in body) return body.text.length
  if ('base64' in body) return body.base64.length
  return 'body' in body ? body.body.length : 0
}
