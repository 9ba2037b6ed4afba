// Limits for clients that send too much, too slowly, too many requests, or without end.

import net, { type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { ask, startGateway, upstreamKey, useBench } from '../harness.ts'
import { chatLines, connect, expectNothingStray, hostLine, until } from './wire.ts'

expectNothingStray()

const key = 'gateway-canary-key-3141592653'
const linger = { totalMs: 600, idleMs: 300, maxBytes: 4 * 1024 * 1024 }
const bench = useBench({
  gateway: {
    keys: [{ name: 'laptop', key }],
    serverLimits: {
      ...{ headersTimeoutMs: 300, requestTimeoutMs: 700, checkEveryMs: 50, maxConnections: 600 },
      ...{ spareConnections: 5, linger },
    },
  },
})
const authorized = `Authorization: Bearer ${key}`

interface Client {
  socket: Socket
  received(): string
  isClosed(): boolean
  error(): string | undefined
}

function open(url = bench.url): Client {
  const socket = connect(url)
  let text = ''
  let closed = false
  let error: string | undefined
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', (thrown: NodeJS.ErrnoException) => {
    error = thrown.code
  })
  socket.on('close', () => {
    closed = true
  })
  return { socket, received: () => text, isClosed: () => closed, error: () => error }
}

const head = (lines: readonly string[], path = '/v1/chat/completions', method = 'POST') =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n')

const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
const long = ['Content-Type: application/json', `Content-Length: ${30 * 1024 * 1024 * 1024}`]

describe('a client that keeps sending after a refusal', () => {
  const refusals: [string, number, string][] = [
    ['401', 401, head(long)],
    ['404', 404, head([authorized, ...long], '/v1/nowhere')],
    ['413 by its length', 413, head([authorized, ...long])],
    ['415', 415, head([authorized, 'Content-Encoding: gzip', ...long])],
    ['401 in chunks', 401, head(chunked)],
  ]
  it.each(refusals)('%s: hears it, and is cut off after so many bytes', async (_name, status, request) => {
    const client = open()
    client.socket.write(request)
    const piece = Buffer.alloc(64 * 1024, 'x')
    const framed = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
    const isChunked = request.includes('chunked')
    let sent = 0
    const pour = () => {
      while (!client.isClosed() && client.socket.writable) {
        sent += piece.length
        if (!client.socket.write(isChunked ? framed : piece)) return void client.socket.once('drain', pour)
      }
    }
    pour()
    await until(client.isClosed)
    expect(client.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(client.received().toLowerCase()).toContain('connection: close')
    // Some of it lies in the kernel's buffers.
    expect(sent).toBeLessThan(linger.maxBytes + 16 * 1024 * 1024)
  })

  it('a chunked body beyond the limit: 413, and no more of it is kept', async () => {
    const small = await startGateway(
      {
        backends: { openai: { kind: 'openai', baseUrl: `${bench.openai.url}/v1` } },
        limits: { bodyBytes: 1024 },
      },
      { serverLimits: { linger } },
    )
    const client = open(small.url)
    client.socket.write(
      ['POST /v1/chat/completions HTTP/1.1', hostLine(small.url), ...chunked, '', ''].join('\r\n'),
    )
    for (let at = 0; at < 20; at++) client.socket.write(`400\r\n${'x'.repeat(1024)}\r\n`)
    await until(() => client.received().includes('limits.bodyBytes'))
    client.socket.write('0\r\n\r\n')
    await until(client.isClosed)
    expect([client.received().slice(0, 12), client.error()]).toEqual(['HTTP/1.1 413', undefined])
    await small.gateway.close()
  })

  it('a client that stops in the middle is not waited for', async () => {
    const client = open()
    client.socket.write(head(long))
    await until(client.isClosed)
    expect([client.received().slice(0, 12), client.error()]).toEqual(['HTTP/1.1 401', undefined])
  })

  it('a client that keeps trickling bytes is disconnected in time', async () => {
    const { port, hostname: host } = new URL(bench.url)
    const socket = net.connect({ port: Number(port), host, allowHalfOpen: true })
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => undefined)
    socket.write(head(long))
    while (!socket.destroyed) {
      socket.write('x')
      await sleep(20)
    }
    expect(answer).toMatch(/^HTTP\/1.1 401 /)
  })

  it('a client that reads only after it has sent everything still gets the answer', async () => {
    const body = Buffer.alloc(3 * 1024 * 1024, 'x')
    const client = open()
    client.socket.pause()
    client.socket.write(head(['Content-Type: application/json', `Content-Length: ${body.length}`]))
    client.socket.end(body)
    await until(() => client.socket.writableFinished)
    client.socket.resume()
    await until(client.isClosed)
    expect([client.received().slice(0, 12), client.error()]).toEqual(['HTTP/1.1 401', undefined])
  })

  it('a small body does not cost the connection', async () => {
    const body = JSON.stringify(ask('openai/gpt-demo'))
    const refused = head(['Content-Type: application/json', `Content-Length: ${body.length}`])
    const client = open()
    client.socket.write(refused)
    await until(() => client.received().includes('401'))
    client.socket.write(body + head([], '/healthz', 'GET'))
    await until(() => client.received().includes('HTTP/1.1 200'))
    client.socket.destroy()
  })
})

