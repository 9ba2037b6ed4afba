// What the cases of Cursor IDE share: its headers, tools and bodies, and a request that must be accepted.

import { expect } from 'vitest'
import type { Sim } from '../../sim/server.ts'
import { type Bench, type Body, chat, chatStream, readTool, useBench } from '../harness.ts'

export const bench = {} as Bench
/** For the top of each file: files of a worker share this module, so its hooks would be those of the first one only. */
export const useCursorIdeBench = () => void useBench({}, bench)
export const models = { anthropic: 'anthropic/claude-demo', openai: 'openai/gpt-demo' } as const
export const backends = ['anthropic', 'openai'] as const
type Backend = (typeof backends)[number]
export const cursorIde = { 'user-agent': 'Cursor/3.14.27' }

// biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
export const sent = (sim: Sim): any => sim.requests.at(-1)?.body

/** Sends it streamed and whole; the strict simulator must accept both, and the answer is in Chat's shape. */
export async function accepted(backend: Backend, body: Body) {
  const asked = { model: models[backend], ...body }
  const streamed = await chatStream(bench.url, asked, cursorIde)
  expect([streamed.status, streamed.error, streamed.problems]).toEqual([200, undefined, []])
  expect(streamed.chunks[0]).toMatchObject({ object: 'chat.completion.chunk' })
  const whole = await chat(bench.url, asked, cursorIde)
  expect([whole.status, whole.json.error]).toEqual([200, undefined])
  expect(whole.json.object).toBe('chat.completion')
  return { upstream: sent(bench[backend]), streamed, notes: whole.headers.get('x-dragoman-notes') ?? '' }
}

export const schema = readTool.function.parameters
export const flatRead = { type: 'function', name: 'read', parameters: schema }
export const bareRead = { name: 'read', description: 'Read a file', input_schema: schema }
const grammar = { syntax: 'lark', definition: 'start: /.+/' }
export const flatPatch = {
  type: 'custom',
  name: 'ApplyPatch',
  description: 'Edit files',
  format: { type: 'grammar', ...grammar },
}
export const nestedPatch = {
  type: 'custom',
  custom: { name: 'ApplyPatch', format: { type: 'grammar', grammar } },
}
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }

export const use = (id: string, input: Body): Body => ({ type: 'tool_use', id, name: 'read', input })
export const result = (id: string, content: unknown, more: Body = {}): Body => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})

export const responsesBody: Body = {
  instructions: 'Be brief.',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'read a' }] },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'of another service' },
    { role: 'assistant', content: [{ type: 'output_text', text: 'I will.' }] },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
    { type: 'function_call', call_id: 'c2', name: 'read', arguments: '{"path":"b"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'A' },
    { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'B' }] },
  ],
  tools: [flatRead],
}
