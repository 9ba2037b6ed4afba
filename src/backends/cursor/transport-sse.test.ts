import type { IncomingMessage, ServerResponse } from 'node:http'
import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { BidiAppendRequestSchema, BidiRequestIdSchema } from '../../../proto/gen/aiserver/v1/service_pb.ts'
import { afterTest, freePort, startHttp1, until } from '../../../test/raw-peer.ts'
import type { GatewayError } from '../../core/errors.ts'
import { encodeEnvelope } from '../../protocols/connect/envelope.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createSseTransport } from './transport-sse.ts'

interface Append {
  number: number
  text: string
  requestId: string
  headers: IncomingMessage['headers']
  response: ServerResponse
}

interface Fake {
  runs: { response: ServerResponse; requestId: string; headers: IncomingMessage['headers'] }[]
  appends: Append[]
  url: string
}

/** The answers of appends are up to the test; the run's answer begins with the first append. */
async function startFake(onAppend: (append: Append, fake: Fake) => void): Promise<Fake> {
  const fake: Fake = { runs: [], appends: [], url: '' }
  const peer = await startHttp1(({ url, headers }, response, body) => {
    if (url === '/agent.v1.AgentService/RunSSE') {
      expect(body.readUInt32BE(1)).toBe(body.length - 5)
      const { requestId } = fromBinary(BidiRequestIdSchema, body.subarray(5))
      fake.runs.push({ response, requestId, headers })
      return
    }
    expect(url).toBe('/aiserver.v1.BidiService/BidiAppend')
    const { data, requestId, appendSeqno } = fromBinary(BidiAppendRequestSchema, body)
    expect(data).toMatch(/^[0-9a-f]*$/)
    const append = {
      number: Number(appendSeqno),
      text: Buffer.from(data, 'hex').toString(),
      requestId: requestId?.requestId ?? '',
      headers,
      response,
    }
    fake.appends.push(append)
    onAppend(append, fake)
  })
  fake.url = peer.url
  return fake
}

const taken = ({ response }: Append) => {
  response.writeHead(200, { 'content-type': 'application/proto' })
  response.end()
}

function openRun(url: string, options: { idleMs?: number; signal?: AbortSignal } = {}) {
  const client = afterTest(createUpstreamClient(url, { name: 'box' }), (it) => it.close())
  const { idleMs, signal = new AbortController().signal } = options
  const transport = createSseTransport({
    backend: 'box',
    client,
    ...(idleMs === undefined ? {} : { idleMs }),
  })
  afterTest(transport, () => transport.close())
  return transport.open({ headers: { authorization: 'Bearer x' }, requestId: 'id-1', signal })
}

const respond = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/connect+proto' })

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: GatewayError) => error,
  )

