// A turn as it is watched: its frames so far, its events as a timeline, bounded in size.

import type { TurnEvent } from '../core/events.ts'
import type { Framing } from '../core/fast-path.ts'
import { ByteLog, type LogReader, longestPiece } from './byte-log.ts'
import { contentOf } from './content.ts'
import type { Frame, FrameBody, TapeHead } from './frame.ts'
import type { TurnTape } from './tape-source.ts'
import type { TimelineSegment } from './timeline-segment.ts'

export interface TapeOptions {
  head: Omit<TapeHead, 'cut'>
  turn: string
  /** Beyond so many bytes of frames nothing more is kept but the last words. */
  maxBytes: number
  /** Called after each change; while pieces come, now and then. */
  onChange?(tape: Tape): void
}

/** What a frame takes beside its content. */
const frameBytes = 120
/** A secret may be cut there: it is shown as the beginning of a text. */
const keptPreview = 200
/** Of pieces it is told no more often, in tenths of a millisecond, and after so many bytes. */
const tellEvery = 500
const tellEveryBytes = 8 * 1024

/**
 * What is in the log of a tape, four numbers each: of which kind, when, of which exchange or which frame, how long. Of pieces that were
 * passed on one behind the other: how many, and in which forms.
 */
const upstreamData = 0
const clientWrite = 1
const framed = 2
const passed = 3
/** A short frame, as JSON. */
const noted = 4

/**
 * Pieces that were passed on one behind the other, in the same forms. All that changes with each of them is here, and is put where it
 * belongs when somebody looks: between two pieces of a stream the processor has forgotten where that is.
 */
interface Run {
  readonly received: Framing
  readonly sent: Framing
  readonly exchange: number
  /** Where the log counts them. */
  readonly place: number
  /** What the tape takes of each, beside the piece itself. */
  readonly bytesOfEach: number
  /** They are more of it. */
  readonly segment: TimelineSegment | undefined
  /** Characters that its preview still takes. */
  preview: number
  count: number
  /** Tenths of a millisecond: of the last. */
  time: number
  /** Characters that are not counted in the segment yet. */
  characters: number
}

/**
 * Most of what a tape is told are small pieces. They are put into a log, and made frames of when somebody looks: a piece of an answer
 * must not cost more than its copy.
 */
export class Tape implements TurnTape {
  readonly turn: string
  readonly #log: number[] = []
  readonly #pieces = new ByteLog()
  #reader: LogReader | undefined
  /** Frames that are too large for the log. */
  readonly #large: FrameBody[] = []
  readonly #frames: Frame[] = []
  #read = 0
  /** While what came is being answered: when that was; else -1. A number at all times, or each would be an object. */
  #moment = -1
  /** Of whom something came last. */
  #exchange = 0
  readonly #segments: TimelineSegment[] = []
  /** Those that the last entry of the log counts. */
  #run: Run | undefined
  readonly #runs: Run[] = []
  /** How many of the last one that was looked at have been made frames of. */
  #framed = 0
  /** Tenths of a millisecond. */
  #toldTime = 0
  #toldBytes = 0
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

  markIncomplete(): void {
    this.isCut = true
  }

  get elapsed(): number {
    return performance.now() - this.#startedAt
  }

  get segments(): readonly TimelineSegment[] {
    this.#settle()
    return this.#segments
  }

  get frames(): readonly Frame[] {
    this.#settle()
    const log = this.#log
    for (; this.#read < log.length; this.#read += 4) {
      this.#frame(this.#read)
      // Of pieces that are being counted, more may come.
      if (log[this.#read] === passed && this.#read + 4 === log.length) break
      this.#framed = 0
    }
    return this.#frames
  }

  #frame(place: number): void {
    const [kind, at, which, length] = this.#log.slice(place, place + 4) as [number, number, number, number]
    const about = { at: rounded(at), turn: this.turn }
    if (kind === framed) this.#frames.push({ ...about, ...(this.#large[which] as FrameBody) })
    else if (kind === noted)
      this.#frames.push({ ...about, ...JSON.parse(this.#pieceReader.piece(length).toString('utf8')) })
    else if (kind === passed) this.#framePassed(which, this.#runs[length] as Run)
    else {
      const bytes = this.#pieceReader.piece(length)
      if (kind === clientWrite)
        this.#frames.push({ ...about, side: 'client', do: 'write', text: bytes.toString('utf8') })
      else this.#frames.push({ ...about, side: 'upstream', do: 'data', exchange: which, ...contentOf(bytes) })
    }
  }

  get #pieceReader(): LogReader {
    this.#reader ??= this.#pieces.reader()
    return this.#reader
  }

