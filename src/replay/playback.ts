// The state of a replay: which turn is played, how far, and what follows on its tape.

import { setTimeout as sleep } from 'node:timers/promises'
import { errorFrom } from '../core/error-facts.ts'
import type { GatewayError } from '../core/errors.ts'
import type { ReadTape } from '../tapes/read.ts'
import { type Cue, cuesOf } from './cues.ts'
import { ReplayTapeSource } from './replay-tape.ts'
import { type Place, type ScriptedAttempt, type ScriptedTurn, scriptOf } from './script.ts'
import { TapeClock } from './tape-clock.ts'

interface PlaybackOptions {
  /** 1: the pauses of the tape; 2: half of them; 0: none. */
  speed: number
  /** How long the gateway may take for a step that it had finished by this point of the tape. */
  patienceMs: number
}

export class Playback {
  readonly source = new ReplayTapeSource()
  readonly clock = new TapeClock()
  readonly patienceMs: number
  readonly remarks: string[] = []
  readonly #speed: number
  readonly #turns: readonly ScriptedTurn[]
  readonly #cues: readonly Cue[][]
  readonly #tapes: readonly ReadTape[]
  #failuresSeen = 0
  #keepAlive: (() => void) | undefined
  /** Makes the client of the current turn leave. */
  leave: () => void = () => undefined
  /** The index of the tape that is being played. */
  tape = 0
  /** The client of this tape is being answered. */
  isAnswering = false

  constructor(tapes: readonly ReadTape[], { speed, patienceMs }: PlaybackOptions) {
    this.#speed = speed
    this.patienceMs = patienceMs
    this.#tapes = tapes
    this.#turns = scriptOf(tapes)
    this.#cues = tapes.map(({ frames }) => cuesOf(frames))
  }

  begin(tape: number): void {
    this.tape = tape
    this.isAnswering = true
    this.#failuresSeen = 0
    this.#keepAlive = undefined
    this.clock.beginTape({ firesByTime: this.#tapes[tape]?.head.replay === undefined })
    this.source.notify()
  }

  end(): void {
    this.isAnswering = false
    this.#keepAlive = undefined
  }

  remark(text: string): void {
    if (!this.remarks.includes(text)) this.remarks.push(text)
  }

  async pause(milliseconds: number): Promise<void> {
    if (this.#speed > 0 && milliseconds > 0) await sleep(milliseconds / this.#speed)
  }

  get turn(): ScriptedTurn | undefined {
    return this.#turns[this.tape]
  }

  /** What the gateway is trying now; undefined if it is not on the tape. */
  get attempt(): ScriptedAttempt | undefined {
    const turnId = this.#tapes[this.tape]?.turn
    const count = this.source.tapes.find(({ turn }) => turn === turnId)?.targets ?? 0
    return this.turn?.attempts[count - 1]
  }

  onKeepAlive(send: () => void): void {
    this.#keepAlive = send
    const { frames = [] } = this.#tapes[this.tape] ?? {}
    // To find the model may take long.
    const target = frames.findIndex((frame) => frame.side === 'gateway' && frame.do === 'target')
    if (target > 0) this.#giveCues(target)
  }

  /** What happened on the tape before this place, and no service caused: keep-alives, a client that left, and time that passed. */
  reach({ tape, frame }: Place): void {
    if (tape !== this.tape) return
    this.#giveCues(frame)
    this.clock.advance(this.#tapes[tape]?.frames[frame]?.at ?? 0)
  }

  #giveCues(before: number): void {
    const cues = this.#cues[this.tape] ?? []
    while (cues[0] !== undefined && cues[0].frame < before) {
      const cue = cues.shift()
      if (cue?.what === 'keep-alive') this.#keepAlive?.()
      else this.leave()
    }
  }

  /** No service sends anything more in this turn. */
  reachEnd(): void {
    const { frames = [] } = this.#tapes[this.tape] ?? {}
    if (frames.length > 0) this.reach({ tape: this.tape, frame: frames.length - 1 })
    this.clock.advance(frames.at(-1)?.at ?? 0)
  }

  /** The refusal of a target that was skipped at this point of the tape. */
  skipped({ backend, model }: { backend: string; model: string }): GatewayError | undefined {
    const failure = this.turn?.failures[this.#failuresSeen]
    if (!failure?.skipped || failure.backend !== backend || failure.model !== model) return undefined
    this.#failuresSeen++
    return errorFrom(failure.message, { ...failure.error })
  }

  conflict(): GatewayError | undefined {
    const failure = this.attempt?.failure
    return failure?.code === 'conflict' ? errorFrom(failure.message, { ...failure.error }) : undefined
  }

  /** Whether the attempt that failed was followed by another at the same target. */
  isRetried(): boolean {
    const failure = this.turn?.failures[this.#failuresSeen]
    if (failure && !failure.skipped) {
      this.#failuresSeen++
      return failure.next === 'retry'
    }
    // Tapes did not always have the failures.
    const { attempt } = this
    const attempts = this.turn?.attempts ?? []
    const next = attempt && attempts[attempts.indexOf(attempt) + 1]
    return next?.backend === attempt?.backend && next?.model === attempt?.model && next !== undefined
  }
}

/** The longest time that a step of the gateway may take, where nothing tells its end. */
export const arrivalMs = 250