describe('sse transport', () => {
  it('sends what the official client sends, and ties the appends to the run', async () => {
    const fake = await startFake((append, { runs }) => {
      taken(append)
      respond(runs[0]!.response).end(
        Buffer.concat([encodeEnvelope(Buffer.from('hi')), encodeEnvelope(Buffer.from('{}'), 2)]),
      )
    })
    const run = await openRun(fake.url)
    await until(() => fake.runs.length === 1, 'the run')
    run.send(Buffer.from('hello'))
    expect(Buffer.concat((await run.read()) ?? []).toString()).toBe('hi')
    expect(await run.read()).toBeNull()
    const shared = {
      'connect-protocol-version': '1',
      'x-cursor-streaming': 'true',
      'x-request-id': 'id-1',
      authorization: 'Bearer x',
    }
    expect(fake.runs[0]).toMatchObject({
      requestId: 'id-1',
      headers: { ...shared, 'content-type': 'application/connect+proto', 'connect-accept-encoding': 'gzip' },
    })
    expect(fake.appends[0]).toMatchObject({
      number: 0,
      text: 'hello',
      requestId: 'id-1',
      headers: { ...shared, 'content-type': 'application/proto' },
    })
  })

  it('sends one append after the other, in order', async () => {
    let open = 0
    let most = 0
    const fake = await startFake((append) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        taken(append)
      }, append.number % 3)
    })
    const run = await openRun(fake.url)
    const texts = Array.from({ length: 50 }, (_, index) => `message ${index}`)
    for (const text of texts) run.send(Buffer.from(text))
    await until(() => fake.appends.length === 50 && open === 0, 'all appends')
    expect(fake.appends.map(({ text }) => text)).toEqual(texts)
    expect(fake.appends.map(({ number }) => number)).toEqual(texts.map((_, index) => index))
    expect(most).toBe(1)
    run.cancel()
  })

  it('frees the connection of an append whose response is longer than what is read', async () => {
    const fake = await startFake(({ response }) => response.end(Buffer.alloc(16 * 1024 * 1024)))
    const run = await openRun(fake.url)
    run.send(Buffer.from('a'))
    await until(() => fake.appends[0]?.response.closed === true, 'the answer to be taken or given up')
    run.cancel()
  })

  it('retries an append without a response, under the same number', async () => {
    const fake = await startFake((append, { appends }) => {
      if (append.number === 1 && appends.length < 4) append.response.destroy()
      else taken(append)
    })
    const run = await openRun(fake.url)
    for (const text of ['a', 'b', 'c']) run.send(Buffer.from(text))
    await until(() => fake.appends.length === 5, 'all tries')
    expect(fake.appends.map(({ number, text }) => `${number}${text}`)).toEqual(['0a', '1b', '1b', '1b', '2c'])
    run.cancel()
  })

  it('fails the run when an append never gets a response', async () => {
    const fake = await startFake(({ response }) => response.destroy())
    const run = await openRun(fake.url)
    const reading = failureOf(run.read())
    run.send(Buffer.from('a'))
    run.send(Buffer.from('b'))
    expect(await reading).toMatchObject({ code: 'upstream-unavailable' })
    expect(fake.appends.map(({ text }) => text)).toEqual(['a', 'a', 'a'])
    await until(() => fake.runs[0]!.response.destroyed, 'the run to be given up')
    run.send(Buffer.from('c'))
  })

  it('fails the run when an append is refused, without a retry', async () => {
    const fake = await startFake(({ response }) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"code":"unauthenticated","message":"Error"}')
    })
    const run = await openRun(fake.url)
    run.send(Buffer.from('a'))
    run.send(Buffer.from('b'))
    expect(await failureOf(run.read())).toMatchObject({ code: 'unauthenticated', status: 401 })
    expect(fake.appends.length).toBe(1)
  })

  it('fails the run when an append times out', async () => {
    const fake = await startFake(() => undefined)
    const run = await openRun(fake.url, { idleMs: 200 })
    run.send(Buffer.from('a'))
    expect(await failureOf(run.read())).toMatchObject({ code: 'timeout' })
    await until(() => fake.appends[0]!.response.destroyed, 'the append to be given up')
  })

  it('times out when nothing arrives during a read, and only then', async () => {
    const fake = await startFake(taken)
    const run = await openRun(fake.url, { idleMs: 300 })
    await until(() => fake.runs.length === 1, 'the run')
    respond(fake.runs[0]!.response).write(encodeEnvelope(Buffer.from('one')))
    // Without a read the clock does not run.
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await run.read())?.length).toBe(1)
    expect(await failureOf(run.read())).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/^box: nothing came from the upstream for/),
    })
    await until(() => fake.runs[0]!.response.destroyed, 'the upstream to see it')
  })

  it('does not time out while heartbeats arrive', async () => {
    const fake = await startFake(taken)
    const run = await openRun(fake.url, { idleMs: 1_000 })
    await until(() => fake.runs.length === 1, 'the run')
    respond(fake.runs[0]!.response)
    const beat = setInterval(() => fake.runs[0]!.response.write(encodeEnvelope(Buffer.from('.'))), 100)
    afterTest(beat, clearInterval)
    let beats = 0
    while (beats < 15) beats += (await run.read())?.length ?? 0
    run.cancel()
  })

  it('still sends the messages from before the close', async () => {
    const fake = await startFake((append) => setTimeout(() => taken(append), 20))
    const run = await openRun(fake.url)
    for (const text of ['a', 'b', 'c']) run.send(Buffer.from(text))
    run.close()
    run.send(Buffer.from('too late'))
    expect(await run.read()).toBeNull()
    await until(() => fake.appends.length === 3, 'the appends')
    await until(() => fake.runs[0]?.response.destroyed === true, 'the run to be let go of')
    expect(fake.appends.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
  })

  it('reports a refused connection', async () => {
    const run = await openRun(`http://127.0.0.1:${await freePort()}`)
    expect(await failureOf(run.read())).toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringMatching(/^box: .*ECONNREFUSED/),
    })
  })
})
