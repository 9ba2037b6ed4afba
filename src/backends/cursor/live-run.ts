// The driver of one run: stream messages into the state machine, its replies back to the stream, its events to the client.
// It reads and answers the server also while no client listens: that keeps a parked run alive. A broken stream is replaced
// if the run can go on with another one: at once while a client listens, otherwise when the results arrive.

import { setTimeout as sleep } from 'node:timers/promises'
import { SessionLost } from '../../core/backend.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { isCommitPoint, isTerminal, isVisibleOutput, type TurnEvent } from '../../core/events.ts'
import type { ToolResult } from '../../core/request.ts'
import type { TurnTap } from '../../core/tap.ts'
import type { AgentRun } from '../../protocols/cursor-agent/run.ts'
import type { AnswerOptions } from '../../protocols/cursor-agent/run-options.ts'
import type { OutputStream } from '../../protocols/cursor-agent/shell-output.ts'
import { EventQueue } from './event-queue.ts'
import type { StreamRecorder } from './recording-stream.ts'
import { EmptyAnswer } from './run-answer.ts'
import type { RunStream } from './transport.ts'

/** After the turn's end, the last checkpoint and a proper close may still arrive. */
const lingerMs = 2_000
/** Delay before the next stream, by how many have broken in a row. */
const reopeningDelaysMs = [0, 500, 1_000]

export interface LiveRunOptions {
  /** The configured name of the backend, for messages. */
  backend: string
  /** Opens another stream for the same run. */
  reconnect(): Promise<RunStream>
  /** Called once, when the run has nothing more to give. */
  onEnd(how: RunEnd): void
  /** Records the streams of this run; undefined if its first turn is not recorded. */
  recorder?: StreamRecorder | undefined
  clock?: Clock | undefined
}

/** `given up`: closed before its end. */
export type RunEnd = 'ended' | 'given up' | 'broken'

interface Listening {
  signal: AbortSignal
  /** Called before the terminal event goes out, because the client may send its next request at once. */
  onAnswered(end: TurnEvent): void
  /** The run goes on with another stream, and the client has seen nothing of the answer yet. */
  onReopened?(): void
  /** True for a failure after which a new run may do better: before any visible output it becomes a `SessionLost`. */
  replaceable?(error: GatewayError): boolean
}

export class LiveRun {
  readonly run: AgentRun
  readonly #options: LiveRunOptions
  #stream: RunStream
  readonly #queue = new EventQueue()
  #wakeReader: (() => void) | undefined
  #onReopened: (() => void) | undefined
  readonly #clock: Clock
  #stopTimer: (() => void) | undefined
  #timerAt = Number.POSITIVE_INFINITY
  /** `lingering`: the run has ended, and its stream is read a little longer. */
  #life: 'driven' | 'lingering' | 'closed' = 'driven'
  #settleOpening: (failure?: GatewayError) => void = () => undefined
  #isOpen = false
  #settleEnd: () => void = () => undefined
  /** Resolves at the server's first message; rejects if the stream ends before it. */
  readonly opened: Promise<void>
  /** Resolves when the server will send nothing more. */
  readonly ended: Promise<void>

