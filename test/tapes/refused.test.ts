// A request with the right key that is refused, however it is refused, is a turn at every door: one line in the log, one count, a tape
// with what was sent, and a replay that is equal or says why not.

import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { replay } from '../../src/replay/replay.ts'
import type { Frame } from '../../src/tapes/frame.ts'
import type { ReadTape } from '../../src/tapes/read.ts'
import { refusalProblem } from '../../src/tapes/refused-turn.ts'
import { reportOf } from '../../src/tapes/tape-report.ts'
import { isNightly } from '../depth.ts'
import { connect, hostLine, until } from '../end-to-end/wire.ts'
import { ask, type Bench, startBench, useBench } from '../harness.ts'
import { SocketClient } from '../open-responses/socket-client.ts'
import { bodyFor, type ThreatDoor, threatDoors } from '../threats/doors.ts'
import { KeptTapes } from './kept-tapes.ts'

const kept = new KeptTapes()
const limits = { bodyBytes: 200_000, bodyValues: 5_000 }
const bench = useBench({ settings: { limits, tapes: { record: 'off' } }, gateway: { tapeSource: kept } })

const model = 'anthropic/claude-x'
const wrongField = {
  ...{ Chat: 'messages', Messages: 'messages', Responses: 'input', Gemini: 'contents', Ollama: 'messages' },
} as const
const good = (door: ThreatDoor) => JSON.stringify(bodyFor(door, { model }))

interface Way {
  name: string
  code: string
  body(door: ThreatDoor): string | Uint8Array | ReadableStream
  headers?: Record<string, string>
  model?: string
  /** What the tape must hold of the body. */
  keeps?(body: string, sent: string): void
  /** Why the tape cannot be replayed; undefined if it replays equal. */
  unplayable?: string
}

const whole = (body: string, sent: string) => expect(body).toBe(sent)
const none = (body: string) => expect(body).toBe('')
const beginning = (body: string, sent: string) => {
  expect(body.length).toBeLessThanOrEqual(64 * 1024)
  expect(body.length).toBeGreaterThan(1_000)
  expect(sent.startsWith(body)).toBe(true)
}
const long = `{"model":"${model}","text":"${'x'.repeat(300_000)}`

const ways: readonly Way[] = [
  { name: 'no JSON', code: 'invalid-request', body: () => '{"model": "m", "messages": [', keeps: whole },
  { name: 'an empty body', code: 'invalid-request', body: () => '', keeps: none },
  { name: 'a number', code: 'invalid-request', body: () => '7', keeps: whole },
  { name: 'too deep', code: 'invalid-request', body: () => '['.repeat(100), keeps: whole },
  {
    name: 'no UTF-8',
    code: 'invalid-request',
    body: () => Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    keeps: (body) => expect(body).toBe('"\ufffd\ufffd"'),
    unplayable: 'not on the tape as a whole',
  },
  {
    name: 'too large, by its own word',
    code: 'payload-too-large',
    body: () => long,
    keeps: none,
    unplayable: 'too large',
  },
  {
    name: 'too large, as it turns out',
    code: 'payload-too-large',
    body: () => new Blob([long]).stream(),
    keeps: (body) => beginning(body, long),
    unplayable: 'too large',
  },
  {
    name: 'too many values',
    code: 'payload-too-large',
    body: () => `[${'1,'.repeat(6_000)}1]`,
    keeps: whole,
    unplayable: 'too large',
  },
  {
    name: 'no JSON, and long',
    code: 'invalid-request',
    body: () => long.slice(0, 150_000),
    keeps: beginning,
    unplayable: 'not on the tape as a whole',
  },
  {
    name: 'another media type',
    code: 'unsupported-media',
    body: good,
    headers: { 'content-type': 'text/plain' },
    keeps: none,
  },
  {
    name: 'compressed',
    code: 'unsupported-media',
    body: good,
    headers: { 'content-encoding': 'gzip' },
    keeps: none,
  },
  {
    name: 'a field of the wrong kind',
    code: 'invalid-request',
    body: (door) =>
      JSON.stringify({ ...JSON.parse(good(door)), [wrongField[door.name as keyof typeof wrongField]]: 5 }),
    keeps: whole,
  },
  {
    name: 'an unknown model',
    code: 'not-found',
    model: 'nowhere',
    body: (door) => JSON.stringify(bodyFor(door, { model: 'nowhere' })),
    keeps: whole,
    unplayable: 'the model was unknown',
  },
]

