// Cancellation: the upstream sees within 250 ms that the client disconnected, in every state of the turn.

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { ask, post, startBench, useBench } from '../harness.ts'
import { startStopwatch } from '../stopwatch.ts'
import { chunk, messageStart } from '../wire-cases/frames.ts'
import { chatLines, connect, expectNothingStray, until } from './wire.ts'

const longestMs = 250
const models = { anthropic: 'anthropic/claude-demo', openai: 'openai/gpt-demo' }
type Backend = keyof typeof models
expectNothingStray()
const bench = useBench()

interface Window {
  name: string
  stream: boolean
  steps(backend: Backend): Step[]
  /** What the client has seen when it leaves. */
  seen?: string
}

const nothing = (backend: Backend): Step =>
  backend === 'anthropic' ? messageStart : chunk({ role: 'assistant', content: '' })

const windows: Window[] = [
  { name: 'before upstream headers', stream: true, steps: () => [{ fault: 'hang' }] },
  { name: 'before the first token', stream: true, steps: (backend) => [nothing(backend), { fault: 'hang' }] },
  {
    name: 'mid-stream, silent',
    stream: true,
    steps: () => [{ say: 'token', pieces: 1 }, { fault: 'hang' }],
    seen: 'token',
  },
  {
    name: 'mid-stream, flowing',
    stream: true,
    steps: () => [{ forever: { everyMs: 5, text: 'token' } }],
    seen: 'token',
  },
  {
    name: 'mid-stream, at full speed',
    stream: true,
    steps: () => [{ flood: { deltas: 2_000_000, text: 'token' } }],
    seen: 'token',
  },
  { name: 'not streamed', stream: false, steps: () => [{ fault: 'hang' }] },
]

interface Client {
  /** Everything received so far. */
  text(): string
  leave(): void
}

const ways: Record<string, (body: string) => Client> = {
  'fetch is aborted': (body) => {
    const controller = new AbortController()
    let text = ''
    const headers = { 'content-type': 'application/json' }
    fetch(`${bench.url}/v1/chat/completions`, { method: 'POST', headers, body, signal: controller.signal })
      .then(async (answer) => {
        for await (const piece of answer.body ?? []) text += Buffer.from(piece).toString()
      })
      .catch(() => undefined)
    return { text: () => text, leave: () => controller.abort() }
  },
  'the socket is destroyed': (body) => socketClient(body, (socket) => socket.destroy()),
  'the socket is reset': (body) => socketClient(body, (socket) => socket.resetAndDestroy()),
}

function socketClient(body: string, leave: (socket: Socket) => void): Client {
  let text = ''
  const socket = connect(bench.url)
  socket.on('error', () => undefined)
  socket.on('data', (piece) => (text += piece))
  socket.write(['POST /v1/chat/completions HTTP/1.1', ...chatLines(bench.url, body), '', body].join('\r\n'))
  return { text: () => text, leave: () => leave(socket) }
}

