// What all who play a tape know of each other.

import { setTimeout as sleep } from 'node:timers/promises'
import { ReplayTapeSource } from './replay-tape.ts'

interface PlaybackOptions {
  /** 1: with the pauses of the tape; 2: half of them; 0: none. */
  speed: number
  /** How long the gateway may take for something that it had done by then on the tape. */
  patienceMs: number
}

export class Playback {
  readonly source = new ReplayTapeSource()
  readonly patienceMs: number
  readonly remarks: string[] = []
  readonly #speed: number
  /** Which tape is played. */
  tape = 0
  /** Its client is being answered. */
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

/** How long something may take from one end of this process to the other. */
export const arrivalMs = 250
