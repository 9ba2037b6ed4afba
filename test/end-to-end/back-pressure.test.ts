// Back-pressure: while a client does not read an answer of 50 MB, less than 1 MB of it is in memory. Measured as the memory of
// the whole process, simulators included, with several such clients at once.

import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type QwenWebSim, startQwenWebSim } from '../../sim/qwen-web.ts'
import { isNightly, spread } from '../depth.ts'
import { ask, type Bench, type Body, startBench, upstreamKey, useBench } from '../harness.ts'
import { chatLines, connect, expectNothingStray, until } from './wire.ts'

expectNothingStray()

const streams = 5
const flood = { flood: { deltas: 250_000, text: 'x'.repeat(200) } }
const megabyte = 1024 * 1024
let bench: Bench
let qwen: QwenWebSim

/** All that servers of this process, the simulators and the gateway, have sent. */
const served = new Set<Socket>()
const onSocket = (message: unknown) => {
  const { socket } = message as { socket: Socket }
  served.add(socket)
  socket.once('close', () => served.delete(socket))
}

beforeAll(async () => {
  diagnostics.subscribe('net.server.socket', onSocket)
  qwen = await startQwenWebSim({ apiKey: upstreamKey })
  const sims = await startBench()
  const cursor = { kind: 'cursor', baseUrl: sims.cursor.url, apiKey: 'crsr_test' }
  bench = await startBench({
    settings: {
      backends: {
        anthropic: { kind: 'anthropic', baseUrl: sims.anthropic.url, apiKey: upstreamKey },
        openai: { kind: 'openai', baseUrl: `${sims.openai.url}/v1`, apiKey: upstreamKey },
        http2: { ...cursor, transport: 'http2' },
        sse: { ...cursor, transport: 'sse' },
        text: { kind: 'openai', baseUrl: `${sims.text.url}/v1`, apiKey: upstreamKey, tools: 'text' },
        qwen: { kind: 'qwen-web', baseUrl: qwen.url, token: upstreamKey },
      },
    },
  })
  const { close } = bench
  Object.assign(bench, {
    ...{ anthropic: sims.anthropic, openai: sims.openai, cursor: sims.cursor, text: sims.text },
    close: async () => void (await Promise.all([close(), sims.close()])),
  })
})
afterAll(async () => {
  diagnostics.unsubscribe('net.server.socket', onSocket)
  await bench.close()
  await qwen.close()
})