  /** Of those that are being counted, some may have been made frames of already. */
  #framePassed(count: number, { received, sent, exchange }: Run): void {
    for (; this.#framed < count; this.#framed++) {
      const { time, text } = this.#pieceReader.timed()
      const about = { at: time / 10, turn: this.turn }
      this.#frames.push({
        ...{ ...about, side: 'upstream', do: 'data', exchange },
        text: `${received.before}${text}${received.after}`,
      })
      this.#frames.push({ ...about, side: 'client', do: 'write', text: `${sent.before}${text}${sent.after}` })
    }
  }

  add(body: FrameBody): void {
    this.#endRun()
    if (this.#hasRoom(contentLength(body), body.side === 'gateway')) {
      const note = contentLength(body) > longestPiece ? undefined : JSON.stringify(body)
      if (note === undefined || note.length > longestPiece) {
        this.#log.push(framed, this.#now, this.#large.length, 0)
        this.#large.push(body)
      } else this.#log.push(noted, this.#now, 0, this.#pieces.add(note))
    }
    if (body.side === 'gateway' && body.do === 'finish') this.#isFinished = true
    if (body.side === 'client' && (body.do === 'end' || body.do === 'gone')) this.#isAnswered = true
    this.#onChange?.(this)
  }

  onUpstreamData(exchange: number, bytes: Uint8Array): void {
    this.#endRun()
    const at = this.elapsed
    this.#moment = at
    this.#exchange = exchange
    if (bytes.length > longestPiece) this.add({ side: 'upstream', do: 'data', exchange, ...contentOf(bytes) })
    else if (this.#hasRoom(bytes.length)) {
      this.#log.push(upstreamData, at, exchange, this.#pieces.add(bytes))
      this.#onChange?.(this)
    }
  }

  onReadDone(): void {
    this.#moment = -1
  }

  onClientWrite(text: string): void {
    if (text.length > longestPiece) this.add({ side: 'client', do: 'write', text })
    else if (this.#hasRoom(text.length)) {
      this.#endRun()
      this.#log.push(clientWrite, this.#now, 0, this.#pieces.add(text))
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
    this.#endRun()
    const at = rounded(this.#now)
    for (const event of events) {
      const last = this.#segments.at(-1)
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

  onTextDelta(text: string, received: Framing, sent: Framing | string, at: number): void {
    if (typeof sent === 'string') {
      this.onUpstreamData(this.#exchange, Buffer.from(`${received.before}${text}${received.after}`, 'latin1'))
      this.see([{ type: 'text-delta', block: 0, delta: text }])
      this.onClientWrite(sent)
      return this.onReadDone()
    }
    const time = Math.round((at - this.#startedAt) * 10)
    let run = this.#run
    if (run?.received !== received || run.sent !== sent)
      run = this.#beginRun(received, sent, at - this.#startedAt)
    run.time = time
    run.characters += text.length
    if (run.preview > 0) this.#preview(run, text)
    if (!this.#hasRoom(run.bytesOfEach + 2 * text.length)) return
    run.count++
    this.#pieces.addTimed(time, text)
    if (time - this.#toldTime > tellEvery || this.bytes - this.#toldBytes > tellEveryBytes) this.#tell(time)
  }

  #beginRun(received: Framing, sent: Framing, at: number): Run {
    this.#settle()
    const segment = this.#segments.at(-1)
    const run: Run = {
      received,
      sent,
      exchange: this.#exchange,
      place: this.#log.length + 2,
      bytesOfEach: frameBytes + received.before.length,
      segment,
      preview: segment ? keptPreview - segment.preview.length : 0,
      count: 0,
      time: 0,
      characters: 0,
    }
    this.#run = run
    this.#log.push(passed, at, 0, this.#runs.length)
    this.#runs.push(run)
    return run
  }

  #endRun(): void {
    this.#settle()
    this.#run = undefined
  }

  #settle(): void {
    const run = this.#run
    if (run === undefined) return
    this.#log[run.place] = run.count
    const { segment } = run
    if (segment === undefined) return
    segment.to = run.time / 10
    segment.characters += run.characters
    run.characters = 0
  }

  #preview(run: Run, piece: string): void {
    const { segment } = run
    if (segment === undefined) return
    segment.preview += piece.slice(0, run.preview)
    run.preview -= piece.length
    // Copied, or all that the pieces were cut out of would be kept for them.
    if (run.preview <= 0) segment.preview = Buffer.from(segment.preview).toString()
  }

  #tell(time: number): void {
    this.#toldTime = time
    this.#toldBytes = this.bytes
    this.#onChange?.(this)
  }

  #begin(kind: TimelineSegment['kind'], at: number): TimelineSegment {
    const segment: TimelineSegment = { kind, from: at, to: at, characters: 0, preview: '' }
    // They are kept beside the frames, and count as one with all that its preview may hold.
    const size = frameBytes + keptPreview
    if (this.bytes + size > this.#maxBytes && this.#segments.length > 0) this.isCut = true
    else {
      this.bytes += size
      this.#segments.push(segment)
    }
    return segment
  }
}

const rounded = (at: number) => Math.round(at * 10) / 10

function extend(segment: TimelineSegment, delta: string, at: number): void {
  segment.to = at
  segment.characters += delta.length
  if (segment.preview.length < keptPreview)
    segment.preview += delta.slice(0, keptPreview - segment.preview.length)
}

function contentLength(body: FrameBody): number {
  if ('text' in body) return body.text.length
  if ('base64' in body) return body.base64.length
  return 'body' in body ? body.body.length : 0
}
