// What the OpenAI simulator refuses, with the error texts, parameters and codes of the service.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenAISimOptions, startOpenAISim } from '../openai.ts'
import type { Sim } from '../server.ts'

let sim: Sim
beforeAll(async () => {
  sim = await startOpenAISim()
})
afterAll(() => sim.close())

type Body = Record<string, unknown>
const user = (content: unknown) => ({ role: 'user', content })
const call = (id: string, more: Body = {}) => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: '{}' },
  ...more,
})
const calls = (...tool_calls: Body[]) => ({ role: 'assistant', content: null, tool_calls })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const read = { type: 'function', function: { name: 'read', parameters: { type: 'object' } } }
const named = (name: string) => ({ type: 'function', function: { name } })
const base = (more: Body = {}): Body => ({ model: 'any-model', messages: [user('hello')], ...more })
const after = (...messages: unknown[]) => base({ messages: [user('hello'), ...messages] })

type Expected = { message: string; param?: string | null; code?: string | null }

async function ask(body: unknown, url = sim.url) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', body: text })
}

const REFUSED: Record<string, [Body, Expected]> = {
  'no messages': [
    { model: 'm' },
    {
      message: "Missing required parameter: 'messages'.",
      param: 'messages',
      code: 'missing_required_parameter',
    },
  ],
  'no model': [
    { messages: [user('x')] },
    { message: "Missing required parameter: 'model'.", param: 'model', code: 'missing_required_parameter' },
  ],
  'an empty list of messages': [
    base({ messages: [] }),
    {
      message:
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      code: 'empty_array',
    },
  ],
  'messages of the wrong type': [
    base({ messages: 'x' }),
    {
      message: "Invalid type for 'messages': expected an array, but got a string instead.",
      code: 'invalid_type',
    },
  ],
  'an unknown role': [
    base({ messages: [{ role: 'ai', content: 'x' }] }),
    {
      message:
        "Invalid value: 'ai'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
      param: 'messages[0].role',
      code: 'invalid_value',
    },
  ],
  'an unknown field': [
    base({ top_k: 5 }),
    { message: 'Unrecognized request argument supplied: top_k', param: null, code: null },
  ],
  'an unknown field of a message': [
    base({ messages: [{ ...user('x'), cache_control: {} }] }),
    {
      message: "Unknown parameter: 'messages[0].cache_control'.",
      param: 'messages[0].cache_control',
      code: 'unknown_parameter',
    },
  ],
  'the index of a streamed call': [
    after(calls(call('a', { index: 0 })), result('a')),
    { message: "Unknown parameter: 'messages[1].tool_calls[0].index'.", code: 'unknown_parameter' },
  ],
  'reasoning that it did not ask for': [
    after({ ...calls(call('a')), reasoning_content: 'x' }, result('a')),
    { message: "Unknown parameter: 'messages[1].reasoning_content'." },
  ],
  'an empty user message': [
    base({ messages: [user(null)] }),
    { message: "Invalid value for 'content': expected a string, got null." },
  ],
  'an assistant message with nothing in it': [
    after({ role: 'assistant', content: null }),
    { message: "Invalid value for 'content': expected a string, got null.", param: 'messages.[1].content' },
  ],
  'an unknown part': [
    base({ messages: [user([{ type: 'tool_result', tool_use_id: 'a' }])] }),
    {
      message:
        "Invalid value: 'tool_result'. Supported values are: 'text', 'image_url', 'input_audio', and 'file'.",
      param: 'messages[0].content[0].type',
    },
  ],
  'an image in a tool message': [
    after(calls(call('a')), {
      ...result('a'),
      content: [{ type: 'image_url', image_url: { url: 'https://x/y.png' } }],
    }),
    { message: "Invalid value: 'image_url'. Supported values are: 'text'." },
  ],
  'a tool message without call': [
    after(result('a')),
    {
      message: "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      param: 'messages.[1].role',
    },
  ],
  'a tool message too late': [
    after(calls(call('a')), result('a'), user('x'), result('a')),
    {
      message: "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      param: 'messages.[4].role',
    },
  ],
  'a tool message with another id': [
    after(calls(call('a')), result('b')),
    {
      message: "'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
      param: 'messages.[2].tool_call_id',
    },
  ],
  'a tool message without id': [
    after(calls(call('a')), { role: 'tool', content: 'x' }),
    { message: "Missing required parameter: 'messages[2].tool_call_id'." },
  ],
  'calls that are not answered': [
    after(calls(call('a'), call('b'), call('c')), result('b'), user('x')),
    {
      message:
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a, c",
    },
  ],
  'a call at the end': [
    after(calls(call('a'))),
    { message: 'The following tool_call_ids did not have response messages: a' },
  ],
  'an empty list of calls': [
    after({ role: 'assistant', content: 'x', tool_calls: [] }),
    { message: "Invalid 'messages[1].tool_calls': empty array.", code: 'empty_array' },
  ],
  'a call without type': [
    after(calls(call('a', { type: undefined })), result('a')),
    { message: "Missing required parameter: 'messages[1].tool_calls[0].type'." },
  ],
  'arguments that are no string': [
    after(calls(call('a', { function: { name: 'read', arguments: {} } })), result('a')),
    {
      message:
        "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
    },
  ],
  'a long call id': [
    after(calls(call('x'.repeat(41))), result('x'.repeat(41))),
    {
      message:
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
      code: 'string_above_max_length',
    },
  ],
  'a bad tool name': [
    base({ tools: [{ ...named('fs.read') }] }),
    {
      message:
        "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      param: 'tools[0].function.name',
      code: 'invalid_value',
    },
  ],
  'a long tool name': [
    base({ tools: [named('x'.repeat(65))] }),
    { message: 'maximum length 64', code: 'string_above_max_length' },
  ],
  'an empty list of tools': [
    base({ tools: [] }),
    { message: "Invalid 'tools': empty array.", code: 'empty_array' },
  ],
  'too many tools': [
    base({ tools: Array.from({ length: 129 }, (_, index) => named(`t${index}`)) }),
    {
      message:
        'array too long. Expected an array with maximum length 128, but got an array with length 129 instead.',
    },
  ],
  'a tool without type': [
    base({ tools: [{ name: 'read', input_schema: {} }] }),
    { message: "Missing required parameter: 'tools[0].type'." },
  ],
  'tool_choice without tools': [
    base({ tool_choice: 'auto' }),
    {
      message: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      param: 'tool_choice',
    },
  ],
  'parallel_tool_calls without tools': [
    base({ parallel_tool_calls: false }),
    { message: "'parallel_tool_calls' is only allowed when 'tools' are specified." },
  ],
  'an unknown tool_choice': [
    base({ tools: [read], tool_choice: 'any' }),
    { message: "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'." },
  ],
  'a named tool that is not there': [
    base({ tools: [read], tool_choice: named('write') }),
    { message: "no function named 'write' was specified in the 'tools' parameter.", param: 'tool_choice' },
  ],
  'stream_options without stream': [
    base({ stream_options: { include_usage: true } }),
    {
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      param: 'stream_options',
    },
  ],
  'both limits': [
    base({ max_tokens: 1, max_completion_tokens: 1 }),
    { message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported." },
  ],
  'a limit of nothing': [
    base({ max_tokens: 0 }),
    {
      message: "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
      code: 'integer_below_min_value',
    },
  ],
  'no choice': [base({ n: 0 }), { message: "Invalid 'n': integer below minimum value." }],
  'too many choices': [
    base({ n: 129 }),
    { message: "Invalid 'n': integer above maximum value.", code: 'integer_above_max_value' },
  ],
  'a high temperature': [
    base({ temperature: 2.5 }),
    {
      message:
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead.",
      code: 'decimal_above_max_value',
    },
  ],
  'five stops': [base({ stop: ['1', '2', '3', '4', '5'] }), { message: "Invalid 'stop': array too long." }],
}

it.each(Object.entries(REFUSED))('refuses %s', async (_, [body, { message, ...rest }]) => {
  const response = await ask(body)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining(message), type: 'invalid_request_error', ...rest },
  })
})

