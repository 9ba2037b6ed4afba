// The client's half of a run over HTTP/1.1: one call (BidiAppend) for each message, numbered from 0. Strictly one after the
// other: concurrent calls would overtake each other.

import { GatewayError } from '../../core/errors.ts'
import type { UpstreamClient } from '../../upstream/client.ts'
import { encodeAppend } from './encode-append.ts'
import { type AnswerHead, readExcerpt, toRefusal } from './run-answer.ts'
import type { RunOptions, TransportOptions } from './transport.ts'

interface AppendOptions extends TransportOptions {
  client: UpstreamClient
  headers: Record<string, string>
  renewHeaders: RunOptions['renewHeaders']
  requestId: string
  signal: AbortSignal
  /** How long one call may take. */
  answerMs: number
  /** The run cannot go on: the upstream lacks one of its messages. */
  onFailure(failure: GatewayError): void
}

const appendPath = '/aiserver.v1.BidiService/BidiAppend'
/**
 * Delay before each retry of a call that got no response at all, e.g. on a kept connection that the server was closing. If
 * the first try did arrive, the server recognizes the retry by its number.
 */
const retryDelaysMs = [100, 500]

/** Above it, the queue is full, and answers to the service's questions wait. */
const highWaterBytes = 64 * 1024

/** How long the unread rest of a response may take. */
const drainMs = 1_000

type Answer = AnswerHead & { excerpt: string }

export class AppendQueue {
  readonly #options: AppendOptions
  readonly #headers: Record<string, string>
  #messages: Uint8Array[] = []
  /** Bytes of the messages without a response. */
  #waitingBytes = 0
  #onDrained: (() => void)[] = []
  #number = 0n
  #failed = false
  /** How many messages the service has confirmed. */
  answered = 0
  #running: Promise<void> | undefined

  constructor(options: AppendOptions) {
    this.#options = options
    this.#headers = { ...options.headers }
  }

  /** Resolves when every message is confirmed, or the queue has failed. */
  get settled(): Promise<void> {
    return this.#running ?? Promise.resolve()
  }

  get isFull(): boolean {
    return this.#waitingBytes > highWaterBytes
  }

  /** Resolves when the queue is no longer full, or has failed. */
  drained(): Promise<void> {
    if (!this.isFull) return Promise.resolve()
    return new Promise((resolve) => this.#onDrained.push(resolve))
  }

  push(message: Uint8Array): void {
    if (this.#failed) return
    this.#messages.push(message)
    this.#waitingBytes += message.length
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    try {
      for (let next = this.#messages.shift(); next; next = this.#messages.shift()) {
        await this.#append(next)
        this.answered++
        this.#waitingBytes -= next.length
        this.#tellDrained()
      }
    } catch (error) {
      this.#failed = true
      this.#messages = []
      this.#waitingBytes = 0
      this.#tellDrained()
      this.#options.onFailure(GatewayError.from(error))
    } finally {
      // At once: the next message starts the next round.
      this.#running = undefined
    }
  }

  #tellDrained(): void {
    if (!this.isFull) for (const tell of this.#onDrained.splice(0)) tell()
  }

  async #append(message: Uint8Array): Promise<void> {
    const { requestId } = this.#options
    const body = encodeAppend(message, { requestId, number: this.#number++ })
    const answer = await this.#callWithRetries(body)
    if (answer.status === 200) return
    const refusal = toRefusal(answer, this.#options)
    if (refusal.code !== 'unauthenticated' || !this.#options.renewHeaders) throw refusal
    // The token expired in the middle of the run: the same message with a new token.
    Object.assign(this.#headers, await this.#options.renewHeaders())
    const again = await this.#callWithRetries(body)
    if (again.status !== 200) throw toRefusal(again, this.#options)
  }

  async #callWithRetries(body: Uint8Array): Promise<Answer> {
    for (const delayMs of retryDelaysMs) {
      try {
        return await this.#call(body)
      } catch (error) {
        const { code } = GatewayError.from(error)
        if (code !== 'upstream-unavailable' || this.#options.signal.aborted) throw error
        await pause(delayMs)
      }
    }
    return this.#call(body)
  }

  async #call(body: Uint8Array): Promise<Answer> {
    const { client, signal, answerMs, backend } = this.#options
    const call = new AbortController()
    const onAbort = () => call.abort(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    const timer = setTimeout(() => {
      const seconds = Math.round(answerMs / 1000)
      call.abort(
        new GatewayError('timeout', `${backend}: the upstream did not take a message within ${seconds} s.`),
      )
    }, answerMs)
    try {
      const response = await client.request({
        method: 'POST',
        path: appendPath,
        headers: this.#headers,
        body,
        signal: call.signal,
      })
      // Even an empty body is read: only a body that was read to its end frees the connection for the next call.
      const excerpt = await readExcerpt({ read: () => response.body.read() })
      response.body.drain(drainMs)
      return { ...response, excerpt }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
