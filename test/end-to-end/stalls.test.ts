// Stalled upstreams, and clients that read slowly.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { spread } from '../depth.ts'
import { ask, type Bench, chatStream, post, startBench } from '../harness.ts'
import {
  anthropicFrame,
  blockDelta,
  blockStart,
  blockStop,
  callDelta,
  chunk,
  done,
  json,
  messageEnd,
  messageStart,
  toolUse,
} from '../wire-cases/frames.ts'
import { chatLines, connect, type RawUpstream, startUpstream, until, watchProcess } from './wire.ts'

const models = { anthropic: 'anthropic/claude-demo', openai: 'openai/gpt-demo' }
type Backend = keyof typeof models
// Waits that must pass are a fifth of it at most: a loaded machine makes each of them longer.
const progressMs = 500
const watch = watchProcess()

afterAll(() => {
  watch.stop()
  expect(watch.stray).toEqual([])
})

describe.each(spread(['anthropic', 'openai'] as const, 1))(
  '%s: an upstream that stalls',
  (backend: Backend) => {
    let bench: Bench
    beforeAll(async () => {
      const sims = await startBench()
      bench = await startBench({
        settings: {
          sessions: { progressMs },
          backends: {
            anthropic: {
              kind: 'anthropic',
              baseUrl: sims.anthropic.url,
              apiKey: 'sk-upstream-canary-2718281828',
              firstByteMs: 800,
            },
            patient: {
              kind: 'anthropic',
              baseUrl: sims.anthropic.url,
              apiKey: 'sk-upstream-canary-2718281828',
              firstByteMs: 30_000,
            },
            openai: {
              kind: 'openai',
              baseUrl: `${sims.openai.url}/v1`,
              apiKey: 'sk-upstream-canary-2718281828',
              firstByteMs: 800,
            },
          },
        },
      })
      const close = bench.close
      bench = {
        ...bench,
        anthropic: sims.anthropic,
        openai: sims.openai,
        close: async () => void (await Promise.all([close(), sims.close()])),
      }
    })
    afterAll(() => bench.close())

    const start = backend === 'anthropic' ? messageStart : chunk({ role: 'assistant', content: '' })
    const repeat = (times: number, ...steps: Step[]) => Array.from({ length: times }, () => steps).flat()

    it.each([
      ['before its headers', [{ fault: 'hang' }]],
      ['before the first token', [start, { fault: 'hang' }]],
    ] satisfies [string, Step[]][])('%s: 504, and the upstream request is given up', async (_name, steps) => {
      for (const stream of [true, false]) {
        bench[backend].clear()
        bench[backend].play(steps)
        const answer = await post(bench.url, ask(models[backend], { stream }))
        if (!stream && steps.length > 1) continue // such steps are one whole body there
        expect(answer.status).toBe(504)
        expect(await answer.json()).toMatchObject({
          error: { code: 'timeout', message: expect.stringMatching(/no progress/) },
        })
        await bench[backend].requests[0]?.waitForAbort()
      }
    })

    it('mid-stream: an error in the stream', async () => {
      bench[backend].clear()
      bench[backend].play([{ say: 'some words' }, { fault: 'hang' }])
      const answer = await chatStream(bench.url, ask(models[backend]))
      expect(answer.text).toBe('some words')
      expect(answer.error).toMatchObject({ code: 'timeout' })
      expect(answer.problems).toEqual([])
      await bench[backend].requests[0]?.waitForAbort()
    })

    it('comments and pings are not progress', async () => {
      const ping =
        backend === 'anthropic' ? anthropicFrame({ type: 'ping' }) : { raw: ': OPENROUTER PROCESSING\n\n' }
      for (const before of [[], [start], [{ say: 'x' }]] satisfies Step[][]) {
        bench[backend].play([...before, ...repeat(40, ping, { wait: 50 })])
        const answer = await chatStream(bench.url, ask(models[backend]))
        expect(answer.error).toMatchObject({ code: 'timeout' })
      }
    })

    it.runIf(backend === 'anthropic')('thinking that is not shown may take longer than that', async () => {
      const ping = anthropicFrame({ type: 'ping' })
      bench[backend].play([
        messageStart,
        blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
        ...repeat(14, ping, { wait: 50 }),
        blockDelta(0, { type: 'signature_delta', signature: 'c2ln' }),
        blockStop(0),
        blockStart(1, { type: 'text', text: 'So.' }),
        blockStop(1),
        ...messageEnd('end_turn'),
      ])
      const answer = await chatStream(bench.url, ask('patient/claude-demo'))
      expect([answer.error, answer.text]).toEqual([undefined, 'So.'])
    })

    it('a long tool call that is held back until it is whole is progress', async () => {
      const pieces = Array.from({ length: 12 }, (_, at) => `"k${at}":"v",`)
      const input = `{${pieces.join('')}"path":"x"}`
      const slowly = (piece: (text: string) => Step) => pieces.flatMap((text) => [piece(text), { wait: 60 }])
      const steps: Step[] =
        backend === 'anthropic'
          ? [
              messageStart,
              toolUse(0, 'toolu_1', 'read'),
              json(0, '{'),
              ...slowly((text) => json(0, text)),
              json(0, '"path":"x"}'),
              anthropicFrame({ type: 'content_block_stop', index: 0 }),
              ...messageEnd('tool_use'),
            ]
          : [
              start,
              callDelta({
                index: 0,
                id: 'call_1',
                type: 'function',
                function: { name: 'read', arguments: '{' },
              }),
              ...slowly((text) => callDelta({ index: 0, function: { arguments: text } })),
              callDelta({ index: 0, function: { arguments: '"path":"x"}' } }),
              chunk({}, 'tool_calls'),
              done,
            ]
      bench[backend].play(steps)
      const answer = await chatStream(bench.url, ask(models[backend]))
      expect(answer.error).toBeUndefined()
      expect(answer.calls[0]?.arguments).toBe(input)
    })

    it('a slow answer is not a stall: each piece restarts the timeout', async () => {
      bench[backend].play(repeat(10, { say: 'x' }, { wait: 80 }))
      const answer = await chatStream(bench.url, ask(models[backend]))
      expect(answer.error).toBeUndefined()
      expect(answer.text).toBe('x'.repeat(10))
    })

    it("a client that pauses is not the upstream's stall", async () => {
      bench[backend].play([{ flood: { deltas: 40_000, text: 'x'.repeat(200) } }])
      const answer = await post(bench.url, ask(models[backend], { stream: true }))
      const reader = answer.body!.getReader()
      await reader.read()
      await sleep(progressMs * 3)
      let tail = ''
      for (let read = await reader.read(); !read.done; read = await reader.read())
        tail = (tail + Buffer.from(read.value).toString()).slice(-2_000)
      expect(/"error":.*/.exec(tail)?.[0]).toBeUndefined()
      expect(/"finish_reason":"stop"/.exec(tail)?.[0]).toBeDefined()
    })
  },
)

