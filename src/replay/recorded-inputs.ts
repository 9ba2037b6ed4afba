// What a turn had from the gateway and its clocks: ids, times, keep-alives, and the decisions between two attempts.

import type { RecordedAttempts } from '../core/attempts.ts'
import type { KeepAlive } from '../core/keep-alive.ts'
import type { Recall } from '../core/recall.ts'
import type { ReplayInputs } from '../server/serving.ts'
import type { Frame } from '../tapes/frame.ts'
import type { ReadTape } from '../tapes/read.ts'
import { recallFrom } from '../tapes/recalls.ts'
import { gatewayFrames } from '../tapes/summary.ts'
import type { Playback } from './playback.ts'

export class RecordedInputs implements ReplayInputs {
  readonly attempts: RecordedAttempts
  readonly #playback: Playback
  #turn = ''
  #createdAt = 0
  #completedAt = 0
  #sessions: string[] = []
  #recall: Recall = (_memory, find) => find()

  constructor(playback: Playback) {
    this.#playback = playback
    this.attempts = playback
  }

  take({ turn, frames }: ReadTape): void {
    this.#turn = turn
    this.#createdAt = gatewayFrames(frames, 'begin')[0]?.createdAt ?? 0
    this.#completedAt = completionTime(frames, this.#createdAt) ?? this.#createdAt
    this.#recall = recallFrom(frames)
    this.#sessions = gatewayFrames(frames, 'session')
      .filter(({ state }) => state !== 'live')
      .map(({ id }) => id)
  }

  get recall(): Recall {
    return this.#recall
  }

  readonly turnId = () => this.#turn
  readonly now = () => this.#createdAt * 1_000
  readonly completedAt = () => this.#completedAt * 1_000
  /** Each new run had its own id. */
  readonly sessionId = () => this.#sessions.shift() ?? unknownSession

  readonly keepAlive = (send: () => void): KeepAlive => {
    this.#playback.onKeepAlive(send)
    return { touch: () => undefined, stop: () => undefined }
  }
}

const unknownSession = '000000000000'

/** The time of its end that an answer gives, in seconds: as such, or as a duration in nanoseconds. */
function completionTime(frames: readonly Frame[], createdAt: number): number | undefined {
  const texts = frames.map((frame) => (frame.side === 'client' && frame.do === 'write' ? frame.text : ''))
  const [, at, lasted] = /"completed_at":(\d{10})|"total_duration":(\d{1,15})/.exec(texts.join('')) ?? []
  if (lasted !== undefined) return createdAt + Math.floor(Number(lasted) / 1e9)
  return at === undefined ? undefined : Number(at)
}
