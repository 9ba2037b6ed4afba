import { setMaxListeners } from 'node:events'
import type { ServerHttp2Stream } from 'node:http2'
import net from 'node:net'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/depth.ts'
import {
  afterTest,
  frames,
  freePort,
  listen,
  type OnStream,
  type RawRequest,
  startFreezer,
  startHttp1,
  startHttp2,
  startRawHttp2,
  status200,
  until,
  watchUncaught,
} from '../../test/raw-peer.ts'
import { GatewayError } from '../core/errors.ts'
import type { Http2Exchange } from './http2-exchange.ts'
import { createHttp2Pool, type Http2PoolOptions } from './http2-pool.ts'

const post = { ':method': 'POST', ':path': '/run' }
const never = new AbortController().signal
setMaxListeners(0, never)

const poolFor = (url: string, options: Http2PoolOptions = {}) =>
  afterTest(createHttp2Pool(url, { name: 'box', ...options }), (pool) => pool.close())

const failureOf = (promise: Promise<unknown>): Promise<GatewayError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error) => error as GatewayError,
  )

async function readText(exchange: Http2Exchange): Promise<string> {
  let text = ''
  for (let bytes = await exchange.read(); bytes !== null; bytes = await exchange.read()) text += bytes
  return text
}

const echo: OnStream = (stream) => {
  stream.respond({ ':status': 200 })
  stream.pipe(stream)
}
const park: OnStream = (stream) => stream.respond({ ':status': 200 })

const activeResources = () =>
  process.getActiveResourcesInfo().filter((kind) => /TCP|TLS|Timeout|Pipe.*Wrap/.test(kind)).length

describe('a stream', () => {
  it('carries bytes both ways and ends on both sides', async () => {
    const peer = await startHttp2(echo)
    const exchange = await poolFor(peer.url).open(post, { signal: never })
    exchange.write(Buffer.from('one '))
    exchange.write(Buffer.from('two'))
    expect((await exchange.response).status).toBe(200)
    exchange.end()
    expect(await readText(exchange)).toBe('one two')
    expect(await exchange.read()).toBeNull()
    await until(() => peer.streams[0]!.closed, 'the stream to close')
    expect(peer.streams[0]!.rstCode).toBe(0)
  })

  it('is open before the peer has answered', async () => {
    let first: unknown
    const peer = await startHttp2((stream) =>
      stream.once('data', (data) => {
        first = data
        stream.respond({ ':status': 418, 'x-a': 'b' })
        stream.end()
      }),
    )
    const exchange = await poolFor(peer.url).open(post, { signal: never })
    exchange.write(Buffer.from('hello'))
    expect(await exchange.response).toMatchObject({ status: 418, headers: { 'x-a': 'b' } })
    expect(String(first)).toBe('hello')
  })

  it('holds the peer back when nobody reads, and loses nothing', async () => {
    const size = 20 * 1024 * 1024
    let sent = 0
    const peer = await startHttp2((stream) => {
      stream.respond({ ':status': 200 })
      const more = () => {
        while (sent < size) {
          sent += 64 * 1024
          if (!stream.write(Buffer.alloc(64 * 1024, 'x'))) return stream.once('drain', more)
        }
        return stream.end()
      }
      more()
    })
    const exchange = await poolFor(peer.url).open(post, { signal: never })
    await exchange.response
    let before = -1
    while (before !== sent) {
      before = sent
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(sent).toBeLessThan(2 * 1024 * 1024)
    let received = 0
    for (let bytes = await exchange.read(); bytes; bytes = await exchange.read()) received += bytes.length
    expect(received).toBe(size)
  })

  it('shows what the peer has not taken yet', async () => {
    const peer = await startHttp2(park)
    const exchange = await poolFor(peer.url).open(post, { signal: never })
    expect(exchange.writableLength).toBe(0)
    exchange.write(Buffer.alloc(5 * 1024 * 1024))
    expect(exchange.writableLength).toBeGreaterThan(1024 * 1024)
  })

  it('is reset by cancel, and by an abort at any time', async () => {
    const peer = await startHttp2(park)
    const pool = poolFor(peer.url)
    for (const how of ['cancel', 'abort']) {
      const abort = new AbortController()
      const exchange = await pool.open(post, { signal: abort.signal })
      await exchange.response
      const reading = failureOf(exchange.read())
      if (how === 'abort') abort.abort()
      else exchange.cancel(new GatewayError('canceled', 'enough'))
      expect((await reading).code).toBe('canceled')
      const stream = peer.streams.at(-1) as ServerHttp2Stream
      await until(() => stream.closed, 'the reset')
      expect(stream.rstCode).toBe(8)
      exchange.write(Buffer.from('too late'))
      exchange.end()
    }
    expect(pool.connections).toBe(1)
    const aborted = AbortSignal.abort()
    expect((await failureOf(pool.open(post, { signal: aborted }))).code).toBe('canceled')
  })

  it('refuses headers that HTTP/2 does not allow, and goes on', async () => {
    const pool = poolFor((await startHttp2(echo)).url)
    const bad = { ...post, connection: 'close' }
    expect(await failureOf(pool.open(bad, { signal: never }))).toBeInstanceOf(GatewayError)
    expect((await (await pool.open(post, { signal: never })).response).status).toBe(200)
  })
})

describe('many streams', () => {
  it.runIf(isNightly)(
    'never wait for each other: 1,000 parked ones against a peer that takes 100 a connection',
    async () => {
      const peer = await startHttp2(
        (stream) => {
          stream.respond({ ':status': 200 })
          stream.on('data', (data) => stream.end(data))
        },
        { maxConcurrentStreams: 100 },
      )
      const pool = poolFor(peer.url)
      const exchanges = await Promise.all(
        Array.from({ length: 1000 }, () => pool.open(post, { signal: never })),
      )
      await Promise.all(exchanges.map(({ response }) => response))
      expect(peer.streams.length).toBe(1000)
      expect(pool.connections).toBe(13)
      exchanges.forEach((exchange, index) => {
        exchange.write(Buffer.from(`answer ${index}`))
        exchange.end()
      })
      const answers = await Promise.all(exchanges.map(readText))
      expect(answers).toEqual(exchanges.map((_, index) => `answer ${index}`))
    },
  )

  it('keep to a lower limit of the peer, learned from its settings', async () => {
    const peer = await startHttp2(park, { maxConcurrentStreams: 3 })
    const pool = poolFor(peer.url)
    const exchanges = await Promise.all(Array.from({ length: 10 }, () => pool.open(post, { signal: never })))
    await Promise.all(exchanges.map(({ response }) => response))
    expect(pool.connections).toBe(4)
    exchanges[0]!.cancel(new GatewayError('canceled', 'room'))
    await until(() => peer.streams[0]!.closed, 'room')
    await (await pool.open(post, { signal: never })).response
    expect(pool.connections).toBe(4)
  })

  it('are refused beyond the last connection, in words', async () => {
    const peer = await startHttp2(park, { maxConcurrentStreams: 2 })
    const pool = poolFor(peer.url, { maxConnections: 3 })
    const opened = await Promise.allSettled(
      Array.from({ length: 8 }, () => pool.open(post, { signal: never })),
    )
    expect(opened.map(({ status }) => status)).toEqual([
      ...Array(6).fill('fulfilled'),
      'rejected',
      'rejected',
    ])
    const failure = await failureOf(pool.open(post, { signal: never }))
    expect(failure).toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringMatching(/^box: all 3 connections to .* are full \(6 streams are open\)/),
    })
  })

  it('are not waited for by a peer that allows none', async () => {
    const peer = await startHttp2(park, { maxConcurrentStreams: 0 })
    const failures = await Promise.all(
      [1, 2, 3].map(() =>
        failureOf(
          poolFor(peer.url)
            .open(post, { signal: never })
            .then((e) => e.read()),
        ),
      ),
    )
    for (const { message } of failures) expect(message).toMatch(/allows no streams/)
  })
})