  constructor(run: AgentRun, stream: RunStream, options: LiveRunOptions) {
    this.run = run
    this.#stream = stream
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.opened = new Promise((resolve, reject) => {
      this.#settleOpening = (failure) => (failure ? reject(failure) : resolve())
    })
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve
    })
  }

  /** `onEnd` has been called. */
  get isClosed(): boolean {
    return this.#life === 'closed'
  }

  /** How an ended run ended. */
  get ending(): 'ended' | 'broken' {
    const { state } = this.run
    return state.phase === 'ended' && state.how === 'failed' ? 'broken' : 'ended'
  }

  begin(): void {
    this.run.begin(this.#clock.now())
    this.#flush()
    void this.#drive()
  }

  /** Another turn goes on with the run. */
  follow(tap: TurnTap | undefined): void {
    const { recorder } = this.#options
    // The run began without a recording, so there is none of its streams.
    if (!recorder) tap?.markIncomplete()
    recorder?.follow(tap)
  }

  /** `words`: what the user said beside the results. */
  resume(results: ReadonlyMap<string, ToolResult>, answer: AnswerOptions, words?: string): void {
    this.run.resume(results, answer, { now: this.#clock.now(), words })
    this.#flush()
    this.#wakeReader?.()
  }

  deliver(result: ToolResult): void {
    this.run.deliver(result)
    this.#flush()
  }

  onOutput(callId: string, stream: OutputStream, data: string): void {
    this.run.onOutput(callId, stream, data)
    this.#flush()
  }

  /** The events of the current answer, up to the terminal event. Leaving earlier, or an abort, ends the run. */
  async *answer(listening: Listening): AsyncGenerator<TurnEvent[]> {
    const { signal, onAnswered, replaceable } = listening
    this.#onReopened = listening.onReopened
    const onAbort = () => {
      this.close()
      this.#queue.wake()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    let isComplete = false
    let isShown = false
    try {
      while (!isComplete) {
        if (signal.aborted) throw GatewayError.ofAbort(signal)
        // Before the commit point, events are kept: a new run may still replace this answer.
        const isEnough = isShown || !replaceable || this.#queue.some(isCommitPoint)
        if (this.#queue.isEmpty || !isEnough) {
          await this.#queue.changed()
          continue
        }
        const events = this.#takeQueue()
        const last = events.at(-1)
        isComplete = last !== undefined && isTerminal(last)
        isShown ||= events.some(isVisibleOutput)
        if (isShown) this.#onReopened = undefined
        if (last?.type === 'turn-error' && !isShown && replaceable?.(last.error))
          throw new SessionLost(last.error.message, { cause: last.error })
        if (last && isComplete) onAnswered(last)
        yield events
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      if (!isComplete) this.close()
    }
  }

  close(): void {
    const how = this.run.state.phase === 'ended' ? this.ending : 'given up'
    if (!this.#letGo()) return
    this.run.end(new GatewayError('canceled', 'The run was given up.'))
    // A client that still listens must get the error.
    this.#queue.add(this.run.take().events)
    this.#stream.cancel()
    this.#wakeReader?.()
    this.#options.onEnd(how)
  }

  #takeQueue(): TurnEvent[] {
    const events = this.#queue.take()
    this.#wakeReader?.()
    return events
  }

  /** Reads one stream after the other, to the end of the run. */
  async #drive(): Promise<void> {
    for (;;) {
      const failure = await this.#read()
      if (this.isClosed) return
      this.run.end(failure, this.#stream.taken)
      if (!this.#isOpen) this.#settleOpening(failure ?? new EmptyAnswer(this.#options.backend))
      this.#flush()
      if (!this.run.isLost) return this.#finish()
      while (this.run.state.phase === 'parked' && !this.isClosed) await this.#untilWoken()
      if (!this.isClosed) await this.#reopen()
      if (this.isClosed || this.run.state.phase === 'ended') return this.#finish()
    }
  }

  /** Resolves when the stream is over: with its failure, or with undefined after a proper end. */
  async #read(): Promise<GatewayError | undefined> {
    const stream = this.#stream
    try {
      for (let messages = await stream.read(); messages !== null; messages = await stream.read()) {
        for (const message of messages) {
          this.run.receive(message, this.#clock.now())
          const drained = this.run.hasReplies ? this.#answerServer(stream) : undefined
          if (!drained) continue
          await drained
          // The remaining messages are still read: they may belong to the answer.
          if (stream.isOver) this.run.onServerGone()
          if (this.isClosed) return undefined
        }
        this.#isOpen = true
        this.#settleOpening()
        this.#flush()
        await this.#room()
        if (this.isClosed) return undefined
      }
      return undefined
    } catch (error) {
      return GatewayError.from(error)
    }
  }

  /**
   * Back-pressure: a short question can ask for a large answer, so the next message is read only after the server has taken the
   * answer. A server that takes nothing stalls the run.
   */
  #answerServer(stream: RunStream): Promise<void> | undefined {
    this.#settleOpening()
    this.#flush()
    return stream.isFull ? stream.drained() : undefined
  }

  async #reopen(): Promise<void> {
    const delayMs = reopeningDelaysMs[this.run.reopenings] ?? 0
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    if (this.isClosed) return
    try {
      this.#stream = await this.#options.reconnect()
      if (this.isClosed) return this.#stream.cancel()
      this.run.reopen(this.#clock.now())
      this.#onReopened?.()
    } catch {
      this.run.giveUp()
    }
    this.#flush()
  }

  /** Back-pressure: waits while the client has not taken the events so far. */
  async #room(): Promise<void> {
    let hasWaited = false
    while (!this.isClosed && (this.run.isFull || this.#queue.isFull)) {
      await this.#untilWoken()
      hasWaited = true
    }
    if (hasWaited) this.run.excuse(this.#clock.now())
  }

  async #untilWoken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wakeReader = resolve
    })
    this.#wakeReader = undefined
  }

  #flush(): void {
    const { events, replies } = this.run.take()
    for (const reply of replies) this.#stream.send(reply)
    this.#queue.add(events)
    if (this.run.state.phase !== 'ended') return this.#schedule()
    // After a stall there may have been no message at all: the error is an event of the answer.
    this.#settleOpening()
    this.#linger()
  }

  /** One timer for all clocks of the run. */
  #schedule(): void {
    const { wakeAt } = this.run
    if (this.isClosed || wakeAt === Number.POSITIVE_INFINITY) return
    if (this.#stopTimer !== undefined && this.#timerAt <= wakeAt) return
    this.#stopTimer?.()
    this.#timerAt = wakeAt
    this.#stopTimer = this.#clock.after(Math.max(0, wakeAt - this.#clock.now()), this.#onTime)
  }

  readonly #onTime = (): void => {
    this.#stopTimer = undefined
    // While back-pressure stops the reading, no message can arrive.
    if (this.#wakeReader) this.run.excuse(this.#clock.now())
    if (this.run.elapse(this.#clock.now(), this.#stream.isFull)) this.#options.recorder?.clock()
    this.#flush()
  }

  #linger(): void {
    if (this.#life !== 'driven') return
    this.#life = 'lingering'
    this.#stopTimer?.()
    this.#stopTimer = systemClock.after(lingerMs, () => this.close())
  }

  /** The stream is over. A parked run can still give its next answer: the end of the turn is held. */
  #finish(): void {
    if (this.run.state.phase === 'parked') {
      this.#stream.close()
      this.#settleEnd()
      return
    }
    if (!this.#letGo()) return
    this.#stream.close()
    this.#options.onEnd(this.ending)
  }

  #letGo(): boolean {
    if (this.isClosed) return false
    this.#life = 'closed'
    this.#stopTimer?.()
    this.#settleEnd()
    return true
  }
}
