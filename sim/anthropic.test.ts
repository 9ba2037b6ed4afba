// The Anthropic simulator with the official client: its answers, and what it accepts. Refusals of bodies are tested beside the
// check-*.ts files.

import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  adaptive,
  assistant,
  type Body,
  base,
  hello,
  image,
  manual,
  marked,
  png,
  result,
  text,
  thought,
  tools,
  use,
  user,
  withTools,
} from '../test/anthropic-requests.ts'
import { startAnthropicSim } from './anthropic.ts'
import type { Sim } from './server.ts'

let sim: Sim
let client: Anthropic
beforeAll(async () => {
  sim = await startAnthropicSim()
  client = new Anthropic({ baseURL: sim.url, apiKey: 'any', maxRetries: 0 })
})
afterAll(() => sim.close())
beforeEach(() => sim.clear())

const VERSION = { 'anthropic-version': '2023-06-01' }

function post(body: unknown, path = '/v1/messages', headers: Record<string, string> = VERSION) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(sim.url + path, { method: 'POST', headers, body: text })
}

describe('refuses', () => {
  it('invalid JSON', async () => {
    const response = await post('{"model":')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('not valid JSON: ') },
    })
  })

  it.each([
    ['another path', 'POST', '/v1/complete', 404, 'not_found_error', 'Not Found'],
    ['another method', 'GET', '/v1/messages', 405, 'invalid_request_error', 'Method Not Allowed'],
  ])('%s', async (_, method, path, status, type, message) => {
    const response = await fetch(sim.url + path, { method, headers: VERSION })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ type: 'error', error: { type, message } })
  })

  it('requests without version', async () => {
    const response = await post(base(), '/v1/messages', {})
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: 'anthropic-version: header is required' } },
    ])
  })

  it('bodies that are too large', async () => {
    const response = await post(base({ messages: [user('x'.repeat(33 * 1024 * 1024))] }))
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { error: { type: 'request_too_large' } },
    ])
  })

  it('other keys and other models than its own', async () => {
    const own = await startAnthropicSim({ apiKey: 'secret', models: ['claude-opus-5'] })
    const ask = (headers: Record<string, string>, body = base()) =>
      fetch(`${own.url}/v1/messages`, {
        method: 'POST',
        headers: { ...VERSION, ...headers },
        body: JSON.stringify(body),
      })
    const message = async (response: Response) => [response.status, ((await response.json()) as Body).error]
    const type = 'authentication_error'
    expect(await message(await ask({}))).toEqual([401, { type, message: 'x-api-key header is required' }])
    expect(await message(await ask({ 'x-api-key': 'no' }))).toEqual([
      401,
      { type, message: 'invalid x-api-key' },
    ])
    expect(await message(await ask({ authorization: 'Bearer no' }))).toEqual([
      401,
      { type, message: 'Invalid bearer token' },
    ])
    expect(await message(await ask({ authorization: 'Bearer secret' }))).toEqual([
      404,
      { type: 'not_found_error', message: 'model: any-model' },
    ])
    expect((await ask({ 'x-api-key': 'secret' }, base({ model: 'claude-opus-5' }))).status).toBe(200)
    await own.close()
  })
})

describe('accepts', () => {
  const cases: Record<string, Body> = {
    'calls with results, then text': withTools([
      ...hello,
      assistant([text('x'), use('a'), use('b')]),
      user([
        result('b', { is_error: true, content: [text('bad')] }),
        result('a', { content: undefined }),
        text('go on'),
      ]),
    ]),
    'thinking that comes back as it was': withTools(
      [...hello, assistant([thought(''), thought('x'), use('a')]), user([result('a')])],
      manual,
    ),
    'a loop whose later steps had no thinking': withTools(
      [
        ...hello,
        assistant([thought('x'), use('a')]),
        user([result('a')]),
        assistant([use('b')]),
        user([result('b')]),
      ],
      manual,
    ),
    'missing thinking in adaptive mode': withTools(
      [...hello, assistant([use('a')]), user([result('a')])],
      adaptive,
    ),
    'a forced tool with adaptive thinking': base({
      model: 'claude-opus-4-6',
      tools,
      tool_choice: { type: 'any' },
      ...adaptive,
    }),
    'a prefill on old models': base({
      model: 'claude-haiku-4-5',
      messages: [...hello, assistant('I think')],
    }),
    'a later system message on new models': base({
      model: 'claude-opus-5',
      messages: [...hello, { role: 'system', content: 'x' }],
    }),
    'an image': image({ type: 'base64', media_type: 'image/png', data: png }),
    'an output format': base({
      output_config: {
        effort: 'high',
        format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } },
      },
    }),
    'consecutive user messages': base({ messages: [...hello, ...hello] }),
  }
  it.each(Object.entries(cases))('%s', async (_, body) => {
    const response = await post(body)
    expect([response.status, response.ok ? '' : await response.text()]).toEqual([200, ''])
  })

  it('a beta field with its header', async () => {
    const headers = { ...VERSION, 'anthropic-beta': 'x, context-management-2025-06-27' }
    expect((await post(base({ context_management: {} }), '/v1/messages?beta=true', headers)).status).toBe(200)
  })
})

