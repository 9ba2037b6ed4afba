// Shutdown: running turns may finish, new ones are refused, and turns that do not finish in time end with an error.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, type Bench, chatStream, post, startBench } from '../harness.ts'
import { chatLines, connect, hostLine, until, watchProcess, within } from './wire.ts'

const model = 'openai/gpt-demo'
let bench: Bench
let watch: ReturnType<typeof watchProcess>

beforeEach(async () => {
  watch = watchProcess()
  bench = await startBench()
})
afterEach(async () => {
  await bench.close()
  watch.stop()
  expect(watch.stray).toEqual([])
})

const readiness = () => bench.gateway.fetch(new Request('http://gateway/readyz'))
const upstreamAsked = () => until(() => bench.openai.requests.length === 1)

describe('with patience', () => {
  it.each([true, false])('a running turn ends as if nothing were (stream: %s)', async (stream) => {
    bench.openai.play([{ say: 'first', pieces: 1 }, { wait: 300 }, { say: ' last', pieces: 1 }])
    const pending = post(bench.url, ask(model, { stream }))
    await upstreamAsked()
    const closed = bench.gateway.close(10_000)
    const answer = await pending
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(text).toContain('last')
    expect(text).not.toContain('"error"')
    if (stream) expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await within(5_000, closed)).toBeUndefined()
  })

  it.each([true, false])('a slow client gets all of its answer (stream: %s)', async (stream) => {
    const long = 'x'.repeat(6_000_000)
    bench.openai.play([{ say: long, pieces: 1 }])
    const body = JSON.stringify(ask(model, { stream }))
    const socket = connect(bench.url)
    let text = ''
    socket.on('data', (piece) => (text += piece)).pause()
    socket.write(['POST /v1/chat/completions HTTP/1.1', ...chatLines(bench.url, body), '', body].join('\r\n'))
    await upstreamAsked()
    // It has read the whole answer by then.
    await sleep(500)
    const closed = bench.gateway.close(10_000)
    await sleep(50)
    socket.resume()
    await Promise.all([closed, new Promise((resolve) => socket.once('close', resolve))])
    expect(text.slice(-300)).toContain(stream ? 'data: [DONE]' : '"usage"')
  })

  it('a new connection is answered, and an idle one does not delay the shutdown', async () => {
    const [asks, keepsSilent] = [connect(bench.url), connect(bench.url)]
    let text = ''
    asks.on('data', (piece) => (text += piece))
    keepsSilent.on('error', () => undefined)
    const metrics = () => bench.gateway.fetch(new Request('http://gateway/metrics'))
    await expect.poll(async () => (await metrics()).text()).toContain('dragoman_connections 2\n')
    const closed = bench.gateway.close(10_000)
    await sleep(100)
    const body = JSON.stringify(ask(model))
    asks.write(['POST /v1/chat/completions HTTP/1.1', ...chatLines(bench.url, body), '', body].join('\r\n'))
    expect(await within(5_000, closed)).toBeUndefined()
    expect(text).toContain('HTTP/1.1 503 ')
    expect(text).toContain('stopping')
  })

  it('new turns are refused with a retry hint, on new connections too', async () => {
    bench.openai.play([{ say: 'first', pieces: 1 }, { wait: 300 }, { say: ' last', pieces: 1 }])
    const pending = chatStream(bench.url, ask(model))
    await upstreamAsked()
    const closed = bench.gateway.close(10_000)
    const refused = await post(bench.url, ask(model))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.text()).toContain('stopping')
    expect((await fetch(`${bench.url}/readyz`)).status).toBe(503)
    expect((await fetch(`${bench.url}/healthz`)).status).toBe(200)
    expect((await pending).text).toBe('first last')
    await closed
  })

  it('readyz is 503 and healthz stays 200', async () => {
    expect((await readiness()).status).toBe(200)
    bench.openai.play([{ say: 'first', pieces: 1 }, { wait: 200 }, { say: ' last', pieces: 1 }])
    const pending = chatStream(bench.url, ask(model))
    await upstreamAsked()
    const closed = bench.gateway.close(10_000)
    const answer = await readiness()
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ status: 'draining' })
    expect((await bench.gateway.fetch(new Request('http://gateway/healthz'))).status).toBe(200)
    await pending
    await closed
  })

  it('readyz is 503 over a connection that is still in use', async () => {
    bench.openai.play([{ say: 'first', pieces: 1 }, { wait: 200 }, { say: ' last', pieces: 1 }])
    const body = JSON.stringify(ask(model, { stream: true }))
    const socket = connect(bench.url)
    let text = ''
    socket.on('data', (piece) => (text += piece))
    socket.write(['POST /v1/chat/completions HTTP/1.1', ...chatLines(bench.url, body), '', body].join('\r\n'))
    await upstreamAsked()
    const closed = bench.gateway.close(10_000)
    socket.write(['GET /readyz HTTP/1.1', hostLine(bench.url), '', ''].join('\r\n'))
    await closed
    expect(text).toContain('data: [DONE]')
    expect(text).toMatch(/HTTP\/1\.1 503[\s\S]*draining/)
  })

  it('idle connections do not hold it up', async () => {
    await post(bench.url, ask(model)).then((answer) => answer.text())
    const idle = connect(bench.url)
    idle.on('error', () => undefined)
    await new Promise((resolve) => idle.once('connect', resolve))
    expect(await within(3_000, bench.gateway.close(30_000))).toBeUndefined()
    idle.destroy()
  })
})

