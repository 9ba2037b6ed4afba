// What single servers refuse, with their own error texts, and what they accept.

import { expect, it } from 'vitest'
import { PROFILES, type ServerName, startOpenAISim } from '../openai.ts'

type Body = Record<string, unknown>

/** The base path of each server. Default: /v1. */
const BASES: Partial<Record<ServerName, string>> = {
  azure: '/openai/v1',
  'azure-classic': '/openai/deployments/gpt',
  openrouter: '/api/v1',
  groq: '/openai/v1',
  'kimi-code': '/coding/v1',
  zai: '/api/paas/v4',
  dashscope: '/compatible-mode/v1',
  gemini: '/v1beta/openai',
  fireworks: '/inference/v1',
  deepinfra: '/v1/openai',
  deepseek: '',
}

async function ask(server: ServerName, body: Body, query = '?api-version=1'): Promise<[number, string]> {
  const sim = await startOpenAISim({ server })
  const url = `${sim.url}${BASES[server] ?? '/v1'}/chat/completions${query}`
  const asked = { model: 'some-model', messages: [{ role: 'user', content: 'hi' }], ...body }
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(asked) })
  const text = await response.text()
  await sim.close()
  return [response.status, text]
}

const call = (id = 'abcdefgh1', more: Body = {}) => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: '{}' },
  ...more,
})
const history = (more: Body, id?: string, callMore?: Body) => ({
  messages: [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: 'ok', tool_calls: [call(id, callMore)], ...more },
    { role: 'tool', tool_call_id: id ?? 'abcdefgh1', content: 'A' },
  ],
})
const said = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const tool = (parameters: Body) => ({ type: 'function', function: { name: 'read', parameters } })
const unsigned = [
  { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0, text: 'a', signature: null },
]

