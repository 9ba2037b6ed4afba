// Line breaks and similar characters in headers, events and log lines, from clients and from services, at every door.

import net from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeChunk } from '../../sim/clouds/event-stream.ts'
import { parseJson } from '../../src/base/json.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { isNightly, spread } from '../depth.ts'
import {
  expectNothingStray,
  hostLine,
  type RawUpstream,
  rawRequest,
  startUpstream,
} from '../end-to-end/wire.ts'
import { ask, type Body, claudeAt, claudeNames, startGateway, upstreamKey, useBench } from '../harness.ts'
import {
  blockStart,
  blockStop,
  callDelta,
  chunk,
  done,
  geminiChunk,
  messageEnd,
  messageStart,
} from '../wire-cases/frames.ts'
import { clientHeaders, lineBreaks, sentHeaders, upstreamHeaders } from './cases/breaks.ts'
import { begun, refusals } from './cases/refusals.ts'
import { askDoor, type DoorAnswer, expectCleanStream, threatDoors } from './doors.ts'

expectNothingStray()
const bench = useBench({ openai: { lenient: true }, text: { lenient: true }, clouds: true })
const openai = 'openai/gpt-demo'
const claudes = claudeNames.map((service) => ({ service, model: `${service}/claude-demo` }))
const gemini = 'gemini/gemini-3.8-flash'
const models = [openai, 'text/text-demo', 'cursor/composer-2', gemini, ...claudes.map(({ model }) => model)]
/** By day Anthropic alone. */
const claudesOfTheRun = spread(claudes, 1)

/** Of an answer in either form: headers of one line, a body that is nothing but JSON. */
function expectClean(answer: DoorAnswer): unknown[] {
  expect(answer.status).toBeLessThan(500)
  for (const [, value] of answer.headers) expect(value).toMatch(/^[\x20-\x7e]*$/)
  if (/event-stream|ndjson/.test(answer.headers.get('content-type') ?? '')) return expectCleanStream(answer)
  return [JSON.parse(answer.raw)]
}

function expectCleanLog(): void {
  for (const line of bench.logs) {
    expect(line.slice(0, -1)).not.toMatch(/[\r\n\0]/)
    JSON.parse(line)
  }
}