describe('slow clients', () => {
  it('500 that never finish their headers: others are served, and they are dropped', async () => {
    const slow = Array.from({ length: 500 }, () => open())
    for (const { socket } of slow) socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ')
    expect((await fetch(`${bench.url}/healthz`)).status).toBe(200)
    const answer = await fetch(`${bench.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
    await until(() => slow.every(({ isClosed }) => isClosed()), 15_000)
    expect(slow.filter(({ received }) => !/^HTTP\/1.1 408 /.test(received()))).toEqual([])
  })

  it('more than there may be connections never finish their headers: others are served within a second', async () => {
    const backends = { openai: { kind: 'openai', baseUrl: `${bench.openai.url}/v1`, apiKey: upstreamKey } }
    const serverLimits = { maxConnections: 100, spareConnections: 5 }
    const crowded = await startGateway({ backends }, { keys: [{ name: 'laptop', key }], serverLimits })
    const slow = Array.from({ length: 100 }, () => open(crowded.url))
    for (const { socket } of slow) socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ')
    // These have had an answer, and begin another request.
    const answered = Array.from({ length: 50 }, () => open(crowded.url))
    for (const { socket } of answered)
      socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nX`)
    // All of them are there, and older than a connection that is only slow.
    await until(() => slow.every(({ socket, isClosed }) => isClosed() || !socket.connecting))
    await sleep(300)
    const began = Date.now()
    const ask = async (path: string) => {
      for (;;) {
        const status = await fetch(crowded.url + path, { headers: { authorization: `Bearer ${key}` } }).then(
          async (answer) => [answer.status, await answer.text()][0],
          () => 0,
        )
        if (status === 200) return Date.now() - began
      }
    }
    expect(await ask('/healthz')).toBeLessThan(1_000)
    expect(await ask('/v1/models')).toBeLessThan(1_000)
    for (const { socket } of [...slow, ...answered]) socket.destroy()
    await crowded.gateway.close()
  })

  it('a body that does not come to its end in time: 408', async () => {
    const client = open()
    client.socket.write(head([authorized, 'Content-Type: application/json', 'Content-Length: 100']))
    client.socket.write('{"model":')
    await until(client.isClosed)
    expect(client.received()).toMatch(/^HTTP\/1.1 408 /)
    expect((await fetch(`${bench.url}/healthz`)).status).toBe(200)
  })
})

