// Messages requests to a Messages upstream are forwarded byte for byte, or rewritten for a reason.

import { describe, expect, it } from 'vitest'
import {
  adaptive,
  assistant,
  base,
  image,
  marked,
  png,
  result,
  text,
  thought,
  user,
  without,
} from '../anthropic-requests.ts'
import { type Body, useBench } from '../harness.ts'

const bench = useBench()
const schema = { properties: { path: { type: 'string' } }, required: ['path'], type: 'object' }
const read = { input_schema: schema, name: 'read', eager_input_streaming: true, ...marked }
const use = (id: string, more: Body = {}) => ({
  type: 'tool_use',
  id,
  name: 'read',
  input: { path: 'a' },
  ...more,
})

function post(body: Body, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${bench.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify(body),
  })
}

/** The upstream request, and the notes about it. */
async function forwarded(model: string, body: Body, headers?: Record<string, string>) {
  const answer = await post({ ...body, model: `anthropic/${model}` }, headers)
  expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
  await answer.text()
  const request = bench.anthropic.requests.at(-1)
  if (!request) throw new Error('nothing went upstream')
  return {
    bodyText: request.bodyText,
    sent: request.headers,
    notes: answer.headers.get('x-dragoman-notes') ?? '',
  }
}

const faithful: Record<string, [string, Body, Record<string, string>?]> = {
  'a plain question': ['any-model', base()],
  'what Claude Code sends': [
    'claude-opus-4-8',
    {
      messages: [
        user([text('<reminder>'), text('go', marked)]),
        assistant([text('so'), use('toolu_1', marked)]),
        user([result('toolu_1', { content: [text('found')], ...marked }), text('and?')]),
        user('go on'),
        { role: 'system', content: 'be brief' },
      ],
      model: '',
      max_tokens: 32_000,
      system: [text('You are an agent.', { cache_control: { type: 'ephemeral', ttl: '1h' } })],
      tools: [{ ...read, cache_control: undefined }],
      metadata: { user_id: 'user_1_account__session_2' },
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'xhigh' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      stream: true,
    },
    { 'anthropic-beta': 'claude-code-20250219,context-management-2025-06-27' },
  ],
  'thinking that is shown as it goes': [
    'claude-opus-5',
    base({ thinking: { type: 'adaptive', display: 'updates' } }),
    { 'anthropic-beta': 'thinking-display-updates-2026-08-18' },
  ],
  'signed thinking, and results with pictures and errors': [
    'claude-sonnet-4-5',
    {
      ...base({ tools: [read], thinking: { type: 'enabled', budget_tokens: 2_000 } }),
      messages: [
        user('go'),
        assistant([thought('hm', 'claude-sonnet-4-5'), use('a'), use('b')]),
        user([
          result('b', {
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }],
          }),
          result('a', { is_error: true, content: '' }),
        ]),
      ],
    },
  ],
  'consecutive messages of the user': ['any-model', base({ messages: [user('a'), user('b')] })],
  'the usual temperature, on a model that takes no other': ['claude-haiku-5-5', base({ temperature: 1 })],
  'sampling that this model takes': [
    'claude-sonnet-4-6',
    base({ temperature: 0.5, top_k: 3, stop_sequences: ['END'], service_tier: 'auto' }),
  ],
  'a document and its citations': [
    'any-model',
    base({
      messages: [
        user([
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'x' },
            citations: { enabled: true },
          },
          { type: 'search_result', source: 's', title: 't', content: [text('found')] },
        ]),
      ],
    }),
  ],
}

describe('forwarded to the letter', () => {
  it.each(Object.entries(faithful))('%s', async (_, [model, body, headers]) => {
    const { bodyText } = await forwarded(model, body, headers)
    const expected = JSON.stringify({ ...body, model: `anthropic/${model}` }).replace(
      `"anthropic/${model}"`,
      `"${model}"`,
    )
    expect(bodyText).toBe(expected)
  })

  it('fields that are null are left out, as absent ones', async () => {
    const { bodyText } = await forwarded('any-model', base({ temperature: null, system: null, tools: null }))
    expect(bodyText).toBe(JSON.stringify(base()))
  })

  it('half a character becomes one that the service accepts', async () => {
    const { bodyText } = await forwarded('any-model', base({ messages: [user('x\ud83d')] }))
    expect(bodyText).toContain('x\ufffd')
  })
})

