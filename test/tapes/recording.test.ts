// Recorded turns have both sides of the wire, complete and without secrets.

import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Frame, TapeHead } from '../../src/tapes/frame.ts'
import { until } from '../end-to-end/wire.ts'
import { type Bench, type BenchOptions, startBench, upstreamKey } from '../harness.ts'

interface Recorded {
  name: string
  text: string
  head: TapeHead
  frames: Frame[]
}

async function startRecording(
  options: BenchOptions = {},
  tapes: Record<string, unknown> = { record: 'all' },
) {
  const folder = await mkdtemp(join(tmpdir(), 'tapes-'))
  const bench = await startBench({
    ...options,
    settings: { ...options.settings, tapes },
    gateway: { ...options.gateway, tapeFolder: folder },
  })
  return { bench, folder }
}

/** Closes the gateway, which writes everything to disk. */
async function recordedBy({ bench, folder }: { bench: Bench; folder: string }): Promise<Recorded[]> {
  await bench.close()
  const names = (await readdir(folder)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      const [head, ...frames] = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      return { name, text, head, frames }
    }),
  )
}

const tools = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
]

async function ask(bench: Bench, body: Record<string, unknown>, headers: Record<string, string> = {}) {
  const response = await fetch(`${bench.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Hello' }], ...body }),
  })
  return {
    status: response.status,
    text: await response.text(),
    turn: response.headers.get('x-dragoman-turn'),
    notes: response.headers.get('x-dragoman-notes'),
  }
}

const written = (frames: readonly Frame[]) =>
  frames.flatMap((frame) => (frame.side === 'client' && frame.do === 'write' ? [frame.text] : [])).join('')
const came = (frames: readonly Frame[]) =>
  frames
    .flatMap((frame) =>
      frame.side === 'upstream' && frame.do === 'data' && 'text' in frame ? [frame.text] : [],
    )
    .join('')
const kindsOf = (frames: readonly Frame[]) => frames.map((frame) => `${frame.side} ${frame.do}`)

describe('a tape', () => {
  it.each(['anthropic', 'openai', 'text'])('has both sides of a stream from %s', async (backend) => {
    const recording = await startRecording()
    const answer = await ask(recording.bench, { model: `${backend}/m` })
    expect(answer.status).toBe(200)
    const [tape, ...others] = await recordedBy(recording)
    expect(others).toEqual([])
    expect(tape?.name).toContain(answer.turn)
    expect(tape?.head).toMatchObject({ tape: 1, origin: 'recorded' })
    const frames = tape?.frames ?? []
    expect(written(frames)).toBe(answer.text)
    expect(came(frames)).toContain('data: ')
    expect(kindsOf(frames).slice(0, 4)).toEqual([
      'gateway begin',
      'client request',
      'gateway target',
      'upstream request',
    ])
    expect(kindsOf(frames).slice(-1)).toEqual(['gateway finish'])
    expect(frames.every(({ turn }) => turn === answer.turn)).toBe(true)
    expect(frames.map(({ at }) => at)).toEqual(frames.map(({ at }) => at).toSorted((a, b) => a - b))
    expect(tape?.text).not.toContain(upstreamKey)
  })

  it('has a whole answer, and is for its owner only', async () => {
    const recording = await startRecording()
    const answer = await ask(recording.bench, { model: 'anthropic/m', stream: false })
    const { folder } = recording
    const [tape] = await recordedBy(recording)
    expect(written(tape?.frames ?? [])).toBe(answer.text)
    expect((await stat(join(folder, tape?.name ?? ''))).mode & 0o777).toBe(0o600)
  })

  it("has the refusal of an upstream, and the client's error", async () => {
    const recording = await startRecording()
    recording.bench.anthropic.play([
      {
        status: 400,
        body: { type: 'error', error: { type: 'invalid_request_error', message: `no ${upstreamKey}` } },
      },
    ])
    const answer = await ask(recording.bench, { model: 'anthropic/m' })
    expect(answer.status).toBe(400)
    const [tape] = await recordedBy(recording)
    const frames = tape?.frames ?? []
    expect(frames).toContainEqual(expect.objectContaining({ side: 'upstream', do: 'response', status: 400 }))
    expect(frames).toContainEqual(expect.objectContaining({ side: 'client', do: 'response', status: 400 }))
    expect(written(frames)).toBe(answer.text)
    expect(tape?.text).not.toContain(upstreamKey)
    expect(kindsOf(frames)).toContain('gateway finish')
  })

  it('of a parked run continues in the tape of the next turn', async () => {
    const recording = await startRecording()
    const { bench } = recording
    const user = { role: 'user', content: 'Read README.md' }
    const first = await ask(bench, { model: 'cursor/default', stream: false, tools, messages: [user] })
    const { message } = JSON.parse(first.text).choices[0]
    const results = message.tool_calls.map((call: { id: string }) => ({
      role: 'tool',
      tool_call_id: call.id,
      content: '# Title',
    }))
    const second = await ask(bench, { model: 'cursor/default', tools, messages: [user, message, ...results] })
    const [before, after] = await recordedBy(recording)
    expect(kindsOf(before?.frames ?? [])).toContain('run open')
    expect(after?.head.continues).toBe(first.turn)
    expect(kindsOf(after?.frames ?? [])).not.toContain('run open')
    expect(kindsOf(after?.frames ?? [])).toEqual(expect.arrayContaining(['run sent', 'run received']))
    expect(after?.frames).toContainEqual(expect.objectContaining({ do: 'session', state: 'live' }))
    expect(written(after?.frames ?? [])).toBe(second.text)
  })

  it('of a run whose beginning was not recorded says that something is missing', async () => {
    const recording = await startRecording({}, { record: 'asked' })
    const { bench } = recording
    const user = { role: 'user', content: 'Read README.md' }
    const first = await ask(bench, { model: 'cursor/default', stream: false, tools, messages: [user] })
    const { message } = JSON.parse(first.text).choices[0]
    const results = message.tool_calls.map((call: { id: string }) => ({
      role: 'tool',
      tool_call_id: call.id,
      content: '# Title',
    }))
    const again = { model: 'cursor/default', tools, messages: [user, message, ...results] }
    await ask(bench, again, { 'x-dragoman-record': '1' })
    expect(await recordedBy(recording)).toMatchObject([{ head: { cut: true } }])
  })

  it('is not made if recording is off, and a note says so', async () => {
    const recording = await startRecording({}, { record: 'off' })
    const asked = { 'x-dragoman-record': '1' }
    const { notes } = await ask(recording.bench, { model: 'anthropic/m' }, asked)
    expect(notes).toContain('x-dragoman-record was ignored: nothing is recorded here')
    expect(await recordedBy(recording)).toEqual([])
  })

  it('is made on request, if allowed', async () => {
    const keys = [
      { name: 'mine', key: 'sk-mine-123456', record: true },
      { name: 'other', key: 'sk-other-123456' },
    ]
    const recording = await startRecording(
      { settings: { auth: { keys } }, gateway: { keys } },
      { record: 'asked' },
    )
    const { bench } = recording
    const by = (key: string, record: string) => ({
      authorization: `Bearer ${key}`,
      'x-dragoman-record': record,
    })
    await ask(bench, { model: 'anthropic/m' }, by('sk-mine-123456', '0'))
    await ask(bench, { model: 'anthropic/m' }, by('sk-other-123456', '1'))
    const asked = await ask(bench, { model: 'anthropic/m' }, by('sk-mine-123456', '1'))
    const tapes = await recordedBy(recording)
    expect(tapes.map(({ frames }) => frames[0]?.turn)).toEqual([asked.turn])
    expect(tapes[0]?.text).not.toContain('sk-mine-123456')
  })

  it('is made of every turn if all are recorded, without a note', async () => {
    const keys = [{ name: 'other', key: 'sk-other-123456' }]
    const recording = await startRecording({ settings: { auth: { keys } }, gateway: { keys } })
    const headers = { authorization: 'Bearer sk-other-123456', 'x-dragoman-record': '1' }
    const { turn, notes } = await ask(recording.bench, { model: 'anthropic/m' }, headers)
    expect(notes).toBeNull()
    expect((await recordedBy(recording)).map(({ frames }) => frames[0]?.turn)).toEqual([turn])
  })

  it('is truncated at its limit, and marked as such', async () => {
    const recording = await startRecording({}, { record: 'all', maxBytes: 3_000 })
    recording.bench.anthropic.play([{ say: 'word '.repeat(2_000) }])
    await ask(recording.bench, { model: 'anthropic/m' })
    const [tape] = await recordedBy(recording)
    expect(tape?.head.cut).toBe(true)
    expect(tape?.text.length).toBeLessThan(8_000)
    expect(kindsOf(tape?.frames ?? []).at(-1)).toBe('gateway finish')
  })

  it('of a client that never reads is on disk when the gateway has stopped', async () => {
    const recording = await startRecording()
    const { bench, folder } = recording
    bench.openai.play([{ flood: { deltas: 20_000, text: 'word '.repeat(200) } }, { end: 'stop' }])
    const body = JSON.stringify({
      model: 'openai/m',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    const { hostname, port } = new URL(bench.url)
    const socket = connect(Number(port), hostname).pause()
    socket.on('error', () => undefined)
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await until(() => bench.openai.requests.length === 1)
    await bench.gateway.close(300)
    expect(await readdir(folder)).toHaveLength(1)
    socket.destroy()
    await bench.close()
  })

  it('goes when there are too many: the oldest first', async () => {
    const recording = await startRecording({}, { record: 'all', keepBytes: 6_000 })
    const turns: (string | null)[] = []
    for (let count = 0; count < 6; count++)
      turns.push((await ask(recording.bench, { model: 'anthropic/m' })).turn)
    const tapes = await recordedBy(recording)
    expect(tapes.length).toBeGreaterThan(0)
    expect(tapes.length).toBeLessThan(6)
    expect(tapes.map(({ frames }) => frames[0]?.turn)).toEqual(turns.slice(-tapes.length))
  })
})
