// A tape file as a kept tape: its frames are read when they are asked for.

import { basename } from 'node:path'
import { version } from '../base/version.ts'
import { visibleLine } from '../base/visible-text.ts'
import { clientSide } from '../tapes/client-side.ts'
import type { Frame, TapeHead } from '../tapes/frame.ts'
import { type ReadTape, TapeError } from '../tapes/read.ts'
import { timelineOf } from '../tapes/timeline.ts'
import type { TimelineSegment } from '../tapes/timeline-segment.ts'
import type { KeptTape } from './turn-shelf.ts'

interface OnDisk {
  read: ReadTape
  /** Its share of the file. */
  bytes: number
  load(): ReadTape | undefined
  file: string
}

export class TapeOnDisk implements KeptTape {
  readonly turn: string
  readonly head: TapeHead
  readonly bytes: number
  readonly elapsed: number
  readonly isOver = true
  readonly #load: OnDisk['load']
  readonly #file: string

  constructor(turn: string, { read, bytes, load, file }: OnDisk) {
    this.turn = turn
    this.head = read.head
    this.bytes = bytes
    this.elapsed = Math.max(0, ...read.frames.slice(-50).map(({ at }) => at))
    this.#load = load
    this.#file = file
  }

  get isCut(): boolean {
    return this.head.cut === true
  }

  get frames(): readonly Frame[] {
    try {
      const frames = this.#load()?.frames
      if (frames) return frames
    } catch (error) {
      if (error instanceof TapeError) return problemFrames(this.turn, this.#file, error.problem)
      throw error
    }
    return problemFrames(this.turn, this.#file, 'has changed since it was opened')
  }

  get segments(): readonly TimelineSegment[] {
    return timelineOf(clientSide(this.frames))
  }
}

/** A file that is no readable tape, as a turn that failed: the list says why. */
export function unreadableTape(turn: string, { file, problem }: { file: string; problem: string }): KeptTape {
  const frames = problemFrames(turn, file, problem)
  const head: TapeHead = { tape: 1, dragoman: version, recordedAt: new Date(0).toISOString(), origin: 'made' }
  return { turn, head, frames, segments: [], isOver: true, isCut: false, bytes: 0, elapsed: 0 }
}

/** Its code is none of the gateway's: no request failed. */
export const unreadable = 'unreadable-tape'

function problemFrames(turn: string, file: string, problem: string): Frame[] {
  const name = visibleLine(basename(file))
  const about = { at: 0, turn, side: 'gateway' } as const
  return [
    { ...about, do: 'begin', door: 'tape', model: name, stream: false, key: '', createdAt: 0 },
    {
      ...about,
      ...{ do: 'finish', outcome: 'unreadable', calls: 0, inputTokens: 0, outputTokens: 0 },
      error: { code: unreadable, message: `${name} ${visibleLine(problem)}.` },
    },
  ]
}
