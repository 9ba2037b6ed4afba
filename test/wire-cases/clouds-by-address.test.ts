// Claude on Microsoft Foundry and on Bedrock's mantle endpoint, and OpenAI on Azure: by address, key and header alone (docs/clouds.md).

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '../harness.ts'
import { eventStream, type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'

let upstream: ScriptedUpstream
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  const claude = { kind: 'anthropic', baseUrl: `${upstream.url}/anthropic` }
  const openai = { kind: 'openai', apiKey: 'azure-key', authHeader: 'api-key', api: 'chat' }
  gateway = await startGateway({
    backends: {
      foundry: { ...claude, apiKey: 'foundry-key' },
      entra: { ...claude, apiKey: 'unused', headers: { authorization: 'Bearer entra', 'x-api-key': '' } },
      azure: { ...openai, baseUrl: `${upstream.url}/openai/v1` },
      classic: {
        ...openai,
        baseUrl: `${upstream.url}/openai/deployments/mine`,
        query: { 'api-version': '2024-10-21' },
      },
      'mantle-claude': { ...claude, apiKey: 'bedrock-key' },
      mantle: { kind: 'openai', apiKey: 'bedrock-key', baseUrl: `${upstream.url}/v1` },
    },
  })
})
afterAll(async () => {
  await gateway.gateway.close()
  upstream.close()
})

const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'mine', stop_reason: 'end_turn' },
  ...{ content: [{ type: 'text', text: 'hi' }], usage: { input_tokens: 1, output_tokens: 1 } },
}
const completion = {
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'mine' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
}

const claudeKey = { 'x-api-key': 'foundry-key', 'anthropic-version': '2023-06-01' }
const rows = [
  ['foundry', '/anthropic/v1/messages', claudeKey],
  ['entra', '/anthropic/v1/messages', { authorization: 'Bearer entra', 'x-api-key': '' }],
  [
    'mantle-claude',
    '/anthropic/v1/messages',
    { 'x-api-key': 'bedrock-key', 'anthropic-version': '2023-06-01' },
  ],
  ['azure', '/openai/v1/chat/completions', { 'api-key': 'azure-key' }],
  ['classic', '/openai/deployments/mine/chat/completions?api-version=2024-10-21', { 'api-key': 'azure-key' }],
  ['mantle', '/v1/chat/completions', { authorization: 'Bearer bedrock-key' }],
] as const
const claudeRows = rows.filter(([, path]) => path.includes('/anthropic/'))

const ask = (path: string, body: Record<string, unknown>) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const asking = (backend: string) => ({
  model: `${backend}/mine`,
  messages: [{ role: 'user', content: 'hello' }],
})

/** The last request that reached the service. */
function expectAsked(
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: Record<string, unknown>,
) {
  const asked = upstream.asked.at(-1)
  expect(asked?.path).toBe(path)
  expect(asked?.headers).toMatchObject(headers)
  if (body) expect(JSON.parse(asked?.body ?? '')).toMatchObject(body)
}

const answerWith = (body: unknown) => {
  upstream.answer = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

const streams = {
  messages: [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  chat: [
    { ...completion, choices: [{ index: 0, delta: { content: 'hi' } }] },
    { ...completion, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ].map((chunk) => `data: ${JSON.stringify({ ...chunk, object: 'chat.completion.chunk' })}\n\n`),
}

it('listings: of each that has one, with its own key', async () => {
  upstream.answersListings = true
  // Deployments of Azure's older form are not listed.
  upstream.respond = ({ path }) =>
    path.startsWith('/openai/deployments/')
      ? { status: 404, body: '{"error":{"code":"404","message":"Resource not found"}}' }
      : { body: JSON.stringify({ data: [{ type: 'model', id: 'mine' }], has_more: false }) }
  const { data } = (await (await fetch(`${gateway.url}/v1/models`)).json()) as { data: { id: string }[] }
  delete upstream.respond
  upstream.answersListings = false
  const listed = rows.filter(([backend]) => backend !== 'classic')
  expect(data.map(({ id }) => id).sort()).toEqual(listed.map(([backend]) => `${backend}/mine`).sort())
  for (const [, path, headers] of listed) {
    const listing = path.replace(/\/(?:messages|chat\/completions)$/, '/models')
    const asked = upstream.asked.filter((one) => one.path.split('?')[0] === listing)
    expect(asked.map((one) => one.headers)).toContainEqual(expect.objectContaining(headers))
  }
})

describe.each(rows)('%s', (backend, path, headers) => {
  const isClaude = path.includes('/anthropic/')

  it('a whole answer', async () => {
    answerWith(isClaude ? message : completion)
    const response = await ask('/v1/messages', { ...asking(backend), max_tokens: 9 })
    expect(await response.text()).toContain('"hi"')
    expectAsked(path, headers, { model: 'mine' })
  })

  it('a stream', async () => {
    upstream.answer = { headers: eventStream, body: (isClaude ? streams.messages : streams.chat).join('') }
    const response = await ask('/v1/messages', { ...asking(backend), max_tokens: 9, stream: true })
    const text = await response.text()
    expect(text).toMatch(/"text_delta","text":"hi"/)
    expect(text).toMatch(/"stop_reason":"end_turn".*message_stop/s)
    expectAsked(path, headers, { model: 'mine', stream: true })
  })
})

it.each(claudeRows)('%s counts tokens', async (backend, path, headers) => {
  answerWith({ input_tokens: 42 })
  const response = await ask('/v1/messages/count_tokens', asking(backend))
  expect(await response.json()).toEqual({ input_tokens: 42 })
  expect(response.headers.get('x-dragoman-notes')).toBeNull()
  expectAsked(`${path}/count_tokens`, headers, { model: 'mine' })
})

it.each(claudeRows)('%s may not count: then it is an estimate, with a note', async (backend) => {
  upstream.answer = { status: 404, body: '{"error":{"code":"404","message":"Resource not found"}}' }
  const response = await ask('/v1/messages/count_tokens', asking(backend))
  expect(await response.json()).toEqual({ input_tokens: expect.any(Number) })
  expect(response.headers.get('x-dragoman-notes')).toContain('the count is an estimate')
})
