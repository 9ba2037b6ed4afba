// Sends spans to a collector: queues them, sends batches, and retries. No turn waits for it. The queue is bounded: spans that do
// not fit or cannot be delivered are dropped and counted.

import { parseJson } from '../../base/json.ts'
import { Cancellation } from '../../base/signal.ts'
import { GatewayError } from '../../core/errors.ts'
import type { UpstreamClient, UpstreamResponse } from '../../upstream/client.ts'
import { retryAfter } from '../../upstream/retry-after.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type OtlpOptions, toOtlpRequest, toOtlpSpan } from './otlp.ts'
import type { Span } from './span.ts'

interface ExporterOptions {
  client: UpstreamClient
  /** Below the client's base URL. */
  path: string
  headers: Record<string, string>
  timeoutMs: number
  otlp: OtlpOptions
  metrics: Metrics
  log: Log
  pace?: Partial<ExporterPace> | undefined
}

export interface ExporterPace {
  /** How long spans are collected before a batch is sent. */
  gatherMs: number
  /** The delay before the first retry; it doubles each time. */
  baseDelayMs: number
  /** The time for unsent spans when the gateway stops. */
  flushMs: number
  maxQueued: number
}

const defaultPace: ExporterPace = { gatherMs: 5_000, baseDelayMs: 1_000, flushMs: 2_000, maxQueued: 2_048 }

const batchSize = 512
const batchBytes = 4 * 1024 * 1024
/** The limit where spans carry content. */
const mostQueuedBytes = 32 * 1024 * 1024
/** Retries after the first attempt. */
const mostRetries = 4
const longestWaitMs = 30_000
const maxAnswerBytes = 64 * 1024

/** Temporary failures, according to OTLP. */
const retryableStatuses = new Set([429, 502, 503, 504])

type Outcome = 'sent' | 'queue-full' | 'refused' | 'unreachable'

interface Delivery {
  outcome: 'sent' | 'refused' | 'unreachable'
  /** How many spans the collector rejected nevertheless. */
  rejected?: number
  why?: string
  /** The failure is temporary; `afterMs` is the collector's own delay. */
  again?: { afterMs: number | undefined }
}

export class SpanExporter {
  readonly #options: ExporterOptions
  readonly #pace: ExporterPace
  /** Serialized already: strings are small, and no object outlives its turn. */
  readonly #queue: string[] = []
  #queuedBytes = 0
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #hasFailed = false
  #isClosed = false
  /** Ends all waits: the gateway stops. */
  readonly #hurry = new AbortController()
  /** Cancels the current request. */
  #request: Cancellation | undefined
  #timeIsUp = false

  constructor(options: ExporterOptions) {
    this.#options = options
    this.#pace = { ...defaultPace, ...options.pace }
    for (const outcome of ['sent', 'queue-full', 'refused', 'unreachable'] as const) this.#count(outcome, 0)
  }

