import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http2'
import { describe, expect, it } from 'vitest'
import {
  afterTest,
  freePort,
  type OnStream,
  startFreezer,
  startHttp2,
  until,
} from '../../../test/raw-peer.ts'
import type { GatewayError } from '../../core/errors.ts'
import { EnvelopeReader, encodeEnvelope } from '../../protocols/connect/envelope.ts'
import type { Http2PoolOptions } from '../../upstream/http2-pool.ts'
import type { RunStream } from './transport.ts'
import { createHttp2Transport } from './transport-http2.ts'

const ok = { ':status': 200, 'content-type': 'application/connect+proto' }
const endFrame = encodeEnvelope(Buffer.from('{}'), 0x02)

/** Sends each message back; says nothing before the first, and ends when the client does. */
const echo: OnStream = (stream) => {
  const reader = new EnvelopeReader({ backend: 'peer' })
  stream.on('data', (chunk) => {
    for (const { data } of reader.push(chunk as Buffer)) {
      if (!stream.headersSent) stream.respond(ok)
      stream.write(encodeEnvelope(data))
    }
  })
  stream.on('end', () => stream.writable && stream.end(endFrame))
}

const connect = (baseUrl: string, options: Http2PoolOptions = {}) => {
  const transport = createHttp2Transport({ backend: 'box', baseUrl, connect: options })
  return afterTest(transport, () => transport.close())
}

const open = (transport: ReturnType<typeof connect>, requestId: string = randomUUID()) =>
  transport.open({
    headers: { authorization: 'Bearer x', 'x-ghost-mode': 'true' },
    requestId,
    signal: new AbortController().signal,
  })

async function readText(run: RunStream): Promise<string> {
  return Buffer.concat((await run.read()) ?? []).toString()
}

describe('http2 transport', () => {
  it('sends a Connect request, below the path of the base URL', async () => {
    let seen: IncomingHttpHeaders = {}
    const peer = await startHttp2((stream, headers) => {
      seen = headers
      stream.respond(ok)
      stream.end(endFrame)
    })
    const run = await open(connect(`${peer.url}/prefix/`), 'id-1')
    expect(await run.read()).toBeNull()
    expect(seen).toMatchObject({
      ':method': 'POST',
      ':path': '/prefix/agent.v1.AgentService/Run',
      'content-type': 'application/connect+proto',
      'connect-protocol-version': '1',
      'connect-accept-encoding': 'gzip',
      te: 'trailers',
      'x-request-id': 'id-1',
      authorization: 'Bearer x',
      'x-ghost-mode': 'true',
    })
  })

  it('talks both ways on one stream, and closes it properly', async () => {
    const peer = await startHttp2(echo)
    const run = await open(connect(peer.url))
    for (const text of ['one', 'two', 'x'.repeat(500_000)]) {
      run.send(Buffer.from(text))
      let back = ''
      while (back.length < text.length) back += await readText(run)
      expect(back).toBe(text)
    }
    run.close()
    await until(() => peer.streams[0]!.destroyed, 'the stream to close')
    expect(peer.streams[0]!.rstCode).toBe(0)
    expect(await run.read()).toBeNull()
  })

  it('ends its own side after a clean end frame', async () => {
    const peer = await startHttp2((stream) => {
      stream.respond(ok)
      stream.write(endFrame)
      stream.resume()
      stream.on('end', () => stream.end())
    })
    const run = await open(connect(peer.url))
    expect(await run.read()).toBeNull()
    await until(() => peer.streams[0]!.destroyed, 'the stream to close')
    expect(peer.streams[0]!.rstCode).toBe(0)
  })

  it('parks 1,000 runs against a peer that takes 100 a connection, then answers all', async () => {
    const peer = await startHttp2(echo, { maxConcurrentStreams: 100 })
    const transport = connect(peer.url)
    const runs = await Promise.all(Array.from({ length: 1000 }, () => open(transport)))
    runs.forEach((run, index) => {
      run.send(Buffer.from(`run ${index}`))
    })
    expect(await Promise.all(runs.map(readText))).toEqual(runs.map((_, index) => `run ${index}`))
    expect(peer.sessions.length).toBeGreaterThanOrEqual(10)
    runs.forEach((run, index) => {
      run.send(Buffer.from(`result ${index}`))
    })
    expect(await Promise.all(runs.map(readText))).toEqual(runs.map((_, index) => `result ${index}`))
    for (const run of runs) run.close()
    await until(() => peer.streams.every(({ destroyed }) => destroyed), 'all streams to close')
  })

  it('detects a frozen peer while a run is parked, and goes on with the next', async () => {
    const peer = await startFreezer((await startHttp2(echo)).url)
    const transport = connect(peer.url, { pingIntervalMs: 50, pingTimeoutMs: 500 })
    const run = await open(transport)
    run.send(Buffer.from('one'))
    expect(await readText(run)).toBe('one')
    peer.freeze()
    const failure = await run.read().catch((error: GatewayError) => error)
    expect(failure).toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringMatching(/did not answer a ping/),
    })
    const next = await open(transport)
    next.send(Buffer.from('again'))
    expect(await readText(next)).toBe('again')
  })

  it('reports a refused connection', async () => {
    const failure = await open(connect(`http://127.0.0.1:${await freePort()}`)).catch((error) => error)
    expect(failure).toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringMatching(/^box: .*ECONNREFUSED/),
    })
  })
})
