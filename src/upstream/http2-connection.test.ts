import type { ServerHttp2Stream } from 'node:http2'
import type net from 'node:net'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/depth.ts'
import {
  afterTest,
  frames,
  type RawRequest,
  startFreezer,
  startHttp2,
  startRawHttp2,
  status200,
  until,
  watchUncaught,
} from '../../test/raw-peer.ts'
import { GatewayError } from '../core/errors.ts'
import type { Http2Exchange } from './http2-exchange.ts'
import { echo, failureOf, never, park, poolFor, post, readText } from './http2-pool.fixture.ts'

describe('a peer that goes away', () => {
  it('GOAWAY 0: open streams continue, new ones get a new connection', async () => {
    const peer = await startHttp2(echo)
    const pool = poolFor(peer.url)
    const first = await pool.open(post, { signal: never })
    await first.response
    peer.sessions[0]!.goaway(0)
    // Frames are read in their order: who has answered the ping knows of the GOAWAY.
    await new Promise((resolve) => peer.sessions[0]!.ping(resolve))
    const second = await pool.open(post, { signal: never })
    await second.response
    expect(peer.sessions.length).toBe(2)
    for (const exchange of [first, second]) {
      exchange.write(Buffer.from('still here'))
      exchange.end()
      expect(await readText(exchange)).toBe('still here')
    }
    await until(() => pool.connections === 1, 'the old connection to close')
  })

  const ends: [string, (stream: ServerHttp2Stream, socket: net.Socket) => void, RegExp][] = [
    ['GOAWAY 11', (stream) => stream.session!.goaway(11), /GOAWAY ENHANCE_YOUR_CALM/],
    [
      'GOAWAY 11 and a close',
      (stream) => stream.session!.destroy(undefined, 11),
      /GOAWAY ENHANCE_YOUR_CALM|broke/,
    ],
    ['FIN', (_stream, socket) => socket.end(), /broke before the answer was complete/],
    ['RST', (_stream, socket) => socket.resetAndDestroy(), /broke before the answer was complete/],
  ]
  it.each(ends)('%s: the stream fails, the next one works', async (_name, end, message) => {
    const uncaught = watchUncaught()
    const peer = await startHttp2((stream) => {
      stream.respond({ ':status': 200 })
      stream.write('so far')
    })
    const pool = poolFor(peer.url)
    const exchange = await pool.open(post, { signal: never })
    expect(String(await exchange.read())).toBe('so far')
    const reading = failureOf(exchange.read())
    end(peer.streams[0]!, [...peer.sockets][0]!)
    expect(await reading).toMatchObject({
      code: 'upstream-unavailable',
      retryable: true,
      message: expect.stringMatching(message),
    })
    expect(await failureOf(exchange.read())).toBe(await reading)
    const next = await pool.open(post, { signal: never })
    expect(String(await next.read())).toBe('so far')
    expect(uncaught).toEqual([])
  })

  const resets: [string, (request: RawRequest) => void, string, RegExp][] = [
    [
      'INTERNAL_ERROR',
      ({ send }) => send(frames.reset, 0, Buffer.from([0, 0, 0, 2])),
      'upstream-unavailable',
      /RST_STREAM INTERNAL_ERROR/,
    ],
    [
      'CANCEL',
      ({ send }) => send(frames.reset, 0, Buffer.from([0, 0, 0, 8])),
      'upstream-unavailable',
      /RST_STREAM CANCEL/,
    ],
    [
      'REFUSED_STREAM',
      ({ send }) => send(frames.reset, 0, Buffer.from([0, 0, 0, 7])),
      'upstream-unavailable',
      /RST_STREAM REFUSED_STREAM/,
    ],
    [
      'a code of its own',
      ({ send }) => send(frames.reset, 0, Buffer.from([0, 0, 0, 99])),
      'upstream-unavailable',
      /RST_STREAM code 99/,
    ],
    [
      'junk',
      ({ socket }) => socket.write('x'.repeat(100)),
      'upstream-unavailable',
      /broke|did not answer a ping/,
    ],
    [
      'half a frame and FIN',
      ({ socket }) => socket.end(Buffer.from([0, 0, 9, 0])),
      'upstream-unavailable',
      /broke/,
    ],
  ]
  it.each(resets)('%s by hand: bytes before it can be read', async (_name, end, code, message) => {
    const uncaught = watchUncaught()
    let request: RawRequest | undefined
    const peer = await startRawHttp2((started) => {
      request = started
      started.send(frames.headers, 4, status200)
      started.send(frames.data, 0, Buffer.from('so far'))
    })
    // Node does not report that it closed a connection because of invalid input: the ping does.
    const pool = poolFor(peer.url, { pingIntervalMs: 100, pingTimeoutMs: 1_000 })
    const exchange = await pool.open(post, { signal: never })
    expect(String(await exchange.read())).toBe('so far')
    end(request!)
    expect(await failureOf(exchange.read())).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(uncaught).toEqual([])
  })

  it('fails the wait for its response header too', async () => {
    const peer = await startRawHttp2(({ send }) => send(frames.reset, 0, Buffer.from([0, 0, 0, 7])))
    const exchange = await poolFor(peer.url).open(post, { signal: never })
    expect((await failureOf(exchange.response)).message).toMatch(/REFUSED_STREAM/)
  })

  it('frozen: an unanswered ping ends all its streams', async () => {
    const peer = await startFreezer((await startHttp2(park)).url)
    const pool = poolFor(peer.url, { pingIntervalMs: 50, pingTimeoutMs: 300 })
    const exchanges = await Promise.all([1, 2, 3].map(() => pool.open(post, { signal: never })))
    await Promise.all(exchanges.map(({ response }) => response))
    peer.freeze()
    const failures = await Promise.all(exchanges.map((exchange) => failureOf(exchange.read())))
    for (const { message } of failures) expect(message).toMatch(/^box: .* did not answer a ping within 0.3 s/)
    expect(pool.connections).toBe(0)
  })

  it('quiet but alive: pings are answered, and nothing is closed', async () => {
    const peer = await startHttp2(park)
    const pool = poolFor(peer.url, { pingIntervalMs: 20, pingTimeoutMs: 5_000 })
    const exchange = await pool.open(post, { signal: never })
    await exchange.response
    let pings = 0
    peer.sessions[0]!.on('ping', () => pings++)
    await until(() => pings > 5, 'some pings')
    peer.streams[0]!.end('here')
    expect(await readText(exchange)).toBe('here')
  })

  it.runIf(isNightly)('a blocked event loop is not blamed on the peer', async () => {
    const code = `
      const server = require('node:http2').createServer()
      server.on('stream', (stream) => stream.respond({ ':status': 200 }))
      server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))`
    const worker = afterTest(new Worker(code, { eval: true }), (it) => it.terminate())
    const port = await new Promise<number>((resolve) => worker.once('message', resolve))
    const pool = poolFor(`http://127.0.0.1:${port}`, { pingIntervalMs: 20, pingTimeoutMs: 300 })
    const exchange = await pool.open(post, { signal: never })
    await exchange.response
    for (let spell = 0; spell < 5; spell++) {
      await new Promise((resolve) => setTimeout(resolve, 25))
      const end = performance.now() + 500
      while (performance.now() < end);
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(pool.connections).toBe(1)
    expect((await (await pool.open(post, { signal: never })).response).status).toBe(200)
    expect(pool.connections).toBe(1)
  })

  it('in any order: no uncaught error, no hang', async () => {
    const uncaught = watchUncaught()
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const peer = await startHttp2(
      (stream) => {
        stream.respond({ ':status': 200 })
        const act = random(6)
        if (act === 0) stream.session?.goaway(random(2) * 11)
        else if (act === 1) stream.session?.destroy()
        else if (act === 2) stream.destroy(new Error('no'))
        else if (act === 3) stream.end('done')
        else stream.write('more')
      },
      { maxConcurrentStreams: 4 },
    )
    const pool = poolFor(peer.url, { idleMs: 5 })
    const one = async () => {
      const abort = new AbortController()
      if (random(4) === 0) setTimeout(() => abort.abort(), random(10))
      try {
        const exchange = await pool.open(post, { signal: abort.signal })
        exchange.write(Buffer.from('x'))
        if (random(2) === 0) exchange.end()
        const reading = exchange.read()
        if (random(3) === 0) exchange.cancel(new GatewayError('canceled', 'enough'))
        if (random(3) === 0) exchange.drain(random(5))
        else setTimeout(() => exchange.cancel(new GatewayError('canceled', 'enough')), 20)
        await reading
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError)
      }
    }
    for (let round = 0; round < 30; round++) {
      await Promise.all(Array.from({ length: 20 }, one))
    }
    await until(() => pool.connections === 0, 'all connections to close')
    expect(uncaught).toEqual([])
  })

  it.runIf(isNightly)('20 times frozen and retried in the same tick: no uncaught error', async () => {
    const uncaught = watchUncaught()
    const peer = await startFreezer((await startHttp2(park)).url)
    const pool = poolFor(peer.url, { pingIntervalMs: 10, pingTimeoutMs: 100 })
    let exchange = await pool.open(post, { signal: never })
    for (let round = 0; round < 20; round++) {
      await exchange.response
      peer.freeze()
      const again = exchange.read().catch((error: GatewayError) => {
        expect(error.message).toMatch(/did not answer a ping/)
        return pool.open(post, { signal: never })
      })
      exchange = (await again) as Http2Exchange
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(uncaught).toEqual([])
  })
})
