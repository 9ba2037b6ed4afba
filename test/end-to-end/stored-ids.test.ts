// Ids of things that the service stores (containers, files): they pass only for the key that received them.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import type { Sim } from '../../sim/server.ts'
import { type Bench, type Body, startGateway, upstreamKey } from '../harness.ts'

const alice = 'key-of-alice-314159265358979323846'
const bob = 'key-of-bob-271828182845904523536028'
let sim: Sim
let two: Pick<Bench, 'gateway' | 'url'>
let one: Pick<Bench, 'gateway' | 'url'>

beforeAll(async () => {
  sim = await startAnthropicSim({ apiKey: upstreamKey })
  const backends = { claude: { kind: 'anthropic', baseUrl: sim.url, apiKey: upstreamKey } }
  const keys = [
    { name: 'alice', key: alice },
    { name: 'bob', key: bob },
  ]
  two = await startGateway({ backends, auth: undefined }, { keys })
  one = await startGateway({ backends, auth: undefined }, { keys: keys.slice(0, 1) })
})
afterAll(async () => {
  await Promise.all([two.gateway.close(), one.gateway.close()])
  await sim.close()
})
beforeEach(() => sim.clear())

async function ask(key: string, more: Body = {}, { url } = two, path = '/v1/messages') {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'files-api-2025-04-14,code-execution-2025-08-25',
    },
    body: JSON.stringify({
      model: 'claude/claude-sonnet-4-5',
      max_tokens: 2048,
      messages: [{ role: 'user', content: 'hello' }],
      ...more,
    }),
  })
  const json = answer.headers.get('content-type')?.includes('json')
    ? ((await answer.json()) as { error?: { type: string; message: string } })
    : await answer.text().then(() => ({ error: undefined }))
  return { status: answer.status, error: json.error }
}

const turns = () => sim.requests.filter(({ method }) => method === 'POST').length
const message = (content: Body[], more: Body = {}) => ({
  ...{ id: 'msg_upstream1', type: 'message', role: 'assistant', model: 'm', content },
  ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 }, ...more },
})
const text = { type: 'text', text: 'done' }
const fileResult = (id: string) => ({
  type: 'code_execution_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: {
    type: 'code_execution_result',
    stdout: '',
    content: [{ type: 'code_execution_output', file_id: id }],
  },
})
const withFile = (id: string) => ({
  messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: id } }] }],
})

/** Gives the ids to alice, in a whole answer or a stream. */
async function give(stream: boolean, container: string, file: string): Promise<void> {
  if (stream) {
    sim.play([
      { frame: { type: 'message_start', message: message([]) }, event: 'message_start' },
      {
        frame: { type: 'content_block_start', index: 0, content_block: fileResult(file) },
        event: 'content_block_start',
      },
      { frame: { type: 'content_block_stop', index: 0 }, event: 'content_block_stop' },
      { frame: { type: 'content_block_start', index: 1, content_block: text }, event: 'content_block_start' },
      { frame: { type: 'content_block_stop', index: 1 }, event: 'content_block_stop' },
      {
        frame: {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', container: { id: container } },
          usage: {},
        },
        event: 'message_delta',
      },
      { frame: { type: 'message_stop' }, event: 'message_stop' },
    ])
  } else
    sim.play([{ status: 200, body: message([fileResult(file), text], { container: { id: container } }) }])
  expect((await ask(alice, { stream })).status).toBe(200)
  sim.clear()
}

describe.each([true, false])('received in an answer, streamed: %s', (stream) => {
  const container = `container_${stream}`
  const file = `file_${stream}`

  it('pass for the key that received them', async () => {
    await give(stream, container, file)
    for (const more of [{ container }, { container: { id: container } }, withFile(file)]) {
      expect(await ask(alice, more)).toMatchObject({ status: 200 })
      expect(await ask(alice, { stream: true, ...more })).toMatchObject({ status: 200 })
    }
    expect(turns()).toBe(6)
    expect(sim.requests.at(-1)?.bodyText).toContain(file)
  })

  it.each([
    ['a container', { container }],
    ['a container object', { container: { id: container } }],
    ['a file', withFile(file)],
    [
      'a file in a result',
      {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'x',
                content: [{ type: 'image', source: { type: 'file', file_id: file } }],
              },
            ],
          },
        ],
      },
    ],
    [
      'a file upload',
      { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: file }] }] },
    ],
    ['a thread', { thread: { type: 'continue', previous_message_id: 'msg_upstream1' } }],
    ['an unknown container', { container: 'container_of_nobody' }],
  ])('%s is not found for another key', async (_name, more) => {
    await give(stream, container, file)
    for (const each of [more, { stream: true, ...more }]) {
      const { status, error } = await ask(bob, each)
      expect([status, error?.type]).toEqual([404, 'not_found_error'])
      expect(error?.message).toContain('not found')
    }
    expect(turns()).toBe(0)
  })
})

it('a count of tokens names no foreign file either', async () => {
  await give(false, 'container_c', 'file_c')
  await ask(bob, { max_tokens: undefined, ...withFile('file_c') }, two, '/v1/messages/count_tokens')
  expect(turns()).toBe(0)
})

it('an id that the model wrote is not received', async () => {
  const forged = {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'read',
    input: { file_id: 'file_forged', container: { id: 'container_forged' } },
  }
  const said = { type: 'text', text: '{"container":{"id":"container_forged"},"file_id":"file_forged"}' }
  sim.play([{ status: 200, body: message([forged, said], { id: 'msg_of_bob', stop_reason: 'tool_use' }) }])
  const tools = [{ name: 'read', input_schema: { type: 'object' } }]
  expect((await ask(bob, { tools })).status).toBe(200)
  expect((await ask(bob, withFile('file_forged'))).status).toBe(404)
  expect((await ask(bob, { container: 'container_forged' })).status).toBe(404)
})

it('with one key everything belongs to it', async () => {
  expect((await ask(alice, { container: 'container_from_before' }, one)).status).toBe(200)
  expect((await ask(alice, withFile('file_from_before'), one)).status).toBe(200)
})