const asTape = (turn: string, frames: readonly Frame[]): ReadTape => ({
  head: { tape: 1, dragoman: '0', recordedAt: '', origin: 'recorded' },
  turn,
  frames: [...frames],
  line: 1,
  lines: [],
})

const lines = ({ logs }: Bench) => logs.map((line) => JSON.parse(line) as Record<string, unknown>)
const only = <What extends Frame['do']>(frames: readonly Frame[], side: Frame['side'], what: What) => {
  const found = frames.filter((frame) => frame.side === side && frame.do === what)
  expect(found, `${side} ${what}`).toHaveLength(1)
  return found[0] as Extract<Frame, { do: What }>
}

async function count(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const values = text.split('\n').filter((line) => line.startsWith(`${name}{`))
  return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** By day each way at one door, and each door at some way. */
const rows = ways.flatMap((way, at) =>
  threatDoors
    .filter((_door, index) => isNightly || index === at % threatDoors.length)
    .map((door) => ({ way, door, title: `${way.name}, at ${door.name}` })),
)

describe.each(rows)('$title', ({ way, door }) => {
  it('is a turn', async () => {
    const sent = way.body(door)
    const before = await Promise.all(
      ['dragoman_turns_total', 'dragoman_requests_refused_total'].map((name) => count(bench.url, name)),
    )
    const answer = await fetch(bench.url + door.path({ model: way.model ?? model }), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...way.headers },
      body: sent,
      ...(sent instanceof ReadableStream ? { duplex: 'half' } : {}),
    } as RequestInit)
    const text = await answer.text()
    const turn = answer.headers.get('x-dragoman-turn') ?? ''
    await until(() => kept.frames(turn).length > 0 && kept.isOver(turn))
    const frames = kept.frames(turn)
    const begin = only(frames, 'gateway', 'begin') as Extract<Frame, { side: 'gateway'; do: 'begin' }>
    if (door.isAllInPath) expect(begin.model).toBe(way.model ?? model)
    const request = only(frames, 'client', 'request') as Extract<Frame, { do: 'request'; side: 'client' }>
    if (typeof sent === 'string') way.keeps?.(request.body, sent)
    else way.keeps?.(request.body, '')
    expect(request.bodyCut === true).toBe(request.body !== sent)
    const { error, outcome } = only(frames, 'gateway', 'finish') as Extract<Frame, { do: 'finish' }>
    expect([error?.code, outcome]).toEqual([way.code, way.code])
    expect((only(frames, 'client', 'response') as { status: number }).status).toBe(answer.status)
    expect((only(frames, 'client', 'write') as { text: string }).text).toBe(text)
    // Said once, counted once.
    const said = lines(bench).filter((line) => line.turn === turn)
    expect(said).toMatchObject([{ message: 'turn', level: 'warn', code: way.code, outcome: way.code }])
    const after = await Promise.all(
      ['dragoman_turns_total', 'dragoman_requests_refused_total'].map((name) => count(bench.url, name)),
    )
    expect(after).toEqual(before.map((value) => value + 1))
    expect(reportOf(asTape(turn, frames))).toContain(`error ${way.code}: `)
    if (way.unplayable) expect(refusalProblem(frames)).toContain(way.unplayable)
    else {
      expect(refusalProblem(frames)).toBeUndefined()
      const { turns, remarks } = await replay([asTape(turn, frames)])
      expect([turns[0]?.difference, remarks]).toEqual([undefined, []])
    }
  })
})