describe.each(['anthropic', 'openai'] as const)('%s', (backend) => {
  const upstream = () => bench[backend]
  const body = (stream: boolean) => JSON.stringify(ask(models[backend], { stream }))

  async function expectWorking(): Promise<void> {
    upstream().clear()
    expect((await post(bench.url, ask(models[backend]))).status).toBe(200)
  }

  describe.each(windows)('$name', ({ stream, steps, seen }) => {
    it.each(Object.keys(ways))('%s', async (way) => {
      upstream().play(steps(backend))
      const client = ways[way]!(body(stream))
      await until(() => upstream().requests.length === 1)
      if (seen === undefined) await sleep(20)
      else await until(() => client.text().includes(seen))
      const elapsed = startStopwatch()
      client.leave()
      await upstream().requests[0]?.waitForAbort()
      expect(elapsed()).toBeLessThanOrEqual(longestMs)
      await until(() => bench.logs.some((line) => line.includes('"outcome":"canceled"')))
      expect(upstream().requests).toHaveLength(1)
      await expectWorking()
    })
  })

  describe('in the same process', () => {
    const call = (stream: boolean, signal?: AbortSignal) =>
      bench.gateway.fetch(
        new Request('http://gateway/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: body(stream),
          ...(signal ? { signal } : {}),
        }),
      )

    it.each(windows.filter((window) => window.seen === undefined))(
      '$name: the signal ends the upstream, and the call is rejected',
      async ({ stream, steps }) => {
        upstream().play(steps(backend))
        const controller = new AbortController()
        const outcome = call(stream, controller.signal).then(
          () => 'answered',
          (error) => error.name,
        )
        await until(() => upstream().requests.length === 1)
        await sleep(20)
        const elapsed = startStopwatch()
        controller.abort()
        await upstream().requests[0]?.waitForAbort()
        expect(elapsed()).toBeLessThanOrEqual(longestMs)
        expect(await Promise.race([outcome, sleep(30_000, 'hangs')])).toBe('AbortError')
        await expectWorking()
      },
    )

    it('a signal that had aborted before: rejected, and nothing goes upstream', async () => {
      const outcome = call(true, AbortSignal.abort()).then(
        () => 'answered',
        (error) => error.name,
      )
      expect(await Promise.race([outcome, sleep(30_000, 'hangs')])).toBe('AbortError')
      expect(upstream().requests).toHaveLength(0)
    })

    it('mid-stream: the signal ends the upstream request, and the reader throws', async () => {
      upstream().play([{ say: 'token' }, { fault: 'hang' }])
      const controller = new AbortController()
      const reader = (await call(true, controller.signal)).body!.getReader()
      await reader.read()
      const elapsed = startStopwatch()
      controller.abort()
      await upstream().requests[0]?.waitForAbort()
      expect(elapsed()).toBeLessThanOrEqual(longestMs)
      const rest = readToEnd(reader).then(
        () => 'ended',
        (error) => error.name,
      )
      expect(await Promise.race([rest, sleep(30_000, 'hangs')])).toBe('AbortError')
      await expectWorking()
    })

    it.each([
      ['mid-stream', [{ say: 'token' }, { fault: 'hang' }] satisfies Step[]],
      ['at full speed', [{ flood: { deltas: 2_000_000, text: 'token' } }] satisfies Step[]],
    ])('%s: cancelling the stream ends the upstream', async (_name, steps) => {
      upstream().play(steps)
      const reader = (await call(true)).body!.getReader()
      await reader.read()
      const elapsed = startStopwatch()
      await reader.cancel()
      await upstream().requests[0]?.waitForAbort()
      expect(elapsed()).toBeLessThanOrEqual(longestMs)
      await until(() => bench.logs.some((line) => line.includes('"outcome":"canceled"')))
      await expectWorking()
    })
  })
})

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

it('a client that leaves while a retry is waited for causes no retry', async () => {
  const patient = await startBench({
    gateway: {
      retryPolicy: { retries: 2, baseDelayMs: 1, longestWaitMs: 1_000, longestWaitBesideOthersMs: 0 },
    },
  })
  patient.openai.play([
    { status: 429, headers: { 'retry-after-ms': '300' }, body: { error: { message: 'slow' } } },
  ])
  const controller = new AbortController()
  const call = fetch(`${patient.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ask(models.openai)),
    signal: controller.signal,
  }).catch(() => undefined)
  await until(() => patient.openai.requests[0]?.status === 429)
  controller.abort()
  await call
  await until(() => patient.logs.some((line) => line.includes('"outcome":"canceled"')))
  await sleep(400)
  expect(patient.openai.requests).toHaveLength(1)
  await patient.close()
})

it('nothing of all this is still being answered', async () => {
  await until(() => bench.logs.length >= 0)
  const metrics = await (await fetch(`${bench.url}/metrics`)).text()
  expect(metrics).toContain('\ndragoman_active_requests 1\n')
})

it('a pipelined request that still waits is cancelled with its connection, and never begins', async () => {
  bench.openai.play([{ say: 'token' }, { fault: 'hang' }])
  const body = JSON.stringify(ask(models.openai, { stream: true }))
  const request = ['POST /v1/chat/completions HTTP/1.1', ...chatLines(bench.url, body), '', body].join('\r\n')
  const socket = connect(bench.url)
  const before = bench.openai.requests.length
  socket.write(request.repeat(2))
  await until(() => bench.openai.requests.length > before)
  socket.destroy()
  await bench.openai.requests[before]?.waitForAbort()
  await sleep(50)
  expect(bench.openai.requests).toHaveLength(before + 1)
})
