// Parts of Messages requests for the tests of the simulator, and what it means that it refuses one.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { signThinking } from '../sim/anthropic/signature.ts'
import { startAnthropicSim } from '../sim/anthropic.ts'
import type { Sim } from '../sim/server.ts'

export type Body = Record<string, unknown>
export const user = (content: unknown) => ({ role: 'user', content })
export const assistant = (content: unknown) => ({ role: 'assistant', content })
export const hello = [user('hello')]
export const base = (more: Body = {}): Body => ({
  model: 'any-model',
  max_tokens: 4000,
  messages: hello,
  ...more,
})
export const text = (words: string, more: Body = {}) => ({ type: 'text', text: words, ...more })
export const use = (id: string, more: Body = {}) => ({
  type: 'tool_use',
  id,
  name: 'read',
  input: {},
  ...more,
})
export const result = (id: string, more: Body = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'ok',
  ...more,
})
export const read = { name: 'read', input_schema: { type: 'object', properties: {} } }
export const tools = [read]
export const withTools = (messages: unknown[], more: Body = {}) => base({ tools, messages, ...more })
export const image = (source: Body) => base({ messages: [user([{ type: 'image', source }])] })
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const thought = (words: string, model = 'any-model') => ({
  type: 'thinking',
  thinking: words,
  signature: signThinking(words, model),
})
export const manual = { thinking: { type: 'enabled', budget_tokens: 2000 } }
export const adaptive = { thinking: { type: 'adaptive' } }
export const without = (body: Body, key: string): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== key))
export const marked = { cache_control: { type: 'ephemeral' } }

/** Each body is refused with a message that contains the text beside it. */
export function describeRefusals(refused: Record<string, [Body, string]>): void {
  let sim: Sim
  beforeAll(async () => {
    sim = await startAnthropicSim()
  })
  afterAll(() => sim.close())

  it.each(Object.entries(refused))('refuses %s', async (_, [body, message]) => {
    const headers = { 'anthropic-version': '2023-06-01' }
    const response = await fetch(`${sim.url}/v1/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
      request_id: response.headers.get('request-id'),
    })
  })
}
