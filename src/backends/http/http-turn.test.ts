import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { ChatReader } from '../../protocols/openai-chat/read.ts'
import { ByteSource } from '../../upstream/byte-source.ts'
import type { UpstreamRequest, UpstreamResponse } from '../../upstream/client.ts'
import type { Dispatcher } from '../../upstream/undici.ts'
import { type HttpTurn, httpTurn } from './http-turn.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  const clocks = vi.getTimerCount()
  vi.useRealTimers()
  // Whatever became of the turn, no clock of it goes on.
  expect(clocks).toBe(0)
})

/** An upstream whose every step the test makes. */
class Upstream {
  requests = 0
  canceled: Error[] = []
  body!: ByteSource
  #cancel: (reason: Error) => void = () => undefined
  #answer!: { resolve(response: UpstreamResponse): void; reject(error: Error): void }

  readonly client: HttpTurn['client'] = {
    origin: 'http://box',
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

function start(more: Partial<HttpTurn> = {}) {
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

/** Let what was promised come about. */
const settle = async () => {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}
const over = { done: true, value: undefined }

async function streaming() {
  const { upstream, batches } = start()
  const first = batches.next()
  upstream.answer()
  await settle()
  upstream.send({ content: 'a' })
  expect((await first).done).toBe(false)
  return { upstream, batches }
}

describe('a process that was held up', () => {
  /** The next timers fire this much later than they were due. */
  const holdUp = (ms: number) => {
    const now = performance.now.bind(performance)
    return vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  }

  it('reads what came meanwhile before it blames the upstream', async () => {
    const { upstream, batches } = await streaming()
    const second = batches.next()
    holdUp(800)
    vi.advanceTimersByTime(1_000)
    expect(upstream.canceled).toEqual([])
    upstream.send({ content: 'b' })
    expect((await second).done).toBe(false)
    upstream.finish()
    for (let next = await batches.next(); !next.done; next = await batches.next());
  })

  it('does not wait for ever', async () => {
    const { upstream, batches } = await streaming()
    const failure = expect(batches.next()).rejects.toMatchObject({ code: 'timeout' })
    holdUp(800)
    vi.advanceTimersByTime(1_000)
    vi.advanceTimersByTime(800)
    expect(upstream.canceled).toHaveLength(1)
    await failure
  })
})

describe('a turn that is given up', () => {
  it('before it was begun: nothing is asked', async () => {
    const { upstream, batches } = start()
    expect(await batches.return?.()).toEqual(over)
    expect(await batches.next()).toEqual(over)
    expect(upstream.requests).toBe(0)
  })

  it('while the upstream is asked: it is told, and whoever waits has nothing more to wait for', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    expect(await batches.return?.()).toEqual(over)
    expect(await pending).toEqual(over)
    expect(upstream.canceled).toMatchObject([{ message: 'turn given up' }])
    expect(await batches.next()).toEqual(over)
    expect(upstream.requests).toBe(1)
  })

  it('just when the answer has come: it is not read', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    upstream.answer()
    await batches.return?.()
    upstream.send({ content: 'a' })
    expect(await pending).toEqual(over)
    expect(upstream.canceled).toHaveLength(1)
  })

  it.each([
    [500, 'application/json'],
    [200, 'application/json'],
  ])('while the whole of an answer is read (%i, %s)', async (status, type) => {
    const { upstream, batches } = start()
    const pending = batches.next()
    upstream.answer(status, type)
    await settle()
    await batches.return?.()
    expect(await pending).toEqual(over)
    expect(upstream.canceled).toHaveLength(1)
  })

  it('while a batch is waited for', async () => {
    const { upstream, batches } = await streaming()
    const pending = batches.next()
    await batches.return?.()
    expect(await pending).toEqual(over)
    expect(upstream.canceled).toMatchObject([{ message: 'turn given up' }])
    expect(await batches.next()).toEqual(over)
  })

  it('between two batches, and more than once', async () => {
    const { upstream, batches } = await streaming()
    for (let n = 0; n < 2; n++) expect(await batches.return?.()).toEqual(over)
    expect(await batches.next()).toEqual(over)
    expect(upstream.canceled).toHaveLength(1)
  })

  it('when it has ended: the connection is left for others', async () => {
    const { upstream, batches } = await streaming()
    upstream.finish()
    expect((await batches.next()).value?.at(-1)).toMatchObject({ type: 'turn-end' })
    expect(await batches.return?.()).toEqual(over)
    expect(await batches.next()).toEqual(over)
    expect(upstream.canceled).toEqual([])
  })
})

describe('a turn that fails', () => {
  it('fails once, and is over then', async () => {
    const { upstream, batches } = await streaming()
    upstream.body.onError(new GatewayError('upstream-unavailable', 'broken'))
    await expect(batches.next()).rejects.toThrow('broken')
    expect(await batches.next()).toEqual(over)
  })

  it('while the upstream is asked', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    upstream.answer(503, 'text/plain')
    await settle()
    upstream.body.onEnd()
    await expect(pending).rejects.toThrow('status 503')
    expect(await batches.next()).toEqual(over)
  })

  it('because of who sees its batches', async () => {
    const broken = () => {
      throw new Error('seen wrong')
    }
    const { upstream, batches } = start({ onEvents: broken })
    const pending = batches.next()
    upstream.answer()
    await settle()
    upstream.send({ content: 'a' })
    await expect(pending).rejects.toThrow('seen wrong')
    expect(upstream.canceled).toHaveLength(1)
  })

  it('where two ask at once: loudly, and no second request is made', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    await expect(batches.next()).rejects.toThrow('one batch at a time')
    upstream.answer()
    await settle()
    upstream.finish()
    expect((await pending).done).toBe(false)
    await batches.next()
    expect(upstream.requests).toBe(1)
  })
})

