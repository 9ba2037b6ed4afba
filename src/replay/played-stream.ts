// Plays the service's half of a Cursor run: each read follows once the gateway has sent as many messages as on the tape.

import { setImmediate as nextRound } from 'node:timers/promises'
import type { RunStream } from '../backends/cursor/transport.ts'
import { errorFrom } from '../core/error-facts.ts'
import { GatewayError } from '../core/errors.ts'
import { decodeMessage, isHeartbeat } from '../tapes/decode.ts'
import type { RunFrame } from '../tapes/frame.ts'
import { FreshIds } from './fresh-ids.ts'
import type { Playback } from './playback.ts'
import type { Place, RunStep, ScriptedRun } from './script.ts'

const isBeat = (base64: string) => isHeartbeat(decodeMessage({ do: 'sent', base64 }))

type Outcome = Uint8Array[] | null | GatewayError

export class PlayedStream implements RunStream {
  readonly #run: ScriptedRun
  readonly #playback: Playback
  readonly #ids = new FreshIds()
  /** What the gateway sent on the tape, without heartbeats. */
  readonly #sentThen: Uint8Array[]
  /** Without heartbeats. */
  #sent = 0
  #all = 0
  #taken: number | undefined
  /** What the reader has not taken yet. */
  readonly #reads: Outcome[] = []
  #wake: (() => void) | undefined
  isOver = false
  readonly isFull = false
  /** The next message needs a message of the gateway first. */
  isWaiting = false

  constructor(run: ScriptedRun, playback: Playback) {
    this.#run = run
    this.#playback = playback
    this.#sentThen = run.steps.flatMap(({ frame }) =>
      frame.do === 'sent' && !isBeat(frame.base64) ? [Buffer.from(frame.base64, 'base64')] : [],
    )
  }

  get taken(): number {
    return this.#taken ?? this.#all
  }

  send(message: Uint8Array): void {
    if (this.isOver) return
    this.#all++
    if (!isBeat(Buffer.from(message).toString('base64'))) {
      const then = this.#sentThen[this.#sent++]
      if (then) this.#ids.compare(then, message)
    }
    this.#playback.source.notify()
  }

  drained(): Promise<void> {
    return Promise.resolve()
  }

  async read(): Promise<Uint8Array[] | null> {
    while (this.#reads.length === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    const [first] = this.#reads
    // The end and a failure are given again and again.
    if (first instanceof GatewayError) throw first
    if (first === null || first === undefined) return null
    this.#reads.shift()
    this.#playback.source.notify()
    return first
  }

  close(): void {
    this.#stop(null)
  }

  cancel(): void {
    this.#stop(new GatewayError('canceled', 'The run was given up.'))
  }

  #stop(how: Outcome): void {
    if (this.isOver) return
    this.isOver = true
    this.isWaiting = true
    this.#give(how)
    this.#playback.source.notify()
  }

  #give(outcome: Outcome): void {
    this.#reads.push(outcome)
    this.#wake?.()
    this.#wake = undefined
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
    for (const { place, at, sentBefore, messages, isClock, end } of readsOf(this.#run)) {
      await this.#turnOf(place.tape)
      if (this.isOver) return
      await this.#playback.pause(lastAt === undefined ? 0 : at - lastAt)
      lastAt = at
      if (!(await this.#hasSent(sentBefore)) || this.isOver) return
      this.#playback.reach(place)
      if (this.isOver) return
      if (messages.length > 0) await this.#giveMessages(messages)
      if (isClock) this.#decide(at)
      if (end) return this.#end(end)
    }
    // The run outlived the turns of these tapes. What its clocks did then, they do now.
    this.isWaiting = true
    this.#playback.reachEnd()
  }

  /** Messages that followed an answer must not become part of it. */
  async #turnOf(tape: number): Promise<void> {
    const { source } = this.#playback
    if (this.#playback.tape >= tape) return
    this.isWaiting = true
    this.#playback.reachEnd()
    source.notify()
    await source.until(() => this.isOver || this.#playback.tape >= tape, Number.POSITIVE_INFINITY)
    this.isWaiting = this.isOver
  }

  async #hasSent(count: number): Promise<boolean> {
    if (this.#sent >= count) return true
    const { source, patienceMs } = this.#playback
    this.isWaiting = true
    source.notify()
    const isSo = await source.until(() => this.isOver || this.#sent >= count, patienceMs)
    this.isWaiting = this.isOver
    if (!isSo)
      this.#playback.remark(
        `the gateway sent ${this.#sent} messages to the run, but ${count} on the tape; the replay of the run stopped there`,
      )
    return isSo
  }

  /** Resolves once the gateway has read the messages. */
  async #giveMessages(messages: Uint8Array[]): Promise<void> {
    const { source, patienceMs } = this.#playback
    this.#give(messages.map((message) => this.#ids.renew(message)))
    await source.until(() => this.isOver || this.#reads.length === 0, patienceMs)
    await nextRound()
  }

  #decide(at: number): void {
    const { source, clock } = this.#playback
    const before = source.decisions
    clock.decide(at, () => source.decisions > before)
  }

  #end(frame: RunFrame): void {
    if (frame.do !== 'error') return this.#give(null)
    const { message, error, taken } = frame
    // The gateway itself gave the run up: a client that left, or a clock that ran out.
    if (error?.code === 'canceled' || message === 'The run was given up.') return this.#playback.reachEnd()
    this.#taken = taken
    this.isOver = true
    this.#give(errorFrom(message, { ...error }))
  }
}

interface Read extends Pick<RunStep, 'sentBefore'> {
  place: Place
  at: number
  messages: Uint8Array[]
  isClock?: boolean
  end?: RunFrame
}

/** What was read together. Tapes did not always say so: messages within this time then count as one read. */
const togetherMs = 50

function readsOf({ steps, isExact }: ScriptedRun): Read[] {
  const reads: Read[] = []
  let lastAt = 0
  for (const { place, sentBefore, frame } of steps) {
    const last = reads.at(-1)
    if (frame.do === 'end' || frame.do === 'error')
      reads.push({ place, sentBefore, at: frame.at, messages: [], end: frame })
    if (frame.do === 'clock') reads.push({ place, sentBefore, at: frame.at, messages: [], isClock: true })
    if (frame.do !== 'received') continue
    const message = Buffer.from(frame.base64, 'base64')
    const isTogether = isExact
      ? frame.joined === true
      : last?.place.tape === place.tape && last.sentBefore === sentBefore && frame.at - lastAt <= togetherMs
    if (last && isTogether && last.messages.length > 0) last.messages.push(message)
    else reads.push({ place, sentBefore, at: frame.at, messages: [message] })
    lastAt = frame.at
  }
  return reads
}