const REFUSED: [ServerName, Body, string | RegExp][] = [
  ['openrouter', history({ reasoning_details: unsigned }), 'Invalid `signature` in `thinking` block'],
  ['openrouter', { reasoning_effort: 'max' }, 'invalid reasoning_effort'],
  ['groq', history({ reasoning_content: 'x' }), "property 'reasoning_content' is unsupported"],
  ['groq', history({ function_call: null }), "property 'function_call' is unsupported"],
  ['groq', { model: 'openai/gpt-oss-120b', reasoning_effort: 'xhigh' }, 'low, medium, high'],
  ['cerebras', history({ reasoning_content: 'x' }), /^\{"message":"messages\.1.*"code":"wrong_api_format"/],
  ['cerebras', { messages: [{ role: 'developer', content: 'x' }] }, 'wrong_api_format'],
  ['cerebras', { store: false }, 'wrong_api_format'],
  ['xai', { messages: [{ role: 'user', content: 'x', name: 'ada' }] }, 'Argument not supported: name'],
  ['xai', { model: 'grok-4.5', stop: 'x' }, 'Argument not supported on this model: stop'],
  [
    'xai',
    { model: 'grok-4.20-reasoning', reasoning_effort: 'none' },
    'does not support parameter reasoningEffort',
  ],
  ['mistral', { top_k: 5 }, /"detail":\[\{"type":"extra_forbidden"/],
  ['mistral', { stream_options: {}, stream: true }, 'extra_forbidden'],
  ['mistral', history({}, 'call_1'), 'must be a-z, A-Z, 0-9, with a length of 9'],
  ['mistral', { tools: [tool({})], tool_choice: 'required' }, 'auto, none, any'],
  ['mistral', { tools: [tool({ $schema: 'x', type: 'object' })] }, 'unsupported keyword $schema'],
  ['mistral', { model: 'mistral-medium-2604', reasoning_effort: 'low' }, 'none, high'],
  ['deepseek', said([{ type: 'text', text: 'x' }]), 'invalid type: sequence, expected a string'],
  ['deepseek', { ...history({}), model: 'deepseek-v4' }, 'must be passed back to the API'],
  ['moonshot', history({}), 'reasoning_content is missing in assistant tool call message at index 1'],
  ['moonshot', said([{ type: 'image_url', image_url: { url: 'https://x/y.png' } }]), 'unsupported image url'],
  ['kimi-code', { model: 'k3', temperature: 0.5 }, 'invalid temperature'],
  ['kimi-code', { model: 'k3', reasoning_effort: 'medium' }, 'low, high, max'],
  [
    'gemini',
    { ...history({}), model: 'gemini-3-pro' },
    /^\[\{"error":\{"code":400,"message":"Function call is missing/,
  ],
  ['moonshot', { model: 'kimi-k2.7-code', thinking: { type: 'disabled' } }, 'only type=enabled is allowed'],
  ['moonshot', { model: 'kimi-k2.5', thinking: { type: 'enabled', keep: 'all' } }, 'keep is not supported'],
  ['fireworks', { reasoning_effort: 'low', thinking: {} }, 'is incompatible with'],
  ['mistral', { messages: [{ role: 'assistant', content: 'y' }] }, 'Assistant with prefix True'],
  [
    'gemini',
    { tools: [tool({ type: 'object', $schema: 'x' })] },
    'Invalid JSON payload received. Unknown name',
  ],
  ['ollama', { reasoning_effort: 'huge' }, 'invalid reasoning_effort'],
]

const object = (p: unknown, more: Body = {}) => ({ type: 'object', properties: { p }, ...more })
const strictTool = (parameters: Body, strict = true) => ({
  type: 'function',
  function: { name: `f${strict}`, parameters, strict },
})
const closed = { required: ['p'], additionalProperties: false }

const REFUSED_TOOLS: [ServerName, Body | Body[], string | RegExp][] = [
  [
    'openai',
    strictTool(object({ type: 'string' })),
    "'additionalProperties' is required to be supplied and to be false",
  ],
  ['openai', strictTool(object({ type: 'string' }, { additionalProperties: false })), "Missing 'p'"],
  ['openai', strictTool(object({ type: 'string', minLength: 1 }, closed)), "'minLength' is not permitted"],
  ['openai', strictTool(object({ type: 'array' }, closed)), 'array schema missing items'],
  ['openai', strictTool({ anyOf: [] }), 'invalid_function_parameters'],
  ['groq', strictTool(object({ type: 'string' })), 'invalid_function_parameters'],
  [
    'cerebras',
    [strictTool(object({ type: 'string' }, closed)), strictTool({ type: 'object' }, false)],
    "mixed values for 'strict'",
  ],
  ['cerebras', strictTool(object({ type: 'string' }, closed)), 'strict=True are not supported by this model'],
  [
    'xai',
    tool({ anyOf: [{ type: 'object' }, { type: 'string' }] }),
    'tool parameter root must be an object type',
  ],
  ['xai', tool(object({ $ref: '#' })), 'Recursive JSON schemas are not currently supported'],
  ['xai', tool(object(true)), 'boolean schemas are not supported'],
  ['xai', tool(object({ enum: [] })), 'enum must not be empty'],
  ['moonshot', tool(object({ $ref: '#', description: 'x' })), 'moonshot flavored json schema'],
  ['moonshot', tool(object({ type: 'string', anyOf: [{}] })), 'moonshot flavored json schema'],
  ['gemini', tool(object({ type: ['string', 'null'] })), 'cannot start list'],
  ['gemini', tool(object({ type: 'integer', enum: [1] })), 'only allowed for STRING type'],
  [
    'llama.cpp',
    tool(object({ type: 'string', pattern: 'a' })),
    "Pattern must start with '^' and end with '$'",
  ],
  ['llama.cpp', tool(object({ type: 'string', pattern: '^\\d$' })), 'failed to parse grammar'],
  [
    'lm-studio',
    tool(object({ type: 'string', maxLength: 2_000 })),
    /^\{"error":"Failed to initialize samplers/,
  ],
]

it('xAI takes a free map as a parameter that is named like a keyword', async () => {
  const free = { type: 'object', properties: { properties: { type: 'object', additionalProperties: true } } }
  expect((await ask('xai', { tools: [tool(free)] }))[0]).toBe(200)
})

it.each(REFUSED_TOOLS)('%s refuses the tools %j', async (server, tools, words) => {
  const [status, text] = await ask(server, { tools: [tools].flat() })
  expect([400, 422]).toContain(status)
  if (words instanceof RegExp) expect(text).toMatch(words)
  else expect(text).toContain(words)
})

it('vLLM refuses a forced choice that its grammar cannot say, and takes the same tools on auto', async () => {
  const tools = [tool(object({ type: 'integer', multipleOf: 2 }))]
  expect(await ask('vllm', { tools, tool_choice: 'required' })).toEqual([
    400,
    expect.stringContaining('xgrammar'),
  ])
  expect((await ask('vllm', { tools }))[0]).toBe(200)
})

it.each(REFUSED)('%s refuses %j', async (server, body, words) => {
  const [status, text] = await ask(server, body)
  expect([400, 422]).toContain(status)
  expect(text).toMatch(
    words instanceof RegExp ? words : new RegExp(words.replace(/[`.*+?^${}()|[\]\\]/g, '\\$&')),
  )
})

it.each(Object.keys(PROFILES) as ServerName[])('%s accepts a plain request', async (server) => {
  expect(await ask(server, { max_tokens: 5, tools: [tool({ type: 'object' })] })).toEqual([
    200,
    expect.any(String),
  ])
})

it('accepts its own answers in the history', async () => {
  const taken: [ServerName, Body][] = [
    ['groq', history({ reasoning: 'x' })],
    [
      'mistral',
      history({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'x' }], closed: true }] }),
    ],
    ['deepseek', { ...history({ reasoning_content: '' }), model: 'deepseek-v4' }],
    ['moonshot', history({ reasoning_content: ' ' })],
    ['gemini', history({}, undefined, { extra_content: { google: { thought_signature: 's' } } })],
  ]
  for (const [server, body] of taken) expect(await ask(server, body)).toEqual([200, expect.any(String)])
})

it('classic Azure wants its version in the query, and the key in its own header', async () => {
  expect((await ask('azure-classic', {}, ''))[0]).toBe(404)
  const sim = await startOpenAISim({ server: 'azure', apiKey: 'k' })
  const models = (headers: Record<string, string>) => fetch(`${sim.url}/openai/v1/models`, { headers })
  expect((await models({ 'api-key': 'k' })).status).toBe(200)
  expect((await models({ 'api-key': 'x' })).status).toBe(401)
  expect((await models({})).status).toBe(401)
  await sim.close()
})