describe('pipelined requests on one connection', () => {
  // A request of which only a half was read waits here, on a busy machine for longer than the short limits above.
  const calm = useBench({ gateway: { keys: [{ name: 'laptop', key }] } })
  const body = JSON.stringify(ask('openai/gpt-demo', { stream: true }))
  const turn = () =>
    ['POST /v1/chat/completions HTTP/1.1', ...chatLines(calm.url, body), authorized, '', body].join('\r\n')

  it('are turns one after the other, not all at once', async () => {
    const before = calm.openai.requests.length
    calm.openai.play([{ say: 'first', pieces: 1 }, { fault: 'hang' }])
    const client = open(calm.url)
    client.socket.write(Array.from({ length: 300 }, turn).join(''))
    await until(() => client.received().includes('first'))
    // All of them have been read by then.
    expect((await fetch(`${calm.url}/healthz`)).status).toBe(200)
    expect(calm.openai.requests.length - before).toBe(1)
    client.socket.destroy()
  })

  it('are all answered, in their order', async () => {
    calm.openai.play(...[1, 2, 3].map((at): Step[] => [{ say: `answer${at}`, pieces: 1 }, { end: 'stop' }]))
    const client = open(calm.url)
    client.socket.write(turn() + turn() + turn() + head([authorized], '/healthz', 'GET'))
    await until(() => client.received().includes('"ok"'))
    expect(client.received().match(/answer\d|"ok"/g)).toEqual(['answer1', 'answer2', 'answer3', '"ok"'])
    client.socket.destroy()
  })

  it('end the connection where they are too many', async () => {
    calm.openai.play([{ say: 'first', pieces: 1 }, { fault: 'hang' }])
    const client = open(calm.url)
    client.socket.write(turn())
    await until(() => client.received().includes('first'))
    client.socket.write(Array.from({ length: 1_200 }, () => head([authorized], '/healthz', 'GET')).join(''))
    await until(client.isClosed)
    expect((await fetch(`${calm.url}/healthz`)).status).toBe(200)
  })
})

describe('more connections than allowed', () => {
  const start = () =>
    startGateway(
      { backends: { openai: { kind: 'openai', baseUrl: `${bench.openai.url}/v1`, apiKey: upstreamKey } } },
      { serverLimits: { maxConnections: 3, spareConnections: 2 } },
    )
  const get = (url: string, path: string): Client => {
    const client = open(url)
    client.socket.write(`GET ${path} HTTP/1.1\r\n${hostLine(url)}\r\n\r\n`)
    return client
  }
  const answered = async (client: Client, words: string) => {
    await until(() => client.received().includes(words))
    return client
  }

  it('get a refusal, may call /healthz, and are closed beyond a second limit', async () => {
    const many = await start()
    bench.openai.play(...[1, 2, 3].map((): Step[] => [{ say: 'token', pieces: 1 }, { fault: 'hang' }]))
    const body = JSON.stringify(ask('openai/gpt-demo', { stream: true }))
    const busy = [1, 2, 3].map(() => open(many.url))
    for (const client of busy) {
      client.socket.write(
        ['POST /v1/chat/completions HTTP/1.1', ...chatLines(many.url, body), '', body].join('\r\n'),
      )
      await answered(client, 'token')
    }
    for (const [path, words] of [
      ['/healthz', 'HTTP/1.1 200'],
      ['/readyz', '"full"'],
      ['/nowhere', 'HTTP/1.1 404'],
    ] as const) {
      const crowded = await answered(get(many.url, path), words)
      await until(crowded.isClosed)
    }
    const refused = get(many.url, '/v1/models')
    await until(refused.isClosed)
    expect(refused.received()).toMatch(/HTTP\/1.1 503 .*retry-after: 1\r\n.*more connections than it takes/s)
    const spare = [open(many.url), open(many.url)]
    await until(() => spare.every(({ socket }) => !socket.connecting))
    const last = open(many.url)
    await until(last.isClosed)
    expect(many.logs.filter((line) => line.includes('all connections are taken'))).toHaveLength(1)
    busy[0]?.socket.destroy()
    for (const { socket } of spare) socket.destroy()
    // As soon as the server has noticed.
    let status = 0
    while (status !== 200)
      status = await fetch(`${many.url}/v1/models`).then(
        (answer) => answer.status,
        () => 0,
      )
    for (const { socket } of busy) socket.destroy()
    await many.gateway.close()
  })

  it('replace idle connections', async () => {
    const many = await start()
    const idle = await Promise.all([1, 2, 3].map(() => answered(get(many.url, '/healthz'), '"ok"')))
    const next = await answered(get(many.url, '/v1/models'), 'HTTP/1.1 200')
    expect(next.received().toLowerCase()).toContain('connection: keep-alive')
    await until(() => idle.every(({ isClosed }) => isClosed()))
    expect(many.logs.join('')).not.toContain('all connections are taken')
    await many.gateway.close()
  })
})
