import { afterEach, beforeEach, expect, vi } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { ChatReader } from '../../protocols/openai-chat/read.ts'
import { ByteSource } from '../../upstream/byte-source.ts'
import type { UpstreamRequest, UpstreamResponse } from '../../upstream/client.ts'
import type { Dispatcher } from '../../upstream/undici.ts'
import { type HttpTurn, httpTurn } from './http-turn.ts'

/** Fake timers for every test of a file. Fails a test that leaves a timer running. */
export function useFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    const clocks = vi.getTimerCount()
    vi.useRealTimers()
    expect(clocks).toBe(0)
  })
}

/** An upstream that the test controls step by step. */
class Upstream {
  requests = 0
  canceled: Error[] = []
  body!: ByteSource
  #cancel: (reason: Error) => void = () => undefined
  #answer!: { resolve(response: UpstreamResponse): void; reject(error: Error): void }

  readonly client: HttpTurn['client'] = {
    origin: 'http://box',
    base: 'http://box',
    close: () => Promise.resolve(),
    request: ({ onCancelable }: UpstreamRequest) => {
      this.requests++
      return new Promise((resolve, reject) => {
        this.#answer = { resolve, reject }
        this.#cancel = (reason) => {
          this.canceled.push(reason)
          reject(reason)
          this.body?.onError(reason)
        }
        onCancelable?.((reason) => this.#cancel(reason))
      })
    },
  }

  answer(status = 200, type = 'text/event-stream'): void {
    const abort = (reason?: Error) => this.#cancel(reason ?? new Error('aborted'))
    const controller = { paused: false, pause: () => undefined, resume: () => undefined, abort }
    this.body = new ByteSource(controller as unknown as Dispatcher.DispatchController)
    this.#answer.resolve({ status, headers: { 'content-type': type }, body: this.body })
  }

  send(delta: object, reason: string | null = null): void {
    const chunk = { choices: [{ index: 0, delta, finish_reason: reason }] }
    this.body.onData(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`))
  }

  finish(): void {
    this.send({}, 'stop')
    this.body.onData(Buffer.from('data: [DONE]\n\n'))
    this.body.onEnd()
  }
}

export function start(more: Partial<HttpTurn> = {}) {
  const upstream = new Upstream()
  const readerOptions = {
    turnId: 't',
    model: 'm',
    backend: 'box',
    wholeArguments: true,
    note: () => undefined,
  }
  const batches = httpTurn({
    client: upstream.client,
    path: '/',
    headers: {},
    body: '{}',
    stream: true,
    reader: new ChatReader(readerOptions),
    signal: new AbortController().signal,
    progressMs: 1_000,
    firstByteMs: 5_000,
    backend: 'box',
    toError: ({ status }) => new GatewayError('upstream-unavailable', `status ${status}`),
    ...more,
  })
  return { upstream, batches }
}

/** Lets pending promises settle. */
export const settle = async () => {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}
export const over = { done: true, value: undefined }

export async function streaming() {
  const { upstream, batches } = start()
  const first = batches.next()
  upstream.answer()
  await settle()
  upstream.send({ content: 'a' })
  expect((await first).done).toBe(false)
  return { upstream, batches }
}
