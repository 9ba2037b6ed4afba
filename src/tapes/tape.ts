// The tape of a running turn: its frames and its timeline, bounded in size.

import type { TurnEvent } from '../core/events.ts'
import type { Framing } from '../core/fast-path.ts'
import { ByteLog, type LogReader, longestPiece } from './byte-log.ts'
import { contentOf } from './content.ts'
import type { Frame, FrameBody, TapeHead } from './frame.ts'
import { previewLength, SegmentList } from './segment-list.ts'
import type { TurnTape } from './tape-source.ts'
import type { TimelineSegment } from './timeline-segment.ts'

interface TapeOptions {
  /** `recordedAt` may be the time in milliseconds since 1970: most heads are never read. */
  head: Omit<TapeHead, 'cut' | 'recordedAt'> & { recordedAt: string | number }
  turn: string
  /** The limit of all frames; beyond it, only gateway frames are kept. */
  maxBytes: number
  /** Called after each change; on the fast path of text deltas, at intervals. */
  onChange?(tape: Tape): void
}

/** The size of a frame without its content. */
const frameBytes = 120
/** Entries of the log, four numbers each, after which short writes go to the log: until then a turn may be a small one. */
const mostWhole = 4 * 16
/** The interval of `onChange` on the fast path: tenths of a millisecond, and bytes. */
const notifyEvery = 500
const notifyEveryBytes = 8 * 1024

/**
 * Kinds of entries in the log of a tape. An entry is four numbers: kind, time, exchange or index of the frame, length. For a run of
 * text deltas: kind, time, count, index of the run.
 */
const upstreamData = 0
const clientWrite = 1
/** A frame that is kept as it is. */
const wholeFrame = 2
const textDeltas = 3
/** A short frame as JSON: a run may have thousands. */
const shortFrame = 4
/** Upstream data that is read together with the data before. */
const joinedData = 5

/**
 * A run of text deltas with the same framing. The values that change with each delta are here, close together in memory, and are
 * copied to log and segment on demand: between two deltas of a stream, the processor's caches have lost the rest.
 */
interface Run {
  readonly received: Framing
  readonly sent: Framing
  readonly exchange: number
  /** The index of the count in the log. */
  readonly place: number
  /** The size of each delta on the tape, without its text. */
  readonly bytesOfEach: number
  /** The segment that the deltas extend. */
  readonly segment: TimelineSegment | undefined
  /** Characters that still fit in the preview. */
  preview: number
  count: number
  /** The time of the last delta, in tenths of a millisecond. */
  time: number
  /** Characters that the segment does not include yet. */
  characters: number
}

/**
 * Most reports are small pieces. They are copied into a log, and frames are built on demand: a delta must cost no more than its copy. The
 * few frames that every turn has are kept as they are: to write them as text would cost a small request more than all else.
 */
export class Tape implements TurnTape {
  readonly turn: string
  readonly #log: number[] = []
  /** Only long turns have one. */
  #byteLog: ByteLog | undefined
  #reader: LogReader | undefined
  /** Frames that are not in the log. */
  readonly #whole: FrameBody[] = []
  readonly #frames: Frame[] = []
  #read = 0
  /** The time of the current upstream read, else -1. Always a number: V8 would otherwise allocate an object for each value. */
  #moment = -1
  /** The exchange of the last upstream data. */
  #exchange = 0
  readonly #segments = new SegmentList((isFirst) => this.#hasRoomForSegment(isFirst))
  /** The run that the last entry of the log counts. */
  #run: Run | undefined
  readonly #runs: Run[] = []
  /** How many deltas of the last run have frames already. */
  #framed = 0
  /** Tenths of a millisecond. */
  #notifiedAt = 0
  #notifiedBytes = 0
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
    const { recordedAt } = this.#head
    return {
      ...this.#head,
      recordedAt: typeof recordedAt === 'number' ? new Date(recordedAt).toISOString() : recordedAt,
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
    return this.#segments.all
  }

  get frames(): readonly Frame[] {
    this.#settle()
    const log = this.#log
    for (; this.#read < log.length; this.#read += 4) {
      this.#frame(this.#read)
      // The current run may grow.
      if (log[this.#read] === textDeltas && this.#read + 4 === log.length) break
      this.#framed = 0
    }
    return this.#frames
  }

  #frame(place: number): void {
    const [kind, at, which, length] = this.#log.slice(place, place + 4) as [number, number, number, number]
    const about = { at: rounded(at), turn: this.turn }
    if (kind === wholeFrame) this.#frames.push({ ...about, ...(this.#whole[which] as FrameBody) })
    else if (kind === shortFrame)
      this.#frames.push({ ...about, ...JSON.parse(this.#pieceReader.piece(length).toString('utf8')) })
    else if (kind === textDeltas) this.#framePassed(which, this.#runs[length] as Run)
    else {
      const bytes = this.#pieceReader.piece(length)
      if (kind === clientWrite)
        this.#frames.push({ ...about, side: 'client', do: 'write', text: bytes.toString('utf8') })
      else {
        const joined = kind === joinedData ? ({ joined: true } as const) : {}
        const content = contentOf(bytes)
        this.#frames.push({ ...about, side: 'upstream', do: 'data', exchange: which, ...joined, ...content })
      }
    }
  }

  get #pieces(): ByteLog {
    this.#byteLog ??= new ByteLog()
    return this.#byteLog
  }

