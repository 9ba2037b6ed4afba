// Drives one run: bytes from the stream into the state machine, its replies back, its events to whoever is listening.
// It goes on reading and answering while nobody listens: that is what keeps a parked run alive. A stream that breaks is
// replaced, if the run can go on with another one: at once for a client that listens, else when its results come.

import { setTimeout as sleep } from 'node:timers/promises'
import { SessionLost } from '../../core/backend.ts'
import { GatewayError } from '../../core/errors.ts'
import { isCommitPoint, isTerminal, isVisibleOutput, type TurnEvent } from '../../core/events.ts'
import type { ToolResult } from '../../core/request.ts'
import type { TurnTap } from '../../core/tap.ts'
import type { AgentRun } from '../../protocols/cursor-agent/run.ts'
import type { AnswerOptions } from '../../protocols/cursor-agent/run-options.ts'
import type { OutputStream } from '../../protocols/cursor-agent/shell-output.ts'
import { EmptyAnswer } from './run-answer.ts'
import type { RunStream } from './transport.ts'
import type { StreamWatch } from './watched-stream.ts'

/** After the turn's end, the last checkpoint and a proper close may still come. */
const lingerMs = 2_000
/** Unread events beyond this many, or this long, stop the reading until the client has caught up. */
const maxQueued = 1_000
const maxQueuedLength = 64 * 1024
/** Before the next stream, by how many have broken in a row. */
const reopeningDelaysMs = [0, 500, 1_000]

export interface LiveRunOptions {
  /** The configured name of the backend, for messages. */
  backend: string
  /** Another stream for the same run. */
  reconnect(): Promise<RunStream>
  /** Nothing is left in it for anyone: it came to its end, or was given up. */
  onEnd(how: RunEnd): void
  /** Somebody watches the turns of this run. */
  watch?: StreamWatch | undefined
}

export type RunEnd = 'ended' | 'given up' | 'broken'

export interface Listening {
  signal: AbortSignal
  /** Called before the terminal event goes out, because the client may come back at once. */
  onAnswered(end: TurnEvent): void
  /** The run goes on on another stream; nothing has been shown yet. */
  onReopened?(): void
  /** Another run could be asked the same: with such a failure, before anything was shown, it is a `SessionLost`. */
  replaceable?(error: GatewayError): boolean
}

export class LiveRun {
  readonly run: AgentRun
  readonly #options: LiveRunOptions
  #stream: RunStream
  #queue: TurnEvent[] = []
  #queuedLength = 0
  #wakeListener: (() => void) | undefined
  #wakeReader: (() => void) | undefined
  #onReopened: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #closed = false
  #lingers = false
  #settleOpening: (failure?: GatewayError) => void = () => undefined
  #settleEnd: () => void = () => undefined
  /** Resolves when the server has said anything; rejects when it never did. */
  readonly opened: Promise<void>
  /** Resolves when nothing more will come. */
  readonly ended: Promise<void>

