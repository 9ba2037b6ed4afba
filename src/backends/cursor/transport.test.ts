// Both transports must treat the same responses alike.

import { randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { positions } from '../../../test/depth.ts'
import { afterTest, startHttp1, startHttp2, until, watchUncaught } from '../../../test/raw-peer.ts'
import type { GatewayError } from '../../core/errors.ts'
import { encodeEnvelope } from '../../protocols/connect/envelope.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import type { RunStream, RunTransport } from './transport.ts'
import { createHttp2Transport } from './transport-http2.ts'
import { createSseTransport } from './transport-sse.ts'

/** One answer to a run, on either transport. */
interface Answer {
  respond(status: number, headers: OutgoingHttpHeaders): void
  write(bytes: Uint8Array): void
  end(): void
  /** Breaks the answer off. */
  destroy(): void
  isGone(): boolean
}

interface Served {
  transport: RunTransport
}

const stream = { 'content-type': 'application/connect+proto' }
const message = (text: string) => encodeEnvelope(Buffer.from(text))
const endFrame = (json: unknown = {}) => encodeEnvelope(Buffer.from(JSON.stringify(json)), 0x02)
const refused = {
  error: { code: 'resource_exhausted', message: 'Error', details: [{ type: 'x', value: 'AA' }] },
}

async function overHttp2(onRun: (answer: Answer) => void): Promise<Served> {
  const peer = await startHttp2((it) =>
    onRun({
      respond: (status, headers) => it.respond({ ':status': status, ...headers }),
      write: (bytes) => void it.write(bytes),
      end: () => void it.end(),
      destroy: () => void it.destroy(new Error('broken off')),
      isGone: () => it.destroyed,
    }),
  )
  const transport = createHttp2Transport({ backend: 'box', baseUrl: peer.url, clientVersion: 'cli-1' })
  return { transport: afterTest(transport, () => transport.close()) }
}

async function overSse(onRun: (answer: Answer) => void): Promise<Served> {
  const peer = await startHttp1((request, response) => {
    if (request.url?.endsWith('/BidiAppend')) return response.end()
    return onRun({
      respond: (status, headers) => {
        response.writeHead(status, headers)
        response.flushHeaders()
      },
      write: (bytes) => void response.write(bytes),
      end: () => void response.end(),
      destroy: () => void response.destroy(),
      isGone: () => response.destroyed,
    })
  })
  const client = afterTest(createUpstreamClient(peer.url, { name: 'box' }), (it) => it.close())
  const transport = createSseTransport({ backend: 'box', client, clientVersion: 'cli-1' })
  return { transport: afterTest(transport, () => transport.close()) }
}

const openRun = (transport: RunTransport, signal = new AbortController().signal): Promise<RunStream> =>
  transport.open({ headers: { authorization: 'Bearer x' }, requestId: randomUUID(), signal })

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: GatewayError) => error,
  )

/** All messages, and how it ended. */
async function readRun(run: RunStream): Promise<{ messages: string[]; failure?: GatewayError }> {
  const messages: string[] = []
  try {
    for (let batch = await run.read(); batch !== null; batch = await run.read())
      messages.push(...batch.map((data) => Buffer.from(data).toString()))
    return { messages }
  } catch (failure) {
    return { messages, failure: failure as GatewayError }
  }
}