describe('the clock of progress', () => {
  it('lets the upstream take its time to begin, and no more', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    vi.advanceTimersByTime(4_999)
    expect(upstream.canceled).toEqual([])
    vi.advanceTimersByTime(1)
    await expect(pending).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('5 s') })
    expect(upstream.canceled).toHaveLength(1)
  })

  it('becomes shorter with the first piece, counted from there', async () => {
    const { upstream, batches } = await streaming()
    const pending = batches.next()
    vi.advanceTimersByTime(999)
    expect(upstream.canceled).toEqual([])
    vi.advanceTimersByTime(1)
    await expect(pending).rejects.toMatchObject({ message: expect.stringContaining('for 1 s') })
  })

  it('starts anew with each piece', async () => {
    const { upstream, batches } = await streaming()
    for (let n = 0; n < 5; n++) {
      const pending = batches.next()
      vi.advanceTimersByTime(900)
      upstream.send({ content: 'b' })
      expect((await pending).done).toBe(false)
    }
    const pending = batches.next()
    vi.advanceTimersByTime(1_000)
    await expect(pending).rejects.toMatchObject({ code: 'timeout' })
  })

  it('is not moved by what is no progress', async () => {
    const { upstream, batches } = await streaming()
    const pending = batches.next()
    for (let n = 0; n < 9; n++) {
      vi.advanceTimersByTime(100)
      upstream.body.onData(Buffer.from(': ping\n\n'))
    }
    vi.advanceTimersByTime(100)
    await expect(pending).rejects.toMatchObject({ code: 'timeout' })
  })

  it.each([999, 1_000, 1_001, 60_000])(
    'stands still while the client takes %i ms for a batch',
    async (ms) => {
      const { upstream, batches } = await streaming()
      vi.advanceTimersByTime(ms)
      const pending = batches.next()
      vi.advanceTimersByTime(999)
      expect(upstream.canceled).toEqual([])
      upstream.send({ content: 'b' })
      expect((await pending).done).toBe(false)
      const last = batches.next()
      vi.advanceTimersByTime(1_000)
      await expect(last).rejects.toMatchObject({ code: 'timeout' })
    },
  )

  it('becomes longer where the model may be silent', async () => {
    let mayBeSilent = false
    class Thinker extends ChatReader {
      override get mayBeSilent(): boolean {
        return mayBeSilent
      }
    }
    const reader = new Thinker({
      ...{ turnId: 't', model: 'm', backend: 'box', wholeArguments: true },
      note: () => undefined,
    })
    const { upstream, batches } = start({ reader })
    const first = batches.next()
    upstream.answer()
    await settle()
    upstream.send({ content: 'a' })
    await first
    mayBeSilent = true
    const second = batches.next()
    vi.advanceTimersByTime(500)
    upstream.send({ content: 'b' })
    await second
    const third = batches.next()
    vi.advanceTimersByTime(4_999)
    expect(upstream.canceled).toEqual([])
    vi.advanceTimersByTime(1)
    await expect(third).rejects.toMatchObject({ message: expect.stringContaining('for 5 s') })
  })
})
