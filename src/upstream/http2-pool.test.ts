import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/depth.ts'
import { freePort, listen, startHttp1, startHttp2, until } from '../../test/raw-peer.ts'
import { GatewayError } from '../core/errors.ts'
import { echo, failureOf, never, park, poolFor, post, readText } from './http2-pool.fixture.ts'
import { createHttp2Pool } from './http2-pool.ts'

const activeResources = () =>
  process.getActiveResourcesInfo().filter((kind) => /TCP|TLS|Timeout|Pipe.*Wrap/.test(kind)).length

describe('many streams', () => {
  it.runIf(isNightly)('never wait for each other: 1,000 parked streams, 100 per connection', async () => {
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
  })

  it('respect a lower limit in the SETTINGS of the peer', async () => {
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

  it('are rejected with a message when all connections are full', async () => {
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

  it('fail if the peer allows none', async () => {
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

describe('a connection that fails', () => {
  it('nothing listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const failure = await failureOf(poolFor(url).open(post, { signal: never }))
    expect(failure).toMatchObject({ code: 'upstream-unavailable', retryable: true })
    expect(failure.message).toMatch(
      /^box: 127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\): nothing listens/,
    )
  })

  it('unknown host name', async () => {
    const failure = await failureOf(poolFor('http://nowhere.invalid').open(post, { signal: never }))
    expect(failure.message).toMatch(/nowhere.invalid could not be reached \((ENOTFOUND|EAI_AGAIN)\)/)
  })

  it('a forbidden address', () => {
    expect(() => createHttp2Pool('http://169.254.169.254')).toThrow(/metadata/)
  })

  it('a peer that accepts and sends nothing', async () => {
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

  it('a server that only speaks HTTP/1.1', async () => {
    const peer = await startHttp1((_request, response) => response.end('hello'))
    const failure = await failureOf(
      poolFor(peer.url)
        .open(post, { signal: never })
        .then((exchange) => exchange.read()),
    )
    expect(failure).toMatchObject({ code: 'upstream-protocol', retryable: false })
    expect(failure.message).toMatch(/^box: .* does not speak HTTP\/2/)
  })

  it('an abort while it is being opened takes effect at once', async () => {
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

describe('closing', () => {
  it('close() fails open streams and leaves no resources', async () => {
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

  it('an idle connection is closed after the idle time', async () => {
    const peer = await startHttp2(echo)
    const pool = poolFor(peer.url, { idleMs: 30 })
    const exchange = await pool.open(post, { signal: never })
    exchange.end()
    await readText(exchange)
    await until(() => pool.connections === 0 && peer.sockets.size === 0, 'the idle connection to close')
  })
})
