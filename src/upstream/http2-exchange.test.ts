import type { ServerHttp2Stream } from 'node:http2'
import { describe, expect, it } from 'vitest'
import { startHttp2, until } from '../../test/raw-peer.ts'
import { GatewayError } from '../core/errors.ts'
import { echo, failureOf, never, park, poolFor, post, readText } from './http2-pool.fixture.ts'

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

  it('holds the peer back while the reader is slow, and loses nothing', async () => {
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

  it('reports the bytes that the peer has not taken yet', async () => {
    const peer = await startHttp2(park)
    const exchange = await poolFor(peer.url).open(post, { signal: never })
    expect(exchange.writableLength).toBe(0)
    exchange.write(Buffer.alloc(5 * 1024 * 1024))
    expect(exchange.writableLength).toBeGreaterThan(1024 * 1024)
  })

  it('is reset by cancel and by an abort, at any time', async () => {
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

  it('refuses headers that HTTP/2 does not allow, and stays usable', async () => {
    const pool = poolFor((await startHttp2(echo)).url)
    const bad = { ...post, connection: 'close' }
    expect(await failureOf(pool.open(bad, { signal: never }))).toBeInstanceOf(GatewayError)
    expect((await (await pool.open(post, { signal: never })).response).status).toBe(200)
  })
})