describe('a client that does not read', () => {
  const piece =
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(1_000) } }] })}\n\n`.repeat(
      16,
    )
  const floodBytes = 200 * 1024 * 1024
  let upstream: RawUpstream
  let bench: Bench
  let written = 0
  let gone = false

  beforeAll(async () => {
    upstream = await startUpstream((_request, response) => {
      response.on('close', () => (gone = true))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const pour = () => {
        while (written < floodBytes && !gone) {
          written += piece.length
          if (!response.write(piece)) return void response.once('drain', pour)
        }
        response.end('data: [DONE]\n\n')
      }
      pour()
    })
    bench = await startBench({
      settings: { backends: { openai: { kind: 'openai', baseUrl: upstream.url } } },
    })
  })
  afterAll(async () => {
    await bench.close()
    await upstream.close()
  })

  /** Waits until the gateway reads nothing more from the upstream. */
  async function settled(): Promise<number> {
    let before = -1
    for (let same = 0; same < 10; same = written === before ? same + 1 : 0) {
      before = written
      await sleep(20)
    }
    return written
  }

  it('holds the upstream back: the buffered bytes stay bounded', async () => {
    const body = JSON.stringify(ask(models.openai, { stream: true }))
    const socket = connect(bench.url)
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(['POST /v1/chat/completions HTTP/1.1', ...chatLines(bench.url, body), '', body].join('\r\n'))
    await until(() => written > 0)
    // Most of it lies in the kernel's socket buffers, of which there are four on the way.
    expect(await settled()).toBeLessThan(40 * 1024 * 1024)
    expect(gone).toBe(false)
    socket.destroy()
    await until(() => gone)
  })

  it('in the same process too, without socket buffers on that side', async () => {
    written = 0
    gone = false
    const answer = await bench.gateway.fetch(
      new Request('http://gateway/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(ask(models.openai, { stream: true })),
      }),
    )
    expect(await settled()).toBeLessThan(20 * 1024 * 1024)
    await answer.body?.cancel()
    await until(() => gone)
  })
})

it('a very long time limit is long, and not none at all', async () => {
  const bench = await startBench({ settings: { sessions: { progressMs: 2 ** 31 } } }).catch(() => undefined)
  if (!bench) return // refused by the configuration: as good
  bench.openai.play([{ say: 'a' }, { wait: 50 }, { say: 'b' }])
  const answer = await chatStream(bench.url, ask(models.openai))
  await bench.close()
  expect(answer.error).toBeUndefined()
})