  add(span: Span): void {
    const isFull = this.#queue.length >= this.#pace.maxQueued || this.#queuedBytes >= mostQueuedBytes
    if (isFull || this.#isClosed) return this.#count('queue-full', 1)
    const text = toOtlpSpan(span, this.#options.otlp)
    this.#queue.push(text)
    this.#queuedBytes += text.length
    if (this.#queue.length >= batchSize || this.#queuedBytes >= batchBytes) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), this.#pace.gatherMs).unref()
  }

  /** Resolves when everything is sent, or after `flushMs`. */
  async close(): Promise<void> {
    const timer = setTimeout(() => {
      this.#timeIsUp = true
      this.#request?.abort()
    }, this.#pace.flushMs)
    this.#hurry.abort()
    await this.#sending
    if (this.#queue.length > 0) {
      this.#send()
      await this.#sending
    }
    this.#isClosed = true
    clearTimeout(timer)
    clearTimeout(this.#timer)
    await this.#options.client.close()
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
  }

  /** Sends full batches, and the rest too when the gateway stops. */
  async #sendAll(): Promise<void> {
    do await this.#deliver(this.#takeBatch())
    while (this.#queue.length >= (this.#hurry.signal.aborted ? 1 : batchSize))
    if (this.#queue.length > 0) this.#timer ??= setTimeout(() => this.#send(), this.#pace.gatherMs).unref()
  }

  #takeBatch(): string[] {
    let bytes = 0
    let count = 0
    while (count < Math.min(batchSize, this.#queue.length) && bytes < batchBytes)
      bytes += this.#queue[count++]?.length ?? 0
    this.#queuedBytes -= bytes
    return this.#queue.splice(0, count)
  }

  async #deliver(spans: readonly string[]): Promise<void> {
    if (spans.length === 0) return
    const body = toOtlpRequest(spans, this.#options.otlp)
    for (let tries = 0; ; tries++) {
      const { outcome, why, again, ...delivery } = await this.#post(body)
      const rejected = Math.min(delivery.rejected ?? 0, spans.length)
      if (again && tries < mostRetries && !this.#hurry.signal.aborted) {
        this.#tell(why)
        await this.#wait(tries, again.afterMs)
        continue
      }
      this.#count(outcome, spans.length - rejected)
      if (rejected > 0) this.#count('refused', rejected)
      this.#tell(why)
      return
    }
  }

  async #post(body: string): Promise<Delivery> {
    const { client, path, headers, timeoutMs } = this.#options
    if (this.#timeIsUp) return { outcome: 'unreachable', why: 'there was no time left for it' }
    const request = new Cancellation()
    const late = new GatewayError('timeout', `The collector took longer than ${timeoutMs} ms.`)
    const timer = setTimeout(() => request.abort(late), timeoutMs).unref()
    this.#request = request
    try {
      const response = await client.request({
        method: 'POST',
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: request,
      })
      return await readDelivery(response)
    } catch (error) {
      const { message } = GatewayError.from(error)
      return { outcome: 'unreachable', why: message, again: { afterMs: undefined } }
    } finally {
      clearTimeout(timer)
    }
  }

  #wait(tries: number, afterMs: number | undefined): Promise<void> {
    const waitMs = afterMs ?? this.#pace.baseDelayMs * 2 ** tries * (0.5 + Math.random())
    const { signal } = this.#hurry
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, Math.min(waitMs, longestWaitMs)).unref()
      signal.addEventListener('abort', done)
    })
  }

  /** Logs once when export starts to fail, and once when it recovers. */
  #tell(why: string | undefined): void {
    const { log, client } = this.#options
    const endpoint = client.origin
    if (why !== undefined && !this.#hasFailed) log.warn('traces cannot be sent', { endpoint, error: why })
    if (why === undefined && this.#hasFailed) log.info('traces are sent again', { endpoint })
    this.#hasFailed = why !== undefined
  }

  #count(outcome: Outcome, spans: number): void {
    this.#options.metrics.count('dragoman_telemetry_spans_total', { outcome }, spans)
  }
}

async function readDelivery({ status, headers, body }: UpstreamResponse): Promise<Delivery> {
  const { bytes } = await body.readAll(maxAnswerBytes)
  if (status >= 200 && status < 300) {
    const rejected = rejectedIn(parseJson(bytes.toString('utf8')))
    return rejected > 0
      ? { outcome: 'sent', rejected, why: `the collector did not take ${rejected} spans` }
      : { outcome: 'sent' }
  }
  const why = `the collector answered HTTP ${status}`
  if (!retryableStatuses.has(status)) return { outcome: 'refused', why }
  return { outcome: 'refused', why, again: { afterMs: retryAfter(headers) } }
}

function rejectedIn(answer: unknown): number {
  const { partialSuccess } = (answer ?? {}) as { partialSuccess?: { rejectedSpans?: unknown } }
  const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
  return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0
}