  get #pieceReader(): LogReader {
    this.#reader ??= this.#pieces.reader()
    return this.#reader
  }

  /** Some deltas of the current run may have frames already. */
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
      const note = body.side === 'run' ? noteOf(body) : undefined
      if (note !== undefined) this.#log.push(shortFrame, this.#now, 0, this.#pieces.add(note))
      else {
        this.#log.push(wholeFrame, this.#now, this.#whole.length, 0)
        this.#whole.push(body)
      }
    }
    if (body.side === 'gateway' && body.do === 'finish') this.#isFinished = true
    if (body.side === 'client' && (body.do === 'end' || body.do === 'gone')) this.#isAnswered = true
    this.#onChange?.(this)
  }

  onUpstreamData(exchange: number, bytes: Uint8Array, isJoined = false): void {
    this.#endRun()
    const at = this.elapsed
    this.#moment = at
    this.#exchange = exchange
    if (bytes.length > longestPiece || this.#log.length < mostWhole) {
      const joined = isJoined ? ({ joined: true } as const) : {}
      this.add({ side: 'upstream', do: 'data', exchange, ...joined, ...contentOf(bytes) })
    } else if (this.#hasRoom(bytes.length)) {
      this.#log.push(isJoined ? joinedData : upstreamData, at, exchange, this.#pieces.add(bytes))
      this.#onChange?.(this)
    }
  }

  onReadDone(): void {
    this.#moment = -1
  }

  onClientWrite(text: string): void {
    if (text.length > longestPiece || this.#log.length < mostWhole)
      this.add({ side: 'client', do: 'write', text })
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

  /** A segment counts as a frame with a full preview. The first one is always kept. */
  #hasRoomForSegment(isFirst: boolean): boolean {
    const size = frameBytes + previewLength
    if (this.bytes + size > this.#maxBytes && !isFirst) {
      this.isCut = true
      return false
    }
    this.bytes += size
    return true
  }

  see(events: readonly TurnEvent[]): void {
    this.#endRun()
    this.#segments.see(events, rounded(this.#now))
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
    if (time - this.#notifiedAt > notifyEvery || this.bytes - this.#notifiedBytes > notifyEveryBytes)
      this.#notify(time)
  }

  #beginRun(received: Framing, sent: Framing, at: number): Run {
    this.#settle()
    const segment = this.#segments.last
    const run: Run = {
      received,
      sent,
      exchange: this.#exchange,
      place: this.#log.length + 2,
      bytesOfEach: frameBytes + received.before.length,
      segment,
      preview: segment ? previewLength - segment.preview.length : 0,
      count: 0,
      time: 0,
      characters: 0,
    }
    this.#run = run
    this.#log.push(textDeltas, at, 0, this.#runs.length)
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
    // Copied: a slice would keep its whole source string in memory.
    if (run.preview <= 0) segment.preview = Buffer.from(segment.preview).toString()
  }

  #notify(time: number): void {
    this.#notifiedAt = time
    this.#notifiedBytes = this.bytes
    this.#onChange?.(this)
  }
}

const rounded = (at: number) => Math.round(at * 10) / 10

/** Undefined if it is long. */
function noteOf(body: FrameBody): string | undefined {
  if (contentLength(body) > longestPiece) return undefined
  const note = JSON.stringify(body)
  return note.length > longestPiece ? undefined : note
}

/** About what the headers of a frame take. */
const headerBytes = 400

/** Without looks for fields that a frame may lack: they are slow. */
function contentLength(body: FrameBody): number {
  switch (body.do) {
    case 'request':
      return body.body.length + headerBytes
    case 'response':
    case 'open':
      return headerBytes
    case 'write':
    case 'output':
    case 'note':
      return body.text.length
    case 'data':
      return 'text' in body ? body.text.length : body.base64.length
    case 'sent':
    case 'received':
      return body.base64.length
    case 'recall':
      return JSON.stringify(body.value).length
    case 'end':
      return body.side === 'tool' ? JSON.stringify(body.outcome).length : 0
    default:
      return 0
  }
}