describe('when patience ends', () => {
  it('a stream ends with an error that gives the reason, and the upstream request is cancelled', async () => {
    bench.openai.play([{ say: 'first', pieces: 1 }, { fault: 'hang' }])
    const pending = chatStream(bench.url, ask(model))
    await upstreamAsked()
    await sleep(30)
    const closed = bench.gateway.close(50)
    const answer = await pending
    expect(answer.text).toBe('first')
    expect(answer.problems).toEqual([])
    await bench.openai.requests[0]?.waitForAbort()
    expect(await within(3_000, closed)).toBeUndefined()
    expect(answer.error.type).toBe('server_error')
    expect(answer.error.message).not.toContain('client went away')
  })

  it.each([true, false])(
    'what has no first byte yet gets a status that is worth a retry (stream: %s)',
    async (stream) => {
      bench.openai.play([{ fault: 'hang' }])
      const pending = post(bench.url, ask(model, { stream }))
      await upstreamAsked()
      const closed = bench.gateway.close(50)
      const answer = await pending
      expect(await within(3_000, closed)).toBeUndefined()
      expect(answer.status).toBe(503)
      expect(await answer.text()).not.toContain('client went away')
    },
  )

  it('it is over, even where the client reads nothing', async () => {
    bench.openai.play([{ flood: { deltas: 1_000_000, text: 'x'.repeat(100) } }])
    const body = JSON.stringify(ask(model, { stream: true }))
    const socket = connect(bench.url)
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(['POST /v1/chat/completions HTTP/1.1', ...chatLines(bench.url, body), '', body].join('\r\n'))
    await upstreamAsked()
    expect(await within(5_000, bench.gateway.close(50))).toBeUndefined()
    socket.destroy()
  })

  it('it is over, even where a client never ends its request', async () => {
    const socket = connect(bench.url)
    socket.on('error', () => undefined)
    socket.write(
      [
        'POST /v1/chat/completions HTTP/1.1',
        hostLine(bench.url),
        'Content-Type: application/json',
        'Content-Length: 100',
        '',
        '{',
      ].join('\r\n'),
    )
    await sleep(50)
    expect(await within(5_000, bench.gateway.close(50))).toBeUndefined()
    socket.destroy()
  })

  it('a second call cuts the first one short', async () => {
    bench.openai.play([{ say: 'first', pieces: 1 }, { fault: 'hang' }])
    const pending = chatStream(bench.url, ask(model)).catch(() => undefined)
    await upstreamAsked()
    const first = bench.gateway.close(30_000)
    expect(await within(5_000, bench.gateway.close(0))).toBeUndefined()
    expect(await within(5_000, first)).toBeUndefined()
    await pending
  })
})

it('a gateway that never listened can be closed', async () => {
  const other = await startBench()
  await other.close()
  expect(await within(1_000, other.gateway.close())).toBeUndefined()
})
