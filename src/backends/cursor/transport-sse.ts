// A run over HTTP/1.1, for networks that block HTTP/2: one long response (RunSSE, which despite its name is the same Connect
// stream), and one call for each client message (BidiAppend). The request id ties them together.

import { create, toBinary } from '@bufbuild/protobuf'
import { BidiRequestIdSchema } from '../../../proto/gen/aiserver/v1/service_pb.ts'
import { GatewayError } from '../../core/errors.ts'
import { encodeEnvelope } from '../../protocols/connect/envelope.ts'
import type { UpstreamClient, UpstreamResponse } from '../../upstream/client.ts'
import { AppendQueue } from './append-queue.ts'
import { RunAnswer, streamContentType } from './run-answer.ts'
import type { RunOptions, RunStream, RunTransport, TransportOptions } from './transport.ts'

interface SseTransportOptions extends TransportOptions {
  /** The caller closes it. */
  client: UpstreamClient
  /** Idle timeout while the stream is being read; the server's heartbeats count as data. */
  idleMs?: number
}

const runPath = '/agent.v1.AgentService/RunSSE'
const defaultIdleMs = 30_000
/** How long a closed run may take to send its last messages, and a finished response to end. */
const drainMs = 1_000

export function createSseTransport(options: SseTransportOptions): RunTransport {
  const runs = new Set<SseRun>()
  return {
    name: 'sse',
    place: { origin: options.client.origin, path: runPath },
    async open(run: RunOptions) {
      if (run.signal.aborted) throw GatewayError.ofAbort(run.signal)
      const stream = new SseRun(run, options, () => runs.delete(stream))
      runs.add(stream)
      return stream
    },
    async close() {
      for (const run of runs) run.cancel()
    },
  }
}

class SseRun implements RunStream {
  readonly #options: SseTransportOptions
  readonly #stop = new AbortController()
  readonly #response: Promise<UpstreamResponse>
  readonly #answer: RunAnswer
  readonly #appends: AppendQueue
  readonly #idle: NodeJS.Timeout
  readonly #release: () => void
  #waiting = false
  #over = false

  constructor(run: RunOptions, options: SseTransportOptions, onEnd: () => void) {
    const { headers, requestId, signal } = run
    this.#options = options
    const { client, idleMs = defaultIdleMs } = options
    const onAbort = () => this.#abort(GatewayError.ofAbort(signal))
    signal.addEventListener('abort', onAbort, { once: true })
    this.#release = () => {
      signal.removeEventListener('abort', onAbort)
      clearTimeout(this.#idle)
      onEnd()
    }
    this.#idle = setTimeout(() => this.#onIdle(idleMs), idleMs).unref()
    const shared = {
      ...headers,
      'connect-protocol-version': '1',
      'x-cursor-streaming': 'true',
      'x-request-id': requestId,
    }
    this.#response = client.request({
      method: 'POST',
      path: runPath,
      headers: { ...shared, 'content-type': streamContentType, 'connect-accept-encoding': 'gzip' },
      body: encodeEnvelope(toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId }))),
      signal: this.#stop.signal,
    })
    this.#answer = new RunAnswer({ response: this.#response, read: () => this.#readBytes() }, options)
    // `read` reports the failure.
    this.#response.catch(() => undefined)
    this.#appends = new AppendQueue({
      ...options,
      headers: { ...shared, 'content-type': 'application/proto' },
      renewHeaders: run.renewHeaders?.bind(run),
      requestId,
      signal: this.#stop.signal,
      answerMs: idleMs,
      onFailure: (failure) => this.#abort(failure),
    })
  }

  send(message: Uint8Array): void {
    if (!this.#over) this.#appends.push(message)
  }

  get taken(): number {
    return this.#appends.answered
  }

  get isOver(): boolean {
    return this.#over
  }

  get isFull(): boolean {
    return !this.#over && this.#appends.isFull
  }

  drained(): Promise<void> {
    return this.#appends.drained()
  }

  async read(): Promise<Uint8Array[] | null> {
    // The idle timeout applies only during a read: between reads the upstream is not to blame.
    this.#waiting = true
    if (!this.#over) this.#idle.refresh()
    try {
      const messages = await this.#answer.read()
      if (messages === null) this.#finish()
      return messages
    } catch (error) {
      this.#abort(GatewayError.from(error))
      throw error
    } finally {
      this.#waiting = false
    }
  }

  close(): void {
    this.#answer.finish()
    if (this.#over) return
    this.#over = true
    const letGo = () => {
      clearTimeout(timer)
      this.#stop.abort(new GatewayError('canceled', 'The run is over.'))
      this.#release()
    }
    const timer = setTimeout(letGo, drainMs)
    // Messages from before the close still go out.
    void this.#appends.settled.then(letGo)
  }

  cancel(): void {
    this.#abort(new GatewayError('canceled', 'The run was given up.'))
  }

  async #readBytes(): Promise<Buffer | null> {
    const { body } = await this.#response
    const bytes = await body.read()
    if (!this.#over) this.#idle.refresh()
    return bytes
  }

  /** The stream has ended by itself: its connection can be reused. */
  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#response.then(
      ({ body }) => body.drain(drainMs),
      () => undefined,
    )
    this.#release()
  }

  #abort(reason: GatewayError): void {
    if (this.#stop.signal.aborted) return
    this.#over = true
    this.#stop.abort(reason)
    this.#release()
  }

  #onIdle(idleMs: number): void {
    if (!this.#waiting) return
    const seconds = Math.round(idleMs / 1000)
    this.#abort(
      new GatewayError(
        'timeout',
        `${this.#options.backend}: nothing came from the upstream for ${seconds} s.`,
      ),
    )
  }
}