function held(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 2; round++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Nothing moves any more. */
async function settled(): Promise<void> {
  const sent = () => [...served].reduce((sum, socket) => sum + socket.bytesWritten, 0)
  let before = -1
  for (let same = 0; same < 8; same = sent() === before ? same + 1 : 0) {
    before = sent()
    await sleep(25)
  }
}

const post = (path: string, body: Body) =>
  new Request(`http://gateway${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const doors = {
  chat: (model: string) => post('/v1/chat/completions', ask(model, { stream: true })),
  messages: (model: string) =>
    post('/v1/messages', {
      model,
      max_tokens: 99,
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  responses: (model: string) => post('/v1/responses', { model, stream: true, input: 'hi' }),
}

describe('in the same process, without kernel buffers', () => {
  const combinations = [
    ['openai/gpt-demo', 'chat'],
    ['anthropic/claude-demo', 'messages'],
    ['http2/composer-2', 'responses'],
    ['sse/composer-2', 'chat'],
    ['text/any', 'messages'],
    ['qwen/qwen3-max', 'responses'],
  ] as const

  it.each(spread(combinations, 1))('%s by %s', async (model, door) => {
    const kind = model.split('/')[0] ?? ''
    const play = (times: number) => {
      const turns = Array.from({ length: times }, () => [flood])
      if (kind === 'qwen') qwen.play(...turns)
      else if (kind === 'http2' || kind === 'sse')
        bench.cursor.play(...turns.map((turn) => [...turn, { end: true } as const]))
      else bench[kind as 'openai' | 'anthropic' | 'text'].play(...turns)
    }
    const open = async () => {
      const answer = await bench.gateway.fetch(doors[door](model))
      expect(answer.status).toBe(200)
      return answer
    }
    play(streams + 1)
    // A warm-up: code that the first use loads and compiles is not a buffer.
    const first = await open()
    await settled()
    const before = held()
    const answers = await Promise.all(Array.from({ length: streams }, open))
    await settled()
    expect((held() - before) / streams).toBeLessThan(megabyte)
    await Promise.all([first, ...answers].map((answer) => answer.body?.cancel()))
  })
})

// Several megabytes go into kernel buffers here: what has gone out must not be remembered without end.
it.runIf(isNightly).each(['anthropic', 'text'] as const)('by sockets: %s', async (kind) => {
  bench[kind].play(...Array.from({ length: streams + 1 }, () => [flood]))
  const body = JSON.stringify(ask(`${kind}/claude-demo`, { stream: true }))
  const open = () => {
    const socket = connect(bench.url).pause()
    socket.on('error', () => undefined)
    socket.write(['POST /v1/chat/completions HTTP/1.1', ...chatLines(bench.url, body), '', body].join('\r\n'))
    return socket
  }
  const sockets = [open()]
  await settled()
  const before = held()
  sockets.push(...Array.from({ length: streams }, open))
  await settled()
  expect((held() - before) / streams).toBeLessThan(megabyte)
  for (const socket of sockets) socket.destroy()
})

describe('keep-alives', () => {
  const quiet = useBench()

  it('are not piled up before a client that does not read', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      quiet.openai.play([flood])
      const answer = await quiet.gateway.fetch(doors.chat('openai/gpt-demo'))
      const silence = () => vi.advanceTimersByTime(15_000)
      await settled()
      for (let times = 0; times < 1_000; times++) silence()
      const reader = answer.body?.getReader()
      let text = ''
      for (let reads = 0; reads < 20; reads++)
        text += Buffer.from((await reader?.read())?.value ?? []).toString()
      expect(text).not.toContain('keepalive')
      await reader?.cancel()
    } finally {
      vi.useRealTimers()
    }
  })

  it('still go to one that has read everything', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      quiet.openai.play([{ say: 'a' }, { fault: 'hang' }])
      const answer = await quiet.gateway.fetch(doors.chat('openai/gpt-demo'))
      const reader = answer.body!.getReader()
      let text = ''
      void (async () => {
        for (let read = await reader.read(); !read.done; read = await reader.read())
          text += Buffer.from(read.value).toString()
      })().catch(() => undefined)
      await until(() => text.includes('"a"'))
      for (let tick = 0; tick < 3; tick++) vi.advanceTimersByTime(5_000)
      await until(() => text.includes('keepalive'))
      await reader.cancel()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('one call without an end', () => {
  const big = useBench()
  const piece = 'x'.repeat(100_000)
  const chunkOf = (call: Body) => ({
    raw: `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] })}\n\n`,
  })
  const event = (fields: Body) => ({ raw: `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n` })
  const starts = {
    openai: [chunkOf({ id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"' } })],
    anthropic: [
      event({
        type: 'message_start',
        message: { id: 'm', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
      }),
      event({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'c', name: 'read', input: {} },
      }),
    ],
  }
  const mores = {
    openai: chunkOf({ function: { arguments: piece } }),
    anthropic: event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: piece },
    }),
  }

  it.each(spread(['openai', 'anthropic'] as const, 1))('%s: it is given up at 8 MiB', async (kind) => {
    big[kind].play([...starts[kind], ...Array.from({ length: 100 }, () => mores[kind])])
    const answer = await big.gateway.fetch(
      doors.chat(`${kind}/${kind === 'anthropic' ? 'claude-demo' : 'gpt-demo'}`),
    )
    expect(await answer.text()).toMatch(/more than 8 MiB/)
  })
})
