// Plays the service's half of a Cursor run: each message follows once the gateway has sent as many messages as on the tape.

import { setImmediate as nextRound } from 'node:timers/promises'
import { encodeEnvelope } from '../protocols/connect/envelope.ts'
import { decodeMessage, isHeartbeat } from '../tapes/decode.ts'
import type { RunFrame } from '../tapes/frame.ts'
import { arrivalMs, type Playback } from './playback.ts'
import type { RunStep, ScriptedRun } from './script.ts'

/** The connection of a run. */
export interface RunWire {
  write(bytes: Uint8Array): void
  end(): void
  break(): void
}

const endOfStream = 0x02

export class RunPlayer {
  readonly #run: ScriptedRun
  readonly #wire: RunWire
  readonly #playback: Playback
  #sent = 0
  #isOver = false
  /** The next message needs a message of the gateway first. */
  isWaiting = false

  constructor(run: ScriptedRun, wire: RunWire, playback: Playback) {
    this.#run = run
    this.#wire = wire
    this.#playback = playback
  }

  onMessage(payload: Uint8Array): void {
    const base64 = Buffer.from(payload).toString('base64')
    if (!isHeartbeat(decodeMessage({ do: 'sent', base64 }))) this.#sent++
    this.#playback.source.notify()
  }

  /** The gateway closed the stream. */
  onGone(): void {
    this.#isOver = true
    this.isWaiting = true
    this.#playback.source.notify()
  }

  async play(): Promise<void> {
    try {
      await this.#playSteps()
    } finally {
      this.isWaiting = true
      this.#playback.source.notify()
    }
  }

  async #playSteps(): Promise<void> {
    let lastAt: number | undefined
    for (const { tape, at, sentBefore, messages, end } of burstsOf(this.#run.steps)) {
      await this.#turnOf(tape)
      if (this.#isOver) return
      await this.#playback.pause(lastAt === undefined ? 0 : at - lastAt)
      lastAt = at
      if (!(await this.#hasSent(sentBefore)) || this.#isOver) return
      if (messages.length > 0) await this.#give(messages)
      if (end?.do === 'end') return this.#end()
      if (end?.do === 'error') return this.#fail(end.message)
    }
  }

  /** Messages that followed an answer must not become part of it. */
  async #turnOf(tape: number): Promise<void> {
    this.isWaiting = this.#playback.tape < tape
    if (!this.isWaiting) return
    this.#playback.source.notify()
    await this.#playback.source.until(
      () => this.#isOver || this.#playback.tape >= tape,
      Number.POSITIVE_INFINITY,
    )
    this.isWaiting = this.#isOver
  }

  async #hasSent(count: number): Promise<boolean> {
    if (this.#sent >= count) return true
    const { source, patienceMs } = this.#playback
    this.isWaiting = true
    source.notify()
    const isSo = await source.until(() => this.#isOver || this.#sent >= count, patienceMs)
    this.isWaiting = this.#isOver
    if (!isSo)
      this.#playback.remark(
        `the gateway sent ${this.#sent} messages to the run, but ${count} on the tape; the replay of the run stopped there`,
      )
    return isSo
  }

  async #give(messages: readonly Uint8Array[]): Promise<void> {
    const { source, isAnswering } = this.#playback
    const wanted = source.messages + messages.length
    this.#wire.write(Buffer.concat(messages.map((message) => encodeEnvelope(message))))
    // Between two turns no tape reports what arrives.
    if (isAnswering) await source.until(() => this.#isOver || source.messages >= wanted, arrivalMs)
    else await nextRound()
  }

  #end(): void {
    this.#wire.write(encodeEnvelope(Buffer.from('{}'), endOfStream))
    this.#wire.end()
  }

  #fail(message: string): void {
    this.#playback.remark(
      `a run failed on the tape (${message}); the replay breaks its stream, and the error may differ`,
    )
    this.#wire.break()
  }
}

interface Burst extends Pick<RunStep, 'tape' | 'sentBefore'> {
  at: number
  messages: Uint8Array[]
  end?: RunFrame
}

/** Calls that arrived together belong to one answer: messages within this time are sent at once. */
const togetherMs = 50

function burstsOf(steps: readonly RunStep[]): Burst[] {
  const bursts: Burst[] = []
  let lastAt = 0
  for (const { tape, sentBefore, frame } of steps) {
    const last = bursts.at(-1)
    if (frame.do === 'end' || frame.do === 'error')
      bursts.push({ tape, sentBefore, at: frame.at, messages: [], end: frame })
    if (frame.do !== 'received') continue
    const message = Buffer.from(frame.base64, 'base64')
    const isTogether =
      last?.tape === tape && last.sentBefore === sentBefore && frame.at - lastAt <= togetherMs
    if (last && isTogether) last.messages.push(message)
    else bursts.push({ tape, sentBefore, at: frame.at, messages: [message] })
    lastAt = frame.at
  }
  return bursts
}
