// The state of a replay that the client side and the upstream servers share.

import { setTimeout as sleep } from 'node:timers/promises'
import { ReplayTapeSource } from './replay-tape.ts'

interface PlaybackOptions {
  /** 1: the pauses of the tape; 2: half of them; 0: none. */
  speed: number
  /** How long the gateway may take for a step that it had finished by this point of the tape. */
  patienceMs: number
}

export class Playback {
  readonly source = new ReplayTapeSource()
  readonly patienceMs: number
  readonly remarks: string[] = []
  readonly #speed: number
  /** The index of the tape that is being played. */
  tape = 0
  /** The client of this tape is being answered. */
  isAnswering = false

  constructor({ speed, patienceMs }: PlaybackOptions) {
    this.#speed = speed
    this.patienceMs = patienceMs
  }

  remark(text: string): void {
    if (!this.remarks.includes(text)) this.remarks.push(text)
  }

  async pause(milliseconds: number): Promise<void> {
    if (this.#speed > 0 && milliseconds > 0) await sleep(milliseconds / this.#speed)
  }
}

/** The longest time that bytes may take between two ends of this process. */
export const arrivalMs = 250