const metricsLine = /^(# (HELP|TYPE) .*|\w+(\{(\w+="([^"\\\n]|\\["\\n])*",?)*\})? [\d.e+-]+|)$/

/** A path cannot hold half of a surrogate pair: no client can send it there. */
const doorsNaming = (text: string) =>
  threatDoors.filter(({ isAllInPath }) => !isAllInPath || !/\p{Surrogate}/u.test(text))

describe.each(spread(lineBreaks, 1))('%j', (evil) => {
  it.each(doorsNaming(evil))('in the model, by $name', async (door) => {
    const model = `openai/gpt${evil}demo`
    const answer = await askDoor(bench.url, door, { model, stream: true })
    expect(answer.status).toBe(200)
    expect(JSON.stringify(expectClean(answer)[0])).toContain(JSON.stringify(model).slice(1, -1))
    for (const other of [
      `nowhere${evil}/x`,
      `gemini/gemini${evil}x`,
      ...claudesOfTheRun.map(({ model }) => model.replace('-', evil)),
    ])
      expectClean(await askDoor(bench.url, door, { model: other }))
    const metrics = await (await fetch(`${bench.url}/metrics`)).text()
    expect(metrics.split('\n').filter((line) => !metricsLine.test(line))).toEqual([])
    expectCleanLog()
  })

  it.each(threatDoors)('in names, ids, results and unknown types, by $name', async (door) => {
    const name = `re${evil}ad`
    const made = { id: `id${evil}`, name, input: '{}', result: `done${evil}` }
    // By day two of them at each door.
    const from = threatDoors.indexOf(door)
    for (const model of isNightly ? models : models.slice(from, from + 2)) {
      const more = { [`x${evil}`]: evil, metadata: { user_id: evil }, user: `u${evil}` }
      const stream = model !== openai
      expectClean(await askDoor(bench.url, door, { model, made, tools: [{ name }], stream, more }))
    }
    const odd = { tools: [{ type: `web${evil}search`, name: `x${evil}` }] }
    expectClean(await askDoor(bench.url, door, { model: openai, stream: true, more: odd }))
    expectCleanLog()
  })

  it.each(threatDoors)('in ids, names, texts and reasons of an openai upstream, by $name', async (door) => {
    const call = { id: `id${evil}`, type: 'function', function: { name: `read${evil}`, arguments: '{}' } }
    bench.openai.play([
      chunk({ role: 'assistant', content: `a${evil}b`, reasoning_content: evil }),
      callDelta({ index: 0, ...call }),
      chunk({}, `end${evil}`),
      done,
    ])
    const answer = await askDoor(bench.url, door, { model: openai, tools: [{ name: 'read' }], stream: true })
    expect(JSON.stringify(expectClean(answer))).toContain(JSON.stringify(`a${evil}b`).slice(1, -1))
  })

  describe.each(claudesOfTheRun)('of $model', ({ service, model }) => {
    it.each(threatDoors)('in those of the upstream, by $name', async (door) => {
      bench[service].play([
        messageStart,
        blockStart(0, { type: 'text', text: `a${evil}b` }),
        blockStop(0),
        blockStart(1, { type: 'tool_use', id: `id${evil}`, name: `read${evil}`, input: {} }),
        blockStop(1),
        ...messageEnd(`end${evil}`),
      ])
      const answer = await askDoor(bench.url, door, { model, tools: [{ name: 'read' }], stream: true })
      expect(JSON.stringify(expectClean(answer))).toContain(JSON.stringify(`a${evil}b`).slice(1, -1))
    })
  })

  it.each(threatDoors)('in ids, names, texts and reasons of a gemini upstream, by $name', async (door) => {
    const call = { id: `id${evil}`, name: `read${evil}`, args: { [`a${evil}`]: evil } }
    bench.gemini.play([
      geminiChunk([{ text: evil, thought: true, thoughtSignature: `sig${evil}` }, { text: `a${evil}b` }]),
      geminiChunk([{ functionCall: call, thoughtSignature: evil }, { [evil]: evil }], `END${evil}`),
    ])
    const answer = await askDoor(bench.url, door, { model: gemini, tools: [{ name: 'read' }], stream: true })
    expect(JSON.stringify(expectClean(answer))).toContain(JSON.stringify(`a${evil}b`).slice(1, -1))
    for (const blockReason of [evil, `SAFETY${evil}`]) {
      bench.gemini.play([{ frame: { promptFeedback: { blockReason, [evil]: evil } } }])
      expectClean(await askDoor(bench.url, door, { model: gemini, stream: true }))
    }
    expectCleanLog()
  })

  describe.each(
    spread(
      [
        { service: 'gemini' as const, model: gemini },
        { service: 'openai' as const, model: openai },
        ...claudes,
      ],
      2,
    ),
  )('of $model', ({ service, model }) => {
    const { early, late } = refusals[service](`t${evil}`, `no${evil}way`)

    it.each(threatDoors)('in an error, before and after the first token, by $name', async (door) => {
      for (const step of early) {
        bench[service].play([step])
        const { error } = (await askDoor(bench.url, door, { model })).json
        expect(error.message ?? error).toContain(`no${evil}way`)
      }
      bench[service].play(late)
      expectClean(await askDoor(bench.url, door, { model, stream: true }))
      expectCleanLog()
    })
  })

  it.each(spread(threatDoors, 1))(
    'inside and behind the JSON of a frame of Bedrock, by $name',
    async (door) => {
      for (const frame of [`{"type":"ping",${evil}"x":1}`, `{"type":"ping"}${evil}`]) {
        const raw64 = encodeChunk(frame).toString('base64')
        bench.bedrock.play([...begun, { raw64 }, blockStop(0), ...messageEnd('end_turn')])
        const answer = await askDoor(bench.url, door, { model: 'bedrock/claude-demo', stream: true })
        expectClean(answer)
        // Some of them are blanks of JSON.
        if (parseJson(frame) !== undefined) expect(answer.raw).not.toMatch(/"error":(?!null)/)
      }
    },
  )
})

describe('headers of an upstream', () => {
  let upstream: RawUpstream
  let url: string
  let reply: { status: number; body: string }
  let close: () => Promise<void>
  beforeAll(async () => {
    upstream = await startUpstream((_request, response) => {
      const headers = upstreamHeaders.flat()
      response.writeHead(reply.status, ['content-type', 'application/json', ...headers])
      response.end(reply.body)
    })
    const started = await startGateway({
      backends: {
        openai: { kind: 'openai', baseUrl: upstream.url },
        gemini: { kind: 'gemini', baseUrl: upstream.url, apiKey: upstreamKey },
        ...Object.fromEntries(
          claudesOfTheRun.map(({ service }) => [service, claudeAt(service, upstream.url)]),
        ),
      },
    })
    url = started.url
    close = () => started.gateway.close()
  })
  afterAll(async () => {
    await close()
    await upstream.close()
  })

  const chatAnswer = '{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}'
  const message =
    '{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}'

  const generated = '{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}'
  const bodies = new Map([
    ['openai', chatAnswer],
    ['gemini', generated],
  ])

  it.each(threatDoors)('none of them reaches a client, by $name', async (door) => {
    for (const backend of ['openai', 'gemini', ...claudesOfTheRun.map(({ service }) => service)]) {
      const body = bodies.get(backend) ?? message
      for (const status of [200, 400, 429, 500]) {
        reply = { status, body }
        const { headers } = await askDoor(url, door, { model: `${backend}/x` })
        const told = upstreamHeaders.filter(([name, value]) => headers.get(name) === value)
        expect(told).toEqual([])
      }
    }
  })

  it('one with a line break in it is an upstream that does not speak HTTP', async () => {
    const raw = await startRaw('HTTP/1.1 200 OK\r\nx-a: b\rx-injected: yes\r\ncontent-length: 2\r\n\r\n{}')
    const { gateway, url: other } = await startGateway({
      backends: { openai: { kind: 'openai', baseUrl: raw.url } },
    })
    for (const door of threatDoors) {
      const { status, headers } = await askDoor(other, door, { model: 'openai/x' })
      expect([status, headers.get('x-injected')]).toEqual([502, null])
    }
    await gateway.close()
    await raw.close()
  })

  /** Answers any data with these bytes. */
  async function startRaw(text: string): Promise<RawUpstream> {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(text))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as net.AddressInfo
    return {
      url: `http://127.0.0.1:${port}`,
      close: () => new Promise((resolve) => server.close(() => resolve())),
    }
  }
})