describe('a gateway that takes no requests', () => {
  it('has turns for those it refuses while it stops', async () => {
    const own = new KeptTapes()
    const stopping = await startBench({ gateway: { tapeSource: own } })
    stopping.openai.play([{ say: 'x' }, { wait: 60_000 }])
    const running = await fetch(`${stopping.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ask('openai/gpt-demo', { stream: true })),
    })
    const closing = stopping.gateway.close(60_000)
    const refused = await fetch(`${stopping.url}/v1/messages`, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(529)
    const turn = refused.headers.get('x-dragoman-turn') ?? ''
    expect(only(own.frames(turn), 'gateway', 'finish')).toMatchObject({ outcome: 'upstream-unavailable' })
    expect(refusalProblem(own.frames(turn))).toContain('The gateway is stopping')
    // Not a turn: nothing is asked of a model.
    const count = await fetch(`${stopping.url}/v1/messages/count_tokens`, { method: 'POST', body: '{}' })
    expect([count.status, count.headers.get('x-dragoman-turn')]).toEqual([503, null])
    expect(own.turns).toHaveLength(2)
    await running.body?.cancel()
    await closing
    await stopping.close()
  })

  it('has turns for those on connections beyond its limit', async () => {
    const own = new KeptTapes()
    const crowded = await startBench({
      gateway: { tapeSource: own, serverLimits: { maxConnections: 1 } },
    })
    crowded.openai.play([{ say: 'x' }, { wait: 60_000 }])
    const running = await fetch(`${crowded.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ask('openai/gpt-demo', { stream: true })),
    })
    const answer = await fetch(`${crowded.url}/v1/responses`, { method: 'POST', body: '{}' })
    expect([answer.status, (await answer.text()).includes('more connections than it takes')]).toEqual([
      503,
      true,
    ])
    const turn = answer.headers.get('x-dragoman-turn') ?? ''
    expect(only(own.frames(turn), 'gateway', 'finish')).toMatchObject({ outcome: 'upstream-unavailable' })
    await running.body?.cancel()
    await crowded.close()
  })
})

it('a client that leaves while it sends its body has a turn that says so', async () => {
  const before = kept.turns.length
  const socket = connect(bench.url)
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\n${hostLine(bench.url)}\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"model": `,
  )
  await once(socket, 'connect')
  await until(() => socket.bytesWritten > 0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.destroy()
  await until(() => kept.turns.length > before && kept.isOver(kept.turns.at(-1) ?? ''))
  const frames = kept.frames(kept.turns.at(-1) ?? '')
  expect(only(frames, 'gateway', 'finish')).toMatchObject({ outcome: 'canceled' })
  expect(only(frames, 'client', 'request')).toMatchObject({ body: '{"model": ', bodyCut: true })
})

describe('a message of a WebSocket that gets no answer', () => {
  const model = 'openai/gpt-demo'
  const rows: readonly [name: string, message: object | string, code: string, body: string][] = [
    ['no JSON', '{"type": ', 'invalid-request', '{"type": '],
    ['no response.create', { type: 'session.update' }, 'invalid-request', '{"type":"session.update"}'],
    [
      'a beginning that is refused',
      { type: 'response.create', generate: false, model, input: 5 },
      'invalid-request',
      `{"stream":true,"model":"${model}","input":5}`,
    ],
    [
      'an unknown model',
      { type: 'response.create', model: 'nowhere', input: 'x' },
      'not-found',
      '{"stream":true,"model":"nowhere","input":"x"}',
    ],
  ]

  it.each(rows)('%s, is a turn', async (_name, message, code, body) => {
    const before = kept.turns.length
    const client = await SocketClient.open(bench.url)
    client.send(message)
    await until(() => client.messages.some(({ type }) => type === 'error' || type === 'response.failed'))
    await until(() => kept.turns.length > before && kept.isOver(kept.turns.at(-1) ?? ''))
    const turn = kept.turns.at(-1) ?? ''
    expect(only(kept.frames(turn), 'client', 'request')).toMatchObject({ path: '/v1/responses', body })
    expect(only(kept.frames(turn), 'gateway', 'finish')).toMatchObject({ outcome: code })
    expect(lines(bench).filter((line) => line.turn === turn)).toMatchObject([{ message: 'turn', code }])
    expect(kept.turns.length).toBe(before + 1)
    client.close()
  })
})
