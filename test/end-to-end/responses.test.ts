// The Responses door over the wire: keep-alives, failures after them, streamed arguments, ownership of stored answers.

import { describe, expect, it } from 'vitest'
import { quickRetries, useBench } from '../harness.ts'
import { eventProblems } from '../open-responses/required.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { blockStop, json, messageEnd, messageStart, toolUse } from '../wire-cases/frames.ts'
import { expectNothingStray } from './wire.ts'

expectNothingStray()
const bench = useBench({
  settings: { clients: { codex: { toolArguments: 'streamed' } } },
  gateway: {
    keepAliveMs: 60,
    retryPolicy: quickRetries,
    keys: [
      { name: 'one', key: 'key-of-one-0123456789' },
      { name: 'two', key: 'key-of-two-0123456789' },
    ],
  },
})

const model = 'anthropic/claude-demo'
const read = { type: 'function', name: 'read', parameters: { type: 'object', properties: { path: {} } } }

const call = (body: object, { headers = {}, key = 'key-of-one-0123456789' } = {}) =>
  fetch(`${bench.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ model, input: 'hello', tools: [read], ...body }),
  })

const streamed = async (body: object = {}, options = {}) =>
  readResponsesStream(await call({ stream: true, ...body }, options))

const slowCall = [
  messageStart,
  toolUse(0, 'toolu_1', 'read'),
  json(0, '{"path":'),
  { wait: 600 },
  json(0, '"a"}'),
  blockStop(0),
  ...messageEnd('tool_use'),
]

describe('Responses over the wire', () => {
  it('sends events while arguments are held back, and then the whole call', async () => {
    bench.anthropic.play(slowCall)
    const stream = await streamed()
    expect(stream.problems).toEqual([])
    expect(stream.comments).toEqual([])
    expect(stream.events.slice(2).map(({ type }) => type)).toContain('response.in_progress')
    expect(stream.calls).toMatchObject([{ id: 'toolu_1', name: 'read', input: '{"path":"a"}', pieces: 1 }])
  })

  it('streams arguments to clients that accept them', async () => {
    bench.anthropic.play(slowCall)
    const stream = await streamed({}, { headers: { 'user-agent': 'codex_exec/1' } })
    expect(stream.problems).toEqual([])
    expect(stream.calls).toMatchObject([{ input: '{"path":"a"}', pieces: 2 }])
  })

  it('Codex, which counts events alone, gets those while nothing comes', async () => {
    bench.anthropic.play(slowCall)
    const stream = await streamed({}, { headers: { 'user-agent': 'codex_exec/0.166.0 (x)' } })
    expect(stream.problems).toEqual([])
    expect(stream.comments).toEqual([])
    const kept = stream.events.slice(2).filter(({ type }) => type === 'response.in_progress')
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.flatMap(eventProblems)).toEqual([])
    expect(stream.calls).toMatchObject([{ input: '{"path":"a"}' }])
  })

  it('a call that is cut off is not in the output, whichever way it was shown', async () => {
    for (const agent of ['codex_exec/1', 'other']) {
      bench.anthropic.play([
        messageStart,
        toolUse(0, 'toolu_1', 'read'),
        json(0, '{"path":'),
        ...messageEnd('max_tokens'),
      ])
      const stream = await streamed({}, { headers: { 'user-agent': agent } })
      expect(stream.problems).toEqual([])
      expect(stream.response).toMatchObject({ status: 'incomplete', output: [] })
      expect(stream.events.some(({ type }) => type === 'response.output_item.added')).toBe(agent !== 'other')
    }
  })

  it('a failure after keep-alives is an error in the stream', async () => {
    bench.anthropic.play([
      { wait: 200 },
      { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
    ])
    const stream = await streamed()
    expect([stream.status, stream.problems]).toEqual([200, []])
    expect(stream.response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'anthropic: Overloaded' },
    })
  })

  it('keep-alives before the first event begin the answer once, and a failure is an error in it', async () => {
    const headers = { 'user-agent': 'codex_exec/1' }
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    bench.anthropic.play([{ wait: 400 }, { say: 'late' }])
    const late = await streamed({}, { headers })
    expect([late.problems, late.text, late.comments]).toEqual([[], 'late', []])
    expect(late.events.filter(({ type }) => type === 'response.in_progress').length).toBeGreaterThan(1)
    bench.anthropic.play([{ wait: 400 }, { status: 529, body: overloaded }])
    const failed = await streamed({}, { headers })
    expect([failed.problems, failed.response.status]).toEqual([[], 'failed'])
    expect(failed.events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
  })

  it('notes are in the header', async () => {
    const answer = await call({ tools: [read, { type: 'web_search' }] })
    expect(answer.headers.get('x-dragoman-notes')).toContain('tool type web_search')
  })

  it("answers are their caller's own", async () => {
    const { id } = (await (await call({})).json()) as { id: string }
    const next = { previous_response_id: id, input: 'more' }
    const key = 'key-of-two-0123456789'
    expect((await call(next)).status).toBe(200)
    expect((await call(next, { key })).status).toBe(400)
    const reach = (method: string, as: string) =>
      fetch(`${bench.url}/v1/responses/${id}`, { method, headers: { authorization: `Bearer ${as}` } })
    expect((await reach('GET', key)).status).toBe(404)
    expect((await reach('DELETE', key)).status).toBe(404)
    const own = await reach('DELETE', 'key-of-one-0123456789')
    expect(await own.json()).toEqual({ id, object: 'response.deleted', deleted: true })
  })
})