describe('answers', () => {
  const request = {
    model: 'any-model',
    max_tokens: 4000,
    messages: [{ role: 'user' as const, content: 'hi' }],
  }
  const steps = [
    { think: 'let me see', pieces: 2 },
    { redacted: 'c2VjcmV0' },
    { say: 'Reading two files.', pieces: 3 },
    { call: { name: 'read', arguments: { path: 'a' } }, pieces: 3 },
    { call: { name: 'now', arguments: {} } },
  ]

  it('are the same whole and streamed', async () => {
    sim.play(steps, steps)
    const whole = await client.messages.create(request)
    const streamed = await client.messages.stream(request).finalMessage()
    const comparable = ({ content, stop_reason, usage }: Anthropic.Message) => ({
      content: content.map((block) => (block.type === 'tool_use' ? { ...block, id: '' } : block)),
      stop_reason,
      usage,
    })
    expect(comparable(streamed)).toEqual(comparable(whole))
    expect(whole.stop_reason).toBe('tool_use')
    expect(whole.content.map(({ type }) => type)).toEqual([
      'thinking',
      'redacted_thinking',
      'text',
      'tool_use',
      'tool_use',
    ])
    expect(whole.usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0)
  })

  it('have the events of the service, in its order', async () => {
    sim.play(steps)
    const events: string[] = []
    for await (const event of await client.messages.create({ ...request, stream: true })) {
      const detail =
        event.type === 'content_block_delta'
          ? event.delta.type + ('partial_json' in event.delta ? `:${event.delta.partial_json}` : '')
          : event.type === 'content_block_start'
            ? `start ${event.index} ${event.content_block.type}`
            : event.type
      events.push(detail)
    }
    expect(events).toEqual([
      'message_start',
      'start 0 thinking',
      'thinking_delta',
      'thinking_delta',
      'signature_delta',
      'content_block_stop',
      'start 1 redacted_thinking',
      'content_block_stop',
      'start 2 text',
      'text_delta',
      'text_delta',
      'text_delta',
      'content_block_stop',
      'start 3 tool_use',
      'input_json_delta:',
      'input_json_delta:{"pa',
      'input_json_delta:th":',
      'input_json_delta:"a"}',
      'content_block_stop',
      'start 4 tool_use',
      'input_json_delta:',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    const raw = await (await post({ ...request, stream: true })).text()
    expect(raw).toMatch(
      /^event: message_start\n.*\n\nevent: content_block_start\n.*\n\nevent: ping\ndata: \{"type":"ping"\}\n\n/,
    )
  })

  it.each([
    ['tool_calls', 'tool_use'],
    ['length', 'max_tokens'],
    ['stop', 'end_turn'],
    ['pause_turn', 'pause_turn'],
  ])('have the scripted stop reason: %s', async (end, reason) => {
    sim.play([{ call: { name: 'read', arguments: '{"a":' } }, { end, usage: { output_tokens: 77 } }])
    const message = await client.messages.create(request)
    expect([message.stop_reason, message.usage.output_tokens]).toEqual([reason, 77])
  })

  it('contain tool calls of the demo model, and use their results', async () => {
    const definition: Anthropic.Tool = {
      name: 'read_file',
      input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    }
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Read a.md and b.md' }]
    const thinking = { type: 'enabled', budget_tokens: 1024 } as const
    const first = await client.messages.create({
      ...request,
      model: 'claude-haiku-4-5',
      messages,
      tools: [definition],
      thinking,
    })
    expect(first.stop_reason).toBe('tool_use')
    const calls = first.content.filter((block) => block.type === 'tool_use')
    expect(calls.map(({ input }) => input)).toEqual([{ path: 'a.md' }, { path: 'b.md' }])
    const results = calls.map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: `# ${id}`,
    }))
    messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: results })
    const last = await client.messages
      .stream({ ...request, model: 'claude-haiku-4-5', messages, tools: [definition], thinking })
      .finalText()
    expect(last).toBe(`a.md begins: # ${calls[0]?.id}\nb.md begins: # ${calls[1]?.id}`)
  })

  it('have empty thinking if the model does not show it', async () => {
    sim.play([{ think: 'hidden' }, { say: 'x' }], [{ think: 'shown' }, { say: 'x' }])
    const hidden = await client.messages.create({ ...request, model: 'claude-opus-5' })
    expect(hidden.content[0]).toEqual({
      type: 'thinking',
      thinking: '',
      signature: expect.stringMatching(/./),
    })
    const thinking = { type: 'adaptive', display: 'summarized' } as const
    const shown = await client.messages.create({ ...request, model: 'claude-opus-5', thinking })
    expect(shown.content[0]).toMatchObject({ thinking: 'shown' })
  })

  it('need complete thinking in a replay', async () => {
    sim.play([
      { think: 'one', signature: 'made-up' },
      { redacted: 'made-up-too' },
      { call: { name: 'read', arguments: {}, id: 'toolu_1' } },
    ])
    const { content } = await client.messages.create(request)
    const replay = (blocks: unknown[]) =>
      post(withTools([...hello, assistant(blocks), user([result('toolu_1')])], adaptive))
    expect((await replay(content)).status).toBe(200)
    const lost = await await replay(content.filter(({ type }) => type !== 'redacted_thinking'))
    expect(await lost.text()).toContain('blocks in the latest assistant message cannot be modified')
  })

  it('count the prompt cache', async () => {
    const system = [text('s'.repeat(400), marked)]
    const usage = async (messages: unknown[]) =>
      ((await (await post(base({ system, messages }))).json()) as Anthropic.Message).usage
    const first = await usage(hello)
    expect(first.cache_creation_input_tokens).toBeGreaterThan(100)
    expect(first.cache_read_input_tokens).toBe(0)
    expect(first.cache_creation?.ephemeral_5m_input_tokens).toBe(first.cache_creation_input_tokens)
    const again = await usage(hello)
    expect([again.cache_creation_input_tokens, again.cache_read_input_tokens]).toEqual([
      0,
      first.cache_creation_input_tokens,
    ])
    const turn = [user([text('question', marked)])]
    expect((await usage(turn)).cache_read_input_tokens).toBe(first.cache_creation_input_tokens)
    const later = await usage([user([text('question')]), assistant('answer'), user([text('more', marked)])])
    expect(later.cache_read_input_tokens).toBeGreaterThan(Number(first.cache_creation_input_tokens))
    expect(later.cache_creation_input_tokens).toBeGreaterThan(0)
  })

  it('have the rate limit headers', async () => {
    const { headers } = await post(base())
    expect(headers.get('anthropic-ratelimit-requests-remaining')).toBe('999')
    expect(headers.get('request-id')).toMatch(/^req_/)
  })

  it('count tokens', async () => {
    const { input_tokens } = await client.messages.countTokens({
      model: 'm',
      messages: [{ role: 'user', content: 'x'.repeat(400) }],
    })
    expect(input_tokens).toBeGreaterThan(100)
    const { max_tokens: _, ...counted } = base()
    expect((await post(counted, '/v1/messages/count_tokens')).status).toBe(200)
    expect(await (await post(base(), '/v1/messages/count_tokens')).json()).toMatchObject({
      error: { message: 'max_tokens: Extra inputs are not permitted' },
    })
  })

  it('list models, page by page', async () => {
    const ids: string[] = []
    for await (const model of client.models.list({ limit: 5 })) ids.push(model.id)
    expect(ids).toContain('claude-haiku-4-5')
    expect(ids.length).toBe(new Set(ids).size)
    expect(ids.length).toBeGreaterThan(15)
    expect(await client.models.retrieve('claude-opus-4-6')).toMatchObject({
      type: 'model',
      display_name: 'Claude Opus 4.6',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      lifecycle: 'active',
      line: 'opus',
      capabilities: {
        structured_outputs: { supported: true },
        thinking: { types: { adaptive: { supported: true }, between_tools: { supported: false } } },
        effort: { supported: true, max: { supported: true }, xhigh: { supported: false } },
      },
    })
    const before = await fetch(`${sim.url}/v1/models?before_id=${ids[3]}&limit=2`, { headers: VERSION })
    expect(await before.json()).toMatchObject({ first_id: ids[1], last_id: ids[2], has_more: true })
    expect((await fetch(`${sim.url}/v1/models?limit=0`, { headers: VERSION })).status).toBe(400)
  })
})
