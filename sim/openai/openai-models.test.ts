// The rules of single OpenAI models: parameters and efforts that the simulator refuses as the service does.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startOpenAISim } from '../openai.ts'
import type { Sim } from '../server.ts'

let sim: Sim
beforeAll(async () => {
  sim = await startOpenAISim()
})
afterAll(() => sim.close())

type Body = Record<string, unknown>
const user = (content: unknown) => ({ role: 'user', content })
const read = { type: 'function', function: { name: 'read', parameters: { type: 'object' } } }
const base = (more: Body): Body => ({ messages: [user('hello')], ...more })

type Expected = { message: string; param?: string | null; code?: string | null }

const ask = (body: Body) =>
  fetch(`${sim.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) })

const REFUSED: Record<string, [Body, Expected]> = {
  'max_tokens on reasoning models': [
    base({ model: 'gpt-5', max_tokens: 10 }),
    {
      message: "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      code: 'unsupported_parameter',
    },
  ],
  'a temperature on reasoning models': [
    base({ model: 'o4-mini', temperature: 0.2 }),
    { message: "'temperature' does not support 0.2 with this model.", code: 'unsupported_value' },
  ],
  'a stop on gpt-5 and later': [
    base({ model: 'gpt-6-sol', stop: ['x'] }),
    {
      message: "Unsupported parameter: 'stop' is not supported with this model.",
      code: 'unsupported_parameter',
    },
  ],
  'a top_p while gpt-6 reasons': [
    base({ model: 'gpt-6-luna', top_p: 0.5 }),
    { message: "Unsupported parameter: 'top_p' is not supported with this model." },
  ],
  'an effort that a model does not have': [
    base({ model: 'gpt-5.6-sol', reasoning_effort: 'minimal' }),
    {
      message:
        "Unsupported value: 'minimal' is not supported with the 'gpt-5.6-sol' model. Supported values are: 'none', 'low', 'medium', 'high', 'xhigh', and 'max'.",
      param: 'reasoning_effort',
      code: 'unsupported_value',
    },
  ],
  'tools beside an effort on gpt-5.4': [
    base({ model: 'gpt-5.4', tools: [read], reasoning_effort: 'low' }),
    {
      message:
        'Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.',
      param: 'reasoning_effort',
      code: null,
    },
  ],
  'tools without an effort on gpt-5.6': [
    base({ model: 'gpt-5.6-terra', tools: [read] }),
    {
      message:
        "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    },
  ],
  'tools on gpt-6-astra': [
    base({ model: 'gpt-6-astra', tools: [read], reasoning_effort: 'low' }),
    { message: 'Function tools with reasoning_effort are not supported for gpt-6-astra' },
  ],
  'a long prompt': [
    base({ model: 'gpt-4o', messages: [user('x'.repeat(600_000))] }),
    {
      message: "This model's maximum context length is 128000 tokens.",
      param: 'messages',
      code: 'context_length_exceeded',
    },
  ],
}

it.each(Object.entries(REFUSED))('refuses %s', async (_, [body, { message, ...rest }]) => {
  const response = await ask(body)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining(message), type: 'invalid_request_error', ...rest },
  })
})

it.each([
  { model: 'gpt-5.4', tools: [read] },
  { model: 'gpt-5.5', tools: [read], reasoning_effort: 'none' },
  { model: 'gpt-5.6-sol', tools: [read], reasoning_effort: 'none', temperature: 0.2 },
  { model: 'gpt-6-astra', reasoning_effort: 'xhigh' },
  { model: 'gpt-7', tools: [read], reasoning_effort: 'low', stop: 'x' },
])('takes %j', async (more) => {
  expect((await ask(base(more))).status).toBe(200)
})