describe('headers of a client', () => {
  it.each(threatDoors)('none of them goes upstream, by $name', async (door) => {
    const body = JSON.stringify({ model: '', ...door.toBody({ model: '' }) })
    for (const [model, sim] of [
      [openai, bench.openai],
      ['text/text-demo', bench.text],
      [gemini, bench.gemini],
      ...claudesOfTheRun.map(({ service, model }) => [model, bench[service]] as const),
    ] as const) {
      const sent = body.replace('"model":""', `"model":"${model}"`)
      const lines = [
        hostLine(bench.url),
        'Content-Type: application/json',
        `Content-Length: ${sent.length}`,
        ...clientHeaders.map(([name, value]) => `${name}: ${value}`),
      ]
      const answer = await rawRequest(bench.url, {
        method: 'POST',
        path: door.path({ model }),
        lines,
        body: sent,
      })
      expect(answer.body).toContain(model)
      const [request] = sim.requests
      expect(JSON.stringify(request?.headers)).not.toContain('client-canary')
      expect(Object.keys(request?.headers ?? {}).filter((name) => !sentHeaders.includes(name))).toEqual([])
    }
  })

  it('their lines cannot be broken in two: HTTP itself refuses', async () => {
    const body = JSON.stringify(ask(openai))
    for (const evil of ['a\0b', 'a\rb', 'a\r\n b', 'a\nX-Injected : 1']) {
      const lines = [hostLine(bench.url), `Content-Length: ${body.length}`, `User-Agent: ${evil}`]
      const path = '/v1/chat/completions'
      const { status } = await rawRequest(bench.url, { method: 'POST', path, lines, body })
      expect([evil, status]).toEqual([evil, 400])
    }
  })
})

describe('headers of the configuration', () => {
  const environment = readEnvironment({ HOME: '/nonexistent', BROKEN: 'sk-canary\n' })
  const parse = (fields: Body) => {
    const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:1', ...fields }
    return () => parseConfig(JSON.stringify({ backends: { box } }), { environment })
  }

  it.each(['a\r\nb', 'a\nb', 'a\0b', 'a\u2028b', '{env:BROKEN}'])(
    '%j is not a valid value or key',
    (value) => {
      expect(parse({ headers: { 'x-a': value } })).toThrow(/headers/)
      expect(parse({ apiKey: value })).toThrow(/apiKey/)
      expect(parse({ apiKey: value })).not.toThrow(/canary/)
    },
  )

  it.each(['a b', 'a:b', 'a\r\nb', '', '\u00e4'])('%j is not a valid name', (name) => {
    expect(parse({ headers: { [name]: 'x' } })).toThrow(/headers/)
  })
})
