// Upstreams that send too much: the gateway neither stores it nor waits for its end, and answers the next request.
// test/end-to-end/bad-bodies.test.ts has the limits for clients.

import http2 from 'node:http2'
import net from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { askCursor, transports, useCursorBench } from '../cursor-bench.ts'
import { spread } from '../depth.ts'
import { expectNothingStray, startUpstream } from '../end-to-end/wire.ts'
import { ask, chat, chatStream, claudeAt, claudeNames, startGateway, upstreamKey } from '../harness.ts'
import { eventFrames, floods, headerFloods, hostileFrames } from './cases/sizes.ts'

expectNothingStray()

const services = ['openai', ...claudeNames, 'gemini'] as const

const startBox = (service: (typeof services)[number], baseUrl: string) =>
  startGateway({ backends: { box: boxAt(service, baseUrl) } })

function boxAt(service: (typeof services)[number], baseUrl: string) {
  if (service === 'openai') return { kind: service, baseUrl }
  return service === 'gemini' ? { kind: service, baseUrl, apiKey: upstreamKey } : claudeAt(service, baseUrl)
}

describe.each(transports)('frames over %s', (transport) => {
  const bench = useCursorBench({ transport })

  it.each(hostileFrames)('$name', async ({ bytes, says }) => {
    bench.sim.play([{ raw64: bytes.toString('base64') }, { fault: 'hang' }])
    const { status, json } = await chat(bench.url, askCursor('hello'))
    expect([status, json.error.message]).toEqual([502, expect.stringMatching(says)])
    bench.sim.play([{ say: 'still here' }, { end: true }])
    expect((await chat(bench.url, askCursor('hello'))).json.choices[0].message.content).toBe('still here')
  })

  it('in the middle of an answer they end it as an error, not as an answer', async () => {
    const [bomb] = hostileFrames
    bench.sim.play([
      { say: 'begun' },
      { wait: 20 },
      { raw64: String(bomb?.bytes.toString('base64')) },
      { fault: 'hang' },
    ])
    const answer = await chatStream(bench.url, askCursor('hello'))
    expect(answer.error?.message).toMatch(/unfolds to more than/)
    expect(answer.finishReason).toBeUndefined()
  })
})

describe('frames of Bedrock', () => {
  it.each(spread(eventFrames, 2))('$name', async ({ bytes, says }) => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
      response.write(bytes())
    })
    const { gateway, url } = await startBox('bedrock', upstream.url)
    const { status, error } = await chatStream(url, ask('box/x'))
    expect([status, error?.message]).toEqual([502, expect.stringMatching(says)])
    await gateway.close()
    await upstream.close()
  })
})

it('pieces of a call of Gemini that stand for far more than they are: an error, and no gigabyte', async () => {
  const partialArgs = Array.from({ length: 5_000 }, (_, at) => ({
    jsonPath: `$.a[${at}][9999]`,
    numberValue: 1,
  }))
  const calls = [{ name: 'read', willContinue: true }, { partialArgs }]
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const functionCall of calls)
      response.write(
        `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ functionCall }] } }] })}\n\n`,
      )
  })
  const { gateway, url } = await startBox('gemini', upstream.url)
  const { status, error } = await chatStream(url, ask('box/x'))
  expect([status, error?.message]).toEqual([502, expect.stringMatching(/malformed arguments/)])
  await gateway.close()
  await upstream.close()
})

describe.each(spread(services, 2))('bodies of an %s upstream', (service) => {
  it.each(floods)('$name', async ({ status, headers, piece, mostBytes, takenBytes, stream = false }) => {
    let written = 0
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(status, headers)
      const more = () => {
        while (written < mostBytes && !response.destroyed) {
          written += piece.length
          if (!response.write(piece)) return response.once('drain', more)
        }
        return response.end()
      }
      more()
    })
    const { gateway, url } = await startBox(service, upstream.url)
    const answer = stream ? await chatStream(url, ask('box/x')) : await chat(url, ask('box/x'))
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(written).toBeLessThan(takenBytes)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await gateway.close()
    await upstream.close()
  })

  it('an unrequested compressed answer is not decompressed', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(64 * 1024 * 1024)))
    })
    const { gateway, url } = await startBox(service, upstream.url)
    expect((await chat(url, ask('box/x'))).status).toBe(502)
    await gateway.close()
    await upstream.close()
  })

  it.each(headerFloods)('headers: $name', async ({ lines }) => {
    const upstream = await startRaw(['HTTP/1.1 200 OK', ...lines, 'content-length: 2', '', '{}'].join('\r\n'))
    const { gateway, url } = await startBox(service, upstream.url)
    expect((await chat(url, ask('box/x'))).status).toBe(502)
    await gateway.close()
    await upstream.close()
  })

  it('a thousand answers that are not the last one', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(1_000)
    const upstream = await startRaw(`${early}HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`)
    const { gateway, url } = await startBox(service, upstream.url)
    expect((await chat(url, ask('box/x'))).status).toBe(500)
    await gateway.close()
    await upstream.close()
  })
})

it('headers of an HTTP/2 answer without measure end the run, not the process', async () => {
  const server = http2.createServer({ maxSendHeaderBlockLength: 1_000_000 })
  server.on('session', (session) => session.on('error', () => undefined))
  server.on('stream', (stream) => {
    stream.on('error', () => undefined)
    const flood = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`x-${at}`, 'x'.repeat(100)]))
    stream.respond({ ':status': 200, ...flood }, { endStream: true })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`
  const cursor = { kind: 'cursor', baseUrl, accessToken: 'x', transport: 'http2' }
  const { gateway, url } = await startGateway({ backends: { cursor } })
  expect((await chat(url, askCursor('hello'))).status).toBeGreaterThanOrEqual(500)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  await gateway.close()
  await new Promise((resolve) => server.close(resolve))
})

/** Answers any data with this. */
async function startRaw(text: string) {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(text))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

describe.each(spread(services, 2))('values in answers of an %s upstream', (service) => {
  const emptyOnes = `{"type":"message_start","choices":[],"candidates":[],"content":[${Array(500_000).fill('{}').join(',')}]}`

  it.each([
    { form: 'whole', stream: false, type: 'application/json', body: emptyOnes },
    { form: 'streamed', stream: true, type: 'text/event-stream', body: `data: ${emptyOnes}\n\n` },
  ])('too many, $form: an error, and nothing of it is parsed', async ({ stream, type, body }) => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': type })
      response.end(body)
    })
    const { gateway, url } = await startBox(service, upstream.url)
    const { status, message } = stream
      ? await chatStream(url, ask('box/x')).then(({ status, error }) => ({ status, message: error?.message }))
      : await chat(url, ask('box/x')).then(({ status, json }) => ({ status, message: json.error.message }))
    expect([status, message]).toEqual([502, expect.stringMatching(/200000 JSON values/)])
    await gateway.close()
    await upstream.close()
  })
})
