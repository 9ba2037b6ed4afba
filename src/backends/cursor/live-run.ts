// Drives one run: bytes from the stream into the state machine, its replies back, its events to whoever is listening.
// It goes on reading and answering while nobody listens: that is what keeps a parked run alive.

import { GatewayError } from '../../core/errors.ts'
import { isTerminal, type TurnEvent } from '../../core/events.ts'
import type { ToolResult } from '../../core/request.ts'
import type { AgentRun, AnswerOptions } from '../../protocols/cursor-agent/run.ts'
import type { RunStream } from './transport.ts'

/** After the turn's end, the last checkpoint and a proper close may still come. */
const lingerMs = 2_000
/** Unread events beyond this many, or this long, stop the reading until the client has caught up. */
const maxQueued = 1_000
const maxQueuedLength = 256 * 1024

export class LiveRun {
  readonly run: AgentRun
  readonly #stream: RunStream
  readonly #onEnd: () => void
  #queue: TurnEvent[] = []
  #queuedLength = 0
  #wakeListener: (() => void) | undefined
  #wakeReader: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #closed = false
  #lingers = false
  #settleOpening: (failure?: GatewayError) => void = () => undefined
  /** Resolves when the server has said anything; rejects when it never did. */
  readonly opened: Promise<void>

  constructor(run: AgentRun, stream: RunStream, onEnd: () => void) {
    this.run = run
    this.#stream = stream
    this.#onEnd = onEnd
    this.opened = new Promise((resolve, reject) => {
      this.#settleOpening = (failure) => (failure ? reject(failure) : resolve())
    })
  }

  begin(): void {
    this.run.begin(performance.now())
    this.#flush()
    void this.#read()
  }

  resume(results: ReadonlyMap<string, ToolResult>, answer: AnswerOptions): void {
    try {
      this.run.resume(results, answer, performance.now())
    } catch (error) {
      this.close()
      throw error
    }
    this.#flush()
  }

  /**
   * The events of the current answer, up to its terminal one; `onAnswered` is called before that one goes out, because
   * the client may come back at once. Leaving earlier, or an abort, ends the run.
   */
  async *answer(signal: AbortSignal, onAnswered: () => void): AsyncGenerator<TurnEvent[]> {
    const onAbort = () => {
      this.close()
      this.#wakeListener?.()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    let isComplete = false
    try {
      for (;;) {
        if (signal.aborted) throw GatewayError.ofAbort(signal)
        if (this.#queue.length === 0) {
          await new Promise<void>((resolve) => {
            this.#wakeListener = resolve
          })
          continue
        }
        const events = this.#queue
        this.#queue = []
        this.#queuedLength = 0
        const last = events.at(-1)
        isComplete = last !== undefined && isTerminal(last)
        this.#wakeReader?.()
        if (isComplete) onAnswered()
        yield events
        if (isComplete) return
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      if (!isComplete) this.close()
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    this.run.end(new GatewayError('canceled', 'The run was given up.'))
    this.#stream.cancel()
    this.#wakeReader?.()
    this.#onEnd()
  }

  async #read(): Promise<void> {
    try {
      for (
        let messages = await this.#stream.read();
        messages !== null;
        messages = await this.#stream.read()
      ) {
        for (const message of messages) this.run.receive(message, performance.now())
        this.#settleOpening()
        this.#flush()
        if (this.#queue.length > maxQueued || this.#queuedLength > maxQueuedLength) await this.#room()
        if (this.#closed) return
      }
      this.run.end()
      this.#settleOpening()
    } catch (error) {
      const failure = GatewayError.from(error)
      this.#settleOpening(failure)
      this.run.end(failure)
    }
    this.#flush()
    this.#finish()
  }

  async #room(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wakeReader = resolve
    })
    this.#wakeReader = undefined
    this.run.excuse(performance.now())
  }

  #flush(): void {
    const { events, replies } = this.run.take()
    for (const reply of replies) this.#stream.send(reply)
    if (events.length > 0) {
      for (const event of events) {
        this.#queue.push(event)
        if ('delta' in event) this.#queuedLength += event.delta.length
      }
      this.#wakeListener?.()
      this.#wakeListener = undefined
    }
    if (this.run.phase !== 'ended') return this.#schedule()
    // A stall: what there is to say about it is an event.
    this.#settleOpening()
    this.#linger()
  }

  /** One timer for all clocks of the run. */
  #schedule(): void {
    const { wakeAt } = this.run
    if (this.#closed || (this.#timer !== undefined && this.#timerAt <= wakeAt)) return
    clearTimeout(this.#timer)
    this.#timerAt = wakeAt
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        // While the client keeps us from reading, nothing can come.
        if (this.#wakeReader) this.run.excuse(performance.now())
        this.run.elapse(performance.now())
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

  #finish(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    this.#stream.close()
    this.#onEnd()
  }
}