  constructor(run: AgentRun, stream: RunStream, options: LiveRunOptions) {
    this.run = run
    this.#stream = stream
    this.#options = options
    this.opened = new Promise((resolve, reject) => {
      this.#settleOpening = (failure) => (failure ? reject(failure) : resolve())
    })
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve
    })
  }

  /** It has told of its end already. */
  get isOver(): boolean {
    return this.#closed
  }

  begin(): void {
    this.run.begin(performance.now())
    this.#flush()
    void this.#drive()
  }

  /** Another turn goes on with it. */
  follow(tap: TurnTap | undefined): void {
    const { watch } = this.#options
    // Nobody watched when it began, and so nobody is told what goes over its stream.
    if (!watch) tap?.markIncomplete()
    watch?.follow(tap)
  }

  /** `words` of the user that came with the results. */
  resume(results: ReadonlyMap<string, ToolResult>, answer: AnswerOptions, words?: string): void {
    this.run.resume(results, answer, { now: performance.now(), words })
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

  /** The events of the current answer, up to its terminal one. Leaving earlier, or an abort, ends the run. */
  async *answer(listening: Listening): AsyncGenerator<TurnEvent[]> {
    const { signal, onAnswered, replaceable } = listening
    this.#onReopened = listening.onReopened
    const onAbort = () => {
      this.close()
      this.#wakeListener?.()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    let isComplete = false
    let isShown = false
    try {
      while (!isComplete) {
        if (signal.aborted) throw GatewayError.ofAbort(signal)
        // What could still be taken back is not given out by itself.
        const isEnough = isShown || !replaceable || this.#queue.some(isCommitPoint)
        if (this.#queue.length === 0 || !isEnough) {
          await new Promise<void>((resolve) => {
            this.#wakeListener = resolve
          })
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
    const how = this.run.phase === 'ended' ? this.#howEnded : 'given up'
    if (!this.#letGo()) return
    this.run.end(new GatewayError('canceled', 'The run was given up.'))
    // Whoever listens without having left must hear of it.
    this.#queueEvents(this.run.take().events)
    this.#stream.cancel()
    this.#wakeReader?.()
    this.#options.onEnd(how)
  }

  #takeQueue(): TurnEvent[] {
    const events = this.#queue
    this.#queue = []
    this.#queuedLength = 0
    this.#wakeReader?.()
    return events
  }

  /** From stream to stream, to the end. */
  async #drive(): Promise<void> {
    for (;;) {
      const failure = await this.#read()
      if (this.#closed) return
      this.run.end(failure, this.#stream.taken)
      this.#settleOpening(failure ?? new EmptyAnswer(this.#options.backend))
      this.#flush()
      if (!this.run.isLost) return this.#finish()
      while (this.run.phase === 'parked' && !this.#closed) await this.#untilWoken()
      if (!this.#closed) await this.#reopen()
      if (this.#closed || this.run.phase === 'ended') return this.#finish()
    }
  }

  /** Resolves with why the stream is over; undefined for its own proper end. */
  async #read(): Promise<GatewayError | undefined> {
    const stream = this.#stream
    try {
      for (let messages = await stream.read(); messages !== null; messages = await stream.read()) {
        for (const message of messages) {
          this.run.receive(message, performance.now())
          const drained = this.run.hasReplies ? this.#answerServer(stream) : undefined
          if (!drained) continue
          await drained
          // The rest of what came is still read, for what it says.
          if (stream.isOver) this.run.onServerGone()
          if (this.#closed) return undefined
        }
        this.#settleOpening()
        this.#flush()
        await this.#room()
        if (this.#closed) return undefined
      }
      return undefined
    } catch (error) {
      return GatewayError.from(error)
    }
  }

  /**
   * A short question may ask for much, and come often: the next one is not looked at before the server has taken the answer. One that
   * takes nothing stalls the run.
   */
  #answerServer(stream: RunStream): Promise<void> | undefined {
    this.#settleOpening()
    this.#flush()
    return stream.isFull ? stream.drained() : undefined
  }

  async #reopen(): Promise<void> {
    const delayMs = reopeningDelaysMs[this.run.reopenings] ?? 0
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    if (this.#closed) return
    try {
      this.#stream = await this.#options.reconnect()
      if (this.#closed) return this.#stream.cancel()
      this.run.reopen(performance.now())
      this.#onReopened?.()
    } catch {
      this.run.giveUp()
    }
    this.#flush()
  }

  /** Stops the reading while the client is behind, or is not there to take what has come for it. */
  async #room(): Promise<void> {
    let hasWaited = false
    while (
      !this.#closed &&
      (this.run.isFull || this.#queue.length > maxQueued || this.#queuedLength > maxQueuedLength)
    ) {
      await this.#untilWoken()
      hasWaited = true
    }
    if (hasWaited) this.run.excuse(performance.now())
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
    this.#queueEvents(events)
    if (this.run.phase !== 'ended') return this.#schedule()
    // A stall: what there is to say about it is an event.
    this.#settleOpening()
    this.#linger()
  }

  #queueEvents(events: readonly TurnEvent[]): void {
    if (events.length === 0) return
    for (const event of events) {
      this.#queue.push(event)
      if ('delta' in event) this.#queuedLength += event.delta.length
    }
    this.#wakeListener?.()
    this.#wakeListener = undefined
  }

  /** One timer for all clocks of the run. */
  #schedule(): void {
    const { wakeAt } = this.run
    if (this.#closed || wakeAt === Number.POSITIVE_INFINITY) return
    if (this.#timer !== undefined && this.#timerAt <= wakeAt) return
    clearTimeout(this.#timer)
    this.#timerAt = wakeAt
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        // While the client keeps us from reading, nothing can come.
        if (this.#wakeReader) this.run.excuse(performance.now())
        this.run.elapse(performance.now(), this.#stream.isFull)
        this.#flush()
      },
      Math.max(0, wakeAt - performance.now()),
    )
    this.#timer.unref()
  }

  #linger(): void {
    if (this.#closed || this.#lingers) return
    this.#lingers = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.close(), lingerMs)
    this.#timer.unref()
  }

  /** The stream is done with. What is still held for the next answer can be taken without it. */
  #finish(): void {
    if (this.run.phase === 'parked') {
      this.#stream.close()
      this.#settleEnd()
      return
    }
    if (!this.#letGo()) return
    this.#stream.close()
    this.#options.onEnd(this.#howEnded)
  }

  get #howEnded(): RunEnd {
    return this.run.hasFailed ? 'broken' : 'ended'
  }

  #letGo(): boolean {
    if (this.#closed) return false
    this.#closed = true
    clearTimeout(this.#timer)
    this.#settleEnd()
    return true
  }
}