describe('a peer that goes away', () => {
  it('GOAWAY 0: open streams go on, new ones get a new connection', async () => {
    const peer = await startHttp2(echo)
    const pool = poolFor(peer.url)
    const first = await pool.open(post, { signal: never })
    await first.response
    peer.sessions[0]!.goaway(0)
    await until(() => pool.connections === 1, 'the goaway')
    await new Promise((resolve) => setTimeout(resolve, 50))
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
  it.each(resets)('%s by hand: what came before it can be read', async (_name, end, code, message) => {
    const uncaught = watchUncaught()
    let request: RawRequest | undefined
    const peer = await startRawHttp2((started) => {
      request = started
      started.send(frames.headers, 4, status200)
      started.send(frames.data, 0, Buffer.from('so far'))
    })
    // Node does not say so when it has given a connection up for what came in: the ping tells.
    const pool = poolFor(peer.url, { pingIntervalMs: 100, pingTimeoutMs: 1_000 })
    const exchange = await pool.open(post, { signal: never })
    expect(String(await exchange.read())).toBe('so far')
    end(request!)
    expect(await failureOf(exchange.read())).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(uncaught).toEqual([])
  })

  it('fails the wait for its headers as well', async () => {
    const peer = await startRawHttp2(({ send }) => send(frames.reset, 0, Buffer.from([0, 0, 0, 7])))
    const exchange = await poolFor(peer.url).open(post, { signal: never })
    expect((await failureOf(exchange.response)).message).toMatch(/REFUSED_STREAM/)
  })

  it('frozen: a ping without an answer ends all its streams', async () => {
    const peer = await startFreezer((await startHttp2(park)).url)
    const pool = poolFor(peer.url, { pingIntervalMs: 50, pingTimeoutMs: 300 })
    const exchanges = await Promise.all([1, 2, 3].map(() => pool.open(post, { signal: never })))
    await Promise.all(exchanges.map(({ response }) => response))
    peer.freeze()
    const failures = await Promise.all(exchanges.map((exchange) => failureOf(exchange.read())))
    for (const { message } of failures) expect(message).toMatch(/^box: .* did not answer a ping within 0.3 s/)
    expect(pool.connections).toBe(0)
  })

  it('quiet but alive: pings are answered, nothing is given up', async () => {
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

  it.runIf(isNightly)('a busy spell of our own is not blamed on the peer', async () => {
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

  it('in any order: nothing escapes, nothing hangs', async () => {
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

  it.runIf(isNightly)('20 times frozen and tried again in the same tick: no error escapes', async () => {
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

describe('a connection that does not come about', () => {
  it('refused', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const failure = await failureOf(poolFor(url).open(post, { signal: never }))
    expect(failure).toMatchObject({ code: 'upstream-unavailable', retryable: true })
    expect(failure.message).toMatch(
      /^box: 127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\): nothing listens/,
    )
  })

  it('no such name', async () => {
    const failure = await failureOf(poolFor('http://nowhere.invalid').open(post, { signal: never }))
    expect(failure.message).toMatch(/nowhere.invalid could not be reached \((ENOTFOUND|EAI_AGAIN)\)/)
  })

  it('a forbidden address', () => {
    expect(() => createHttp2Pool('http://169.254.169.254')).toThrow(/metadata/)
  })

  it('a peer that accepts and says nothing', async () => {
    const peer = await listen(net.createServer())
    const pool = poolFor(peer.url, { connectTimeoutMs: 100 })
    const opened = await Promise.allSettled([1, 2, 3].map(() => pool.open(post, { signal: never })))
    for (const result of opened) {
      const failure =
        result.status === 'rejected' ? (result.reason as GatewayError) : await failureOf(result.value.read())
      expect(failure.message).toMatch(/could not be reached \(ETIMEDOUT\)/)
    }
    expect(pool.connections).toBe(0)
  })

  it('a server that only knows HTTP/1.1', async () => {
    const peer = await startHttp1((_request, response) => response.end('hello'))
    const failure = await failureOf(
      poolFor(peer.url)
        .open(post, { signal: never })
        .then((exchange) => exchange.read()),
    )
    expect(failure).toMatchObject({ code: 'upstream-protocol', retryable: false })
    expect(failure.message).toMatch(/^box: .* does not speak HTTP\/2/)
  })

  it('an abort while it is being made is heard at once', async () => {
    const peer = await listen(net.createServer())
    const abort = new AbortController()
    const pool = poolFor(peer.url)
    const opening = [1, 2].map(() =>
      failureOf(pool.open(post, { signal: abort.signal }).then((e) => e.read())),
    )
    await until(() => peer.sockets.size === 1, 'the connection')
    abort.abort()
    for (const failure of await Promise.all(opening)) expect(failure.code).toBe('canceled')
  })
})

describe('the end', () => {
  it('close() fails what is open and leaves nothing behind', async () => {
    const peer = await startHttp2(park, { maxConcurrentStreams: 2 })
    const before = activeResources()
    const pool = createHttp2Pool(peer.url, { name: 'box' })
    const exchanges = await Promise.all([1, 2, 3, 4, 5].map(() => pool.open(post, { signal: never })))
    await Promise.all(exchanges.map(({ response }) => response))
    const readings = exchanges.map((exchange) => failureOf(exchange.read()))
    const late = new net.Server()
    const silent = createHttp2Pool((await listen(late)).url)
    const waiting = failureOf(silent.open(post, { signal: never }).then((exchange) => exchange.read()))
    await Promise.all([pool.close(), silent.close()])
    for (const failure of await Promise.all([...readings, waiting]))
      expect(failure).toBeInstanceOf(GatewayError)
    expect(pool.connections).toBe(0)
    expect((await failureOf(pool.open(post, { signal: never }))).message).toMatch(/closed by the gateway/)
    await until(() => peer.sockets.size === 0, 'the sockets to close')
    late.close()
    await until(() => activeResources() <= before, 'timers and sockets to be gone')
  })

  it('an idle connection does not keep the process alive', async () => {
    const peer = await startHttp2(echo)
    const pool = poolFor(peer.url)
    const exchange = await pool.open(post, { signal: never })
    await exchange.response
    const busy = activeResources()
    exchange.end()
    await readText(exchange)
    await until(() => activeResources() < busy, 'the idle connection to be let go of')
    expect(pool.connections).toBe(1)
    expect((await (await pool.open(post, { signal: never })).response).status).toBe(200)
    expect(peer.sessions.length).toBe(1)
  })

  it('an idle connection is closed after a while', async () => {
    const peer = await startHttp2(echo)
    const pool = poolFor(peer.url, { idleMs: 30 })
    const exchange = await pool.open(post, { signal: never })
    exchange.end()
    await readText(exchange)
    await until(() => pool.connections === 0 && peer.sockets.size === 0, 'the idle connection to close')
  })
})
