// A turn as it is watched: its frames so far, its events as a timeline, bounded in size.

import type { TurnEvent } from '../core/events.ts'
import type { PieceForm } from '../core/tap.ts'
import { ByteLog, longestPiece } from './byte-log.ts'
import { contentOf } from './content.ts'
import type { Frame, FrameBody, TapeHead } from './frame.ts'
import type { Stretch } from './stretch.ts'
import type { TurnTape } from './watch.ts'

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
/** What is shown of a preview. More is kept: a secret that was cut would not be found in it. */
export const previewLength = 200
const keptPreview = 2_000

/**
 * What is in the log of a tape, four numbers each: of which kind, when, of which exchange or which frame, how long. Of a piece that was
 * passed on: where it stands in what came just before, and how long it is.
 */
const came = 0
const wrote = 1
const framed = 2
const passed = 3

/**
 * Most of what a tape is told are small pieces. They are put into a log, and made frames of when somebody looks: a piece of an answer
 * must not cost more than its copy.
 */
export class Tape implements TurnTape {
  readonly turn: string
  readonly stretches: Stretch[] = []
  readonly #log: number[] = []
  readonly #pieces = new ByteLog()
  readonly #readPiece = this.#pieces.reader()
  readonly #others: Frame[] = []
  readonly #frames: Frame[] = []
  #read = 0
  /** While what came is being answered: when that was; else -1. A number at all times, or each would be an object. */
  #moment = -1
  #form: PieceForm | undefined
  /** Of the piece that is written next, in that form. */
  #pieceStart = 0
  #pieceLength = 0
  /** What came last is in the log. */
  #isLogged = false
  /** The same, while it is read. */
  #came: Buffer = Buffer.alloc(0)
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

  get #now(): number {
    return this.#moment < 0 ? this.elapsed : this.#moment
  }

  leaveOut(): void {
    this.isCut = true
  }

  get elapsed(): number {
    return performance.now() - this.#startedAt
  }

  get frames(): readonly Frame[] {
    for (; this.#read < this.#log.length; this.#read += 4) this.#frames.push(this.#frameAt(this.#read))
    return this.#frames
  }

  #frameAt(place: number): Frame {
    const [kind, at, which, length] = this.#log.slice(place, place + 4) as [number, number, number, number]
    if (kind === framed) return this.#others[which] as Frame
    const about = { at: rounded(at), turn: this.turn }
    if (kind === passed) {
      const piece = this.#came.toString('latin1', which, which + length)
      return {
        ...about,
        side: 'client',
        do: 'write',
        text: `${this.#form?.before}${piece}${this.#form?.after}`,
      }
    }
    const bytes = this.#readPiece(length)
    if (kind === wrote) return { ...about, side: 'client', do: 'write', text: bytes.toString('utf8') }
    this.#came = bytes
    return { ...about, side: 'upstream', do: 'data', exchange: which, ...contentOf(bytes) }
  }

  add(body: FrameBody): void {
    if (this.#hasRoom(contentLength(body), body.side === 'gateway')) {
      const at = this.#now
      this.#log.push(framed, at, this.#others.length, 0)
      this.#others.push({ at: rounded(at), turn: this.turn, ...body })
    }
    if (body.side === 'gateway' && body.do === 'finish') this.#isFinished = true
    if (body.side === 'client' && (body.do === 'end' || body.do === 'gone')) this.#isAnswered = true
    this.#onChange?.(this)
  }

  came(exchange: number, bytes: Uint8Array): void {
    const at = this.elapsed
    this.#moment = at
    this.#isLogged = false
    if (bytes.length > longestPiece) this.add({ side: 'upstream', do: 'data', exchange, ...contentOf(bytes) })
    else if (this.#hasRoom(bytes.length)) {
      this.#log.push(came, at, exchange, this.#pieces.add(bytes))
      this.#isLogged = true
      this.#onChange?.(this)
    }
  }

  answered(): void {
    this.#moment = -1
    this.#pieceLength = 0
  }

  wrote(text: string): void {
    if (this.#pieceLength > 0) {
      this.#log.push(passed, this.#moment, this.#pieceStart, this.#pieceLength)
      this.#pieceLength = 0
      this.#onChange?.(this)
    } else if (text.length > longestPiece) this.add({ side: 'client', do: 'write', text })
    else if (this.#hasRoom(text.length)) {
      this.#log.push(wrote, this.#now, 0, this.#pieces.add(text))
      this.#onChange?.(this)
    }
  }

  #hasRoom(length: number, always = false): boolean {
    const size = frameBytes + length
    if (this.bytes + size > this.#maxBytes && !always) {
      this.isCut = true
      return false
    }
    this.bytes += size
    return true
  }

  /** The same answer, as what it means. */
  see(events: readonly TurnEvent[]): void {
    const at = rounded(this.#now)
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
        last.preview = event.input.slice(0, keptPreview)
      }
    }
    this.#onChange?.(this)
  }

  /** It came just now. */
  seePiece(piece: string, start: number, form: PieceForm | undefined): void {
    const last = this.stretches.at(-1)
    if (last !== undefined) extend(last, piece, this.#now)
    this.#form ??= form
    // Bytes without a place in the log cannot be referred to.
    if (form === undefined || this.#form !== form || !this.#isLogged || !this.#hasRoom(0)) return
    this.#pieceStart = start
    this.#pieceLength = piece.length
  }

  #begin(kind: Stretch['kind'], at: number): Stretch {
    const stretch: Stretch = { kind, from: at, to: at, characters: 0, preview: '' }
    // They are kept beside the frames, and count as one with all that its preview may hold.
    const size = frameBytes + keptPreview
    if (this.bytes + size > this.#maxBytes && this.stretches.length > 0) this.isCut = true
    else {
      this.bytes += size
      this.stretches.push(stretch)
    }
    return stretch
  }
}

const rounded = (at: number) => Math.round(at * 10) / 10

function extend(stretch: Stretch, delta: string, at: number): void {
  stretch.to = at
  stretch.characters += delta.length
  if (stretch.preview.length < keptPreview)
    stretch.preview += delta.slice(0, keptPreview - stretch.preview.length)
}

function contentLength(body: FrameBody): number {
  if ('text' in body) return body.text.length
  if ('base64' in body) return body.base64.length
  return 'body' in body ? body.body.length : 0
}