describe.each([
  ['http2', overHttp2],
  ['sse', overSse],
] as const)('%s', (name, serve) => {
  const run = async (onRun: (answer: Answer) => void) => openRun((await serve(onRun)).transport)
  const answering = (...parts: Uint8Array[]) =>
    run((answer) => {
      answer.respond(200, stream)
      for (const part of parts) answer.write(part)
      answer.end()
    })

  it('returns the messages, then null on every further read', async () => {
    const { transport } = await serve((answer) => {
      answer.respond(200, stream)
      answer.write(Buffer.concat([message('one'), message('two')]))
      answer.write(message('three'))
      answer.write(endFrame())
      answer.end()
    })
    expect(transport.name).toBe(name)
    const opened = await openRun(transport)
    expect(await readRun(opened)).toEqual({ messages: ['one', 'two', 'three'] })
    expect(await opened.read()).toBeNull()
    expect(await opened.read()).toBeNull()
    opened.send(Buffer.from('too late'))
    opened.close()
    opened.cancel()
  })

  it('does not wait for the response to end after the end frame', async () => {
    const opened = await run((answer) => {
      answer.respond(200, stream)
      answer.write(Buffer.concat([message('one'), endFrame()]))
    })
    expect(await readRun(opened)).toEqual({ messages: ['one'] })
  })

  it('throws the error of the end frame after the messages before it', async () => {
    const opened = await answering(Buffer.concat([message('one'), endFrame(refused)]))
    expect((await opened.read())?.map((data) => Buffer.from(data).toString())).toEqual(['one'])
    const failure = await failureOf(opened.read())
    expect(failure).toMatchObject({ code: 'rate-limited', upstream: { status: 200 } })
    expect(failure.message).toMatch(/^box: resource_exhausted without an explanation/)
    expect(await failureOf(opened.read())).toBe(failure)
  })

  it('reads the same for a cut at every byte', async () => {
    const whole = Buffer.concat([
      message('one'),
      encodeEnvelope(gzipSync('two'), 1),
      message(''),
      endFrame(refused),
    ])
    const cuts = positions(whole.length + 1, 20)
    let next = 0
    const { transport } = await serve((answer) => {
      const cut = cuts[next++]
      answer.respond(200, stream)
      answer.write(whole.subarray(0, cut))
      setTimeout(() => {
        answer.write(whole.subarray(cut))
        answer.end()
      }, 2)
    })
    for (const _cut of cuts) {
      const { messages, failure } = await readRun(await openRun(transport))
      expect({ messages, code: failure?.code }).toEqual({
        messages: ['one', 'two', ''],
        code: 'rate-limited',
      })
    }
  })

  it('detects a cut at every byte', async () => {
    const whole = Buffer.concat([message('one'), message('two'), endFrame()])
    let next = 0
    const { transport } = await serve((answer) => {
      answer.respond(200, stream)
      answer.write(whole.subarray(0, next++))
      answer.end()
    })
    for (let cut = 0; cut < whole.length; cut++) {
      const { messages, failure } = await readRun(await openRun(transport))
      expect(messages).toEqual(cut < 8 ? [] : cut < 16 ? ['one'] : ['one', 'two'])
      expect(failure?.code).toBe('upstream-protocol')
      const words =
        cut % 8 === 0
          ? /ended (?:without its end-of-stream frame|before anything came)/
          : /ended in the middle of a frame/
      expect(failure?.message).toMatch(words)
    }
    expect(await readRun(await openRun(transport))).toEqual({ messages: ['one', 'two'] })
  })

  it('reports an empty response', async () => {
    const { failure } = await readRun(await answering())
    expect(failure?.message).toMatch(/ended before anything came; a host of the wrong region/)
  })

  it.each([
    ['a lying length', Buffer.from([0, 0xff, 0, 0, 0, 1]), /a frame of 4278190080 bytes/],
    ['unknown flags', Buffer.from([0x80, 0, 0, 0, 0]), /unknown flags/],
    ['a gzip bomb', encodeEnvelope(gzipSync(Buffer.alloc(40 * 1024 * 1024)), 1), /unfolds to more than/],
    ['an end frame that is no JSON', encodeEnvelope(Buffer.from('end'), 2), /not a JSON object/],
  ])('refuses %s', async (_name, bad, words) => {
    const { messages, failure } = await readRun(await answering(message('one'), bad))
    expect(messages).toEqual(['one'])
    expect(failure).toMatchObject({ code: 'upstream-protocol', message: expect.stringMatching(words) })
  })

  it('returns at most a slice of many compressed messages at a time', async () => {
    const packed = encodeEnvelope(gzipSync(Buffer.alloc(1024 * 1024)), 1)
    const many = Buffer.concat([...Array.from({ length: 200 }, () => packed), endFrame()])
    const opened = await answering(many)
    let total = 0
    for (let batch = await opened.read(); batch !== null; batch = await opened.read()) {
      expect(batch.length).toBeLessThan(40)
      total += batch.length
    }
    expect(total).toBe(200)
  })

  const json = { 'content-type': 'application/json' }
  const html = { 'content-type': 'text/html' }
  it.each([
    [464, html, '', 'upstream-protocol', /HTTP 464/],
    [401, json, '{"code":"unauthenticated","message":"Error"}', 'unauthenticated', /not logged in/],
    [
      429,
      { ...json, 'retry-after': '3' },
      '{"code":"resource_exhausted","message":"slow down"}',
      'rate-limited',
      /slow down/,
    ],
    [
      502,
      html,
      '<html><h1>Bad gateway</h1></html>',
      'upstream-unavailable',
      /HTTP 502 without an explanation/,
    ],
    [404, html, 'nope', 'not-found', /baseUrl/],
    [
      302,
      { location: 'http://169.254.169.254/' },
      '',
      'upstream-protocol',
      /redirects \(HTTP 302\), which is never/,
    ],
    [200, html, '<html>', 'upstream-protocol', /content type "text\/html" instead of an agent stream/],
    [200, {}, '', 'upstream-protocol', /content type "none"/],
    [200, json, '{"code":"unavailable","message":"later"}', 'upstream-unavailable', /later/],
  ] as const)('HTTP %i %j %s is %s', async (status, headers, body, code, words) => {
    const opened = await run((answer) => {
      answer.respond(status, headers)
      if (body) answer.write(Buffer.from(body))
      answer.end()
    })
    const failure = await failureOf(opened.read())
    expect(failure).toMatchObject({ code, upstream: { status, excerpt: body } })
    expect(failure.message).toMatch(words)
    expect(failure.retryAfterMs).toBe('retry-after' in headers ? 3000 : undefined)
  })

  it('uses the available part of a refusal that breaks off', async () => {
    const opened = await run((answer) => {
      answer.respond(503, html)
      answer.write(Buffer.from('half'))
      setTimeout(() => answer.destroy(), 20)
    })
    expect(await failureOf(opened.read())).toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringMatching(/HTTP 503/),
    })
  })

  it('fails when the response breaks off', async () => {
    const uncaught = watchUncaught()
    const opened = await run((answer) => {
      answer.respond(200, stream)
      answer.write(message('one'))
      setTimeout(() => answer.destroy(), 20)
    })
    const { messages, failure } = await readRun(opened)
    expect(messages).toEqual(['one'])
    expect(failure).toMatchObject({ code: 'upstream-unavailable', retryable: true })
    opened.send(Buffer.from('into nothing'))
    expect(uncaught).toEqual([])
  })

  it.each(['cancel', 'signal', 'close'])(
    '%s: the upstream sees the end, and so does who reads',
    async (how) => {
      const answers: Answer[] = []
      const { transport } = await serve((answer) => {
        answers.push(answer)
        answer.respond(200, stream)
        answer.write(message('one'))
      })
      const abort = new AbortController()
      const opened = await openRun(transport, abort.signal)
      await opened.read()
      const reading = opened.read().catch((error: GatewayError) => error.code)
      if (how === 'signal') abort.abort()
      else if (how === 'cancel') opened.cancel()
      else opened.close()
      expect(await reading).toBe(how === 'close' ? null : 'canceled')
      await until(() => answers[0]!.isGone(), 'the upstream to see it')
      if (how === 'close') expect(await opened.read()).toBeNull()
    },
  )

  it('is canceled before any response, and when the signal is aborted from the start', async () => {
    const answers: Answer[] = []
    const { transport } = await serve((answer) => void answers.push(answer))
    const abort = new AbortController()
    const opened = await openRun(transport, abort.signal)
    const reading = failureOf(opened.read())
    await until(() => answers.length === 1, 'the run to arrive')
    abort.abort()
    expect((await reading).code).toBe('canceled')
    await until(() => answers[0]!.isGone(), 'the upstream to see it')
    expect((await failureOf(openRun(transport, AbortSignal.abort()))).code).toBe('canceled')
  })
})