const rewritten: Record<string, [string, Body, RegExp | undefined, Body]> = {
  'a lost result': [
    'any-model',
    base({ tools: [read], messages: [user('go'), assistant([use('a')]), user('well?')] }),
    /without a result/,
    {
      messages: [
        {},
        {},
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true }, { text: 'well?' }],
        },
      ],
    },
  ],
  'words in front of results': [
    'any-model',
    base({ tools: [read], messages: [user('go'), assistant([use('a')]), user([text('so'), result('a')])] }),
    /moved before the text/,
    { messages: [{}, {}, { content: [{ type: 'tool_result' }, { text: 'so' }] }] },
  ],
  'results in two messages': [
    'any-model',
    base({
      tools: [read],
      messages: [user('go'), assistant([use('a'), use('b')]), user([result('a')]), user([result('b')])],
    }),
    undefined,
    { messages: [{}, {}, { content: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }] }] },
  ],
  'thinking of another service': [
    'any-model',
    base({
      messages: [
        user('a'),
        assistant([{ type: 'thinking', thinking: 'hm', signature: '' }, text('so')]),
        user('b'),
      ],
    }),
    undefined,
    { messages: [{}, { content: [{ type: 'text', text: 'so' }] }, {}] },
  ],
  'thinking with a budget, on a model without': [
    'claude-opus-4-7',
    base({ max_tokens: 40_000, thinking: { type: 'enabled', budget_tokens: 31_999 } }),
    /type enabled is not taken/,
    { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
  ],
  'adaptive thinking, on a model that wants a budget': [
    'claude-sonnet-4-5',
    base({ max_tokens: 40_000, ...adaptive }),
    /type adaptive is not taken/,
    { thinking: { type: 'enabled', budget_tokens: 8_192 } },
  ],
  'an effort that this model does not know, its own thinking kept': [
    'claude-opus-4-6',
    base({ ...adaptive, output_config: { effort: 'xhigh' } }),
    /xhigh/,
    { ...adaptive, output_config: { effort: 'high' } },
  ],
  'a system message inside, on an unknown model': [
    'any-model',
    base({
      messages: [user('a'), { role: 'system', content: [text('brief', marked)] }],
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    }),
    /system message inside/,
    {
      messages: [user([text('a'), text('<system>\nbrief\n</system>', marked)])],
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    },
  ],
  'a system message inside, on a model without': [
    'claude-opus-4-6',
    base({ messages: [user('a'), { role: 'system', content: 'brief' }, user('b')], service_tier: 'auto' }),
    /system message inside/,
    { service_tier: 'auto' },
  ],
  'temperature, on a model without': ['claude-opus-5', base({ temperature: 0.5 }), /temperature/, {}],
  'temperature, on a model that takes the usual one alone': [
    'claude-sonnet-5',
    base({ temperature: 0.5 }),
    /temperature/,
    {},
  ],
  'much effort without thinking': [
    'claude-haiku-5-5',
    base({ thinking: { type: 'disabled' }, output_config: { effort: 'xhigh' } }),
    /xhigh is not taken/,
    { thinking: { type: 'disabled' }, output_config: { effort: 'high' } },
  ],
  'no thinking, on a model that cannot stop': [
    'claude-fable-5-1',
    base({ thinking: { type: 'disabled' } }),
    /cannot stop thinking/,
    { output_config: { effort: 'low' } },
  ],
  'no thinking, by a word that this model does not take': [
    'claude-sonnet-5-5',
    base({ thinking: { type: 'disabled' }, output_config: { effort: 'max' } }),
    /between tool calls/,
    { thinking: { type: 'between_tools' }, output_config: { effort: 'high' } },
  ],
  'a forced call, on a model that cannot': [
    'claude-opus-5-5',
    base({ tools: [read], tool_choice: { type: 'any', disable_parallel_tool_use: true } }),
    /cannot be forced/,
    { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  ],
  'more than the model can write': [
    'claude-haiku-4-5',
    base({ max_tokens: 128_000 }),
    /max_tokens/,
    { max_tokens: 64_000 },
  ],
  'an answer that was begun, on a model without': [
    'claude-opus-5',
    base({ messages: [user('a'), assistant('It is')] }),
    /prefilled/,
    {},
  ],
  'ids and names of other services': [
    'any-model',
    base({
      tools: [{ ...read, name: 'mcp.read' }],
      messages: [
        user('go'),
        assistant([use('functions.x:0', { name: 'mcp.read' })]),
        user([result('functions.x:0')]),
      ],
    }),
    /mcp\.read/,
    { tools: [{ name: expect.stringMatching(/^mcp_read_[0-9a-f]{8}$/) }] },
  ],
  "the service's own files": [
    'claude-opus-5',
    base({
      temperature: 0.5,
      messages: [
        user([
          { type: 'image', source: { type: 'file', file_id: 'file_1' } },
          { type: 'document', source: { type: 'file', file_id: 'file_2' }, title: 'a paper' },
        ]),
      ],
    }),
    /temperature/,
    {
      messages: [
        {
          content: [
            { type: 'image', source: { type: 'file', file_id: 'file_1' } },
            { type: 'document', source: { type: 'file', file_id: 'file_2' }, title: 'a paper' },
          ],
        },
      ],
    },
  ],
  'no max_tokens': ['any-model', without(base(), 'max_tokens'), undefined, { max_tokens: 32_000 }],
}

describe('rewritten, and the strict simulator takes it', () => {
  it.each(Object.entries(rewritten))('%s', async (_, [model, body, says, sent]) => {
    const { bodyText, notes } = await forwarded(model, body)
    expect(JSON.parse(bodyText)).toMatchObject(sent)
    if (says) expect(notes).toMatch(says)
  })
})

describe('anthropic-beta', () => {
  it('all betas are forwarded but those of a login, which are named', async () => {
    const betas =
      'claude-code-20250219, interleaved-thinking-2025-05-14,oauth-2025-04-20,interleaved-thinking-2025-05-14'
    const { sent, notes } = await forwarded('any-model', base(), { 'anthropic-beta': betas })
    expect(sent['anthropic-beta']).toBe('claude-code-20250219,interleaved-thinking-2025-05-14')
    expect(notes).toContain('oauth-2025-04-20')
    expect(notes).not.toContain('claude-code')
  })

  it('a field goes out with the beta that it needs', async () => {
    const body = base({
      context_management: { edits: [{ type: 'compact_20260112' }] },
      fallbacks: [{ model: 'claude-opus-5' }],
      safeguards: [{ type: 'dangerous_tool_use' }],
      tools: [read, { type: 'web_search_20250305', name: 'web_search' }],
    })
    const betas =
      'compact-2026-01-12,context-management-2025-06-27,server-side-fallback-2026-07-01,dangerous-tool-use-2026-09-03'
    const { bodyText, sent, notes } = await forwarded('any-model', body, { 'anthropic-beta': betas })
    expect(sent['anthropic-beta']).toBe(betas)
    expect(JSON.parse(bodyText)).toEqual({ ...body, model: 'any-model' })
    expect(notes).toBe('')
  })

  it('a field without its beta is refused by the service, in its own words', async () => {
    const answer = await post({ ...base({ safeguards: [] }), model: 'anthropic/any-model' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'safeguards: Extra inputs are not permitted' },
    })
  })

  it("the client's key stays here", async () => {
    const { sent } = await forwarded('any-model', base(), { 'x-api-key': 'mine' })
    expect(JSON.stringify(sent)).not.toContain('mine')
  })
})

it('the service itself refuses invalid images, with its own message', async () => {
  const answer = await post({
    ...image({ type: 'base64', media_type: 'image/png', data: 'AAAA' }),
    model: 'anthropic/any-model',
  })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    type: 'error',
    error: { message: expect.stringContaining('image') },
  })
})