it('refuses invalid JSON', async () => {
  const response = await ask('{')
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('could not parse the JSON body'),
  ])
})

it.each([
  ['POST', '/v1/embeddings', 404, 'Invalid URL (POST /v1/embeddings)'],
  ['GET', '/v1/chat/completions', 405, 'Not allowed to GET on /v1/chat/completions.'],
])('refuses %s %s', async (method, path, status, message) => {
  const response = await fetch(sim.url + path, { method })
  expect([response.status, await response.json()]).toMatchObject([status, { error: { message } }])
})

describe('with options', () => {
  async function withSim(options: OpenAISimOptions, run: (url: string) => Promise<void>) {
    const own = await startOpenAISim(options)
    try {
      await run(own.url)
    } finally {
      await own.close()
    }
  }

  it('refuses other keys and models', () =>
    withSim({ apiKey: 'sk-secret', models: ['m'] }, async (url) => {
      const post = async (authorization: string | undefined, body = base()) => {
        const headers: Record<string, string> = authorization ? { authorization } : {}
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        })
        return [response.status, await response.json()]
      }
      expect(await post(undefined)).toMatchObject([
        401,
        { error: { code: null, message: expect.stringContaining("didn't provide an API key") } },
      ])
      expect(await post('Bearer sk-other')).toMatchObject([
        401,
        {
          error: {
            code: 'invalid_api_key',
            message: expect.stringContaining('Incorrect API key provided: sk-***er'),
          },
        },
      ])
      expect(await post('Bearer sk-secret')).toMatchObject([
        404,
        {
          error: {
            code: 'model_not_found',
            message: 'The model `any-model` does not exist or you do not have access to it.',
          },
        },
      ])
      expect(await post('Bearer sk-secret', base({ model: 'm' }))).toMatchObject([
        200,
        { object: 'chat.completion' },
      ])
    }))

  it('lenient accepts unknown fields', () =>
    withSim({ lenient: true }, async (url) => {
      const message = { ...user('x'), cache_control: {} }
      expect((await ask(base({ top_k: 5, messages: [message] }), url)).status).toBe(200)
    }))

  it('requiresReasoning requires the reasoning of earlier calls', () =>
    withSim({ requiresReasoning: true }, async (url) => {
      const replay = (more: Body) => ask(after({ ...calls(call('a')), ...more }, result('a')), url)
      for (const more of [{}, { reasoning_content: '' }]) {
        const response = await replay(more)
        expect([response.status, await response.text()]).toEqual([
          400,
          expect.stringContaining('reasoning_content is missing in assistant tool call message at index 1'),
        ])
      }
      expect((await replay({ reasoning_content: ' ' })).status).toBe(200)
    }))
})
