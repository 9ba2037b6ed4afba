// Invalid requests: each gets the right status and an error in OpenAI's shape that names the field.

import { describe, expect, it } from 'vitest'
import { ask, type Body, called, post, readTool, useBench, user } from '../harness.ts'
import { refusalOf } from './refusal.ts'
import { expectNothingStray } from './wire.ts'

expectNothingStray()
const bench = useBench({ openai: { lenient: true } })

const refusal = (body: unknown, headers?: Record<string, string>) => refusalOf(bench.url, body, headers)

const model = 'openai/gpt-4o'
const asked = (more: Body): Body => ({ model, messages: [user('hello')], ...more })
const said = (...messages: unknown[]): Body => ({ model, messages })
const part = (value: unknown) => said(user([value]))
const history = (call: unknown) => said(user('x'), { role: 'assistant', tool_calls: [call] })

describe('a field of the wrong type is named', () => {
  const tool = (fields: Body) =>
    asked({ tools: [{ type: 'function', function: { name: 'read', ...fields } }] })
  const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } }
  const rows: [string, Body][] = [
    ['model', { messages: [user('x')] }],
    ['model', asked({ model: null })],
    ['model', asked({ model: 5 })],
    ['model', asked({ model: '' })],
    ['model', asked({ model: ['a'] })],
    ['messages', { model }],
    ['messages', asked({ messages: 'hello' })],
    ['messages', asked({ messages: {} })],
    ['messages', asked({ messages: [] })],
    ['messages', said({ role: 'system', content: 'only' })],
    ['messages[0]', said('hello')],
    ['messages[0]', said(null)],
    ['messages[1]', said(user('x'), [])],
    ['messages[0].role', said({ content: 'x' })],
    ['messages[0].role', said({ role: 5, content: 'x' })],
    ['messages[0].role', said({ role: 'robot', content: 'x' })],
    ['messages[0].role', said({ role: '__proto__', content: 'x' })],
    ['messages[0].content', said(user(5))],
    ['messages[0].content', said(user(true))],
    ['messages[0].content', said(user({ text: 'x' }))],
    ['messages[0].content[0]', part(5)],
    ['messages[0].content[0]', part(null)],
    ['messages[0].content[0].type', part({ text: 'x' })],
    [
      'messages[0].content[0].type',
      { ...part({ type: 'video', text: 'x' }), model: 'anthropic/claude-demo' },
    ],
    ['messages[0].content[0].text', part({ type: 'text', text: 5 })],
    ['messages[0].content[0].image_url', part({ type: 'image_url', image_url: 5 })],
    ['messages[0].content[0].image_url.url', part({ type: 'image_url', image_url: {} })],
    ['messages[0].content[0].image_url.url', part({ type: 'image_url', image_url: { url: 'data:text,x' } })],
    ['messages[0].content[0].input_audio', part({ type: 'input_audio' })],
    [
      'messages[0].content[0].input_audio.data',
      part({ type: 'input_audio', input_audio: { format: 'wav' } }),
    ],
    ['messages[0].content[0].file', part({ type: 'file', file: 'x' })],
    ['messages[0].content[0].file.file_data', part({ type: 'file', file: {} })],
    ['messages[0].content[0].type', said({ role: 'system', content: [{ type: 'image_url' }] }, user('x'))],
    ['messages[1].tool_call_id', said(user('x'), { role: 'tool', content: 'x' })],
    ['messages[1].tool_call_id', said(user('x'), { role: 'tool', tool_call_id: 5, content: 'x' })],
    ['messages[1].tool_calls', said(user('x'), { role: 'assistant', tool_calls: {} })],
    ['messages[1].tool_calls[0]', history('x')],
    ['messages[1].tool_calls[0].id', history({ ...call, id: 5 })],
    ['messages[1].tool_calls[0].id', history({ ...call, id: undefined })],
    ['messages[1].tool_calls[0].function', history({ ...call, function: undefined })],
    ['messages[1].tool_calls[0].function.name', history({ ...call, function: { name: 5 } })],
    ['messages[1].tool_calls[0].function.arguments', history(called('c', 'read', '{"path":'))],
    ['messages[1].tool_calls[0].function.arguments', history(called('c', 'read', '[1]'))],
    [
      'messages[1].tool_calls[0].function.arguments',
      history({ ...call, function: { name: 'read', arguments: 5 } }),
    ],
    ['messages[1].function_call', said(user('x'), { role: 'assistant', function_call: 'x' })],
    ['messages[1].refusal', said(user('x'), { role: 'assistant', refusal: 5 })],
    ['tools', asked({ tools: {} })],
    ['tools', asked({ tools: 'read' })],
    ['tools', asked({ tools: [readTool, readTool] })],
    ['tools[0]', asked({ tools: ['read'] })],
    ['tools[0].type', asked({ tools: [{}] })],
    ['tools[0].type', asked({ tools: [{ type: 5 }] })],
    ['tools[0].function', asked({ tools: [{ type: 'function' }] })],
    ['tools[0].function.name', tool({ name: undefined })],
    ['tools[0].function.name', tool({ name: 5 })],
    ['tools[0].function.name', tool({ name: '' })],
    ['tools[0].function.description', tool({ description: 5 })],
    ['tools[0].function.parameters', tool({ parameters: 'object' })],
    ['tools[0].function.parameters', tool({ parameters: [] })],
    ['tools[0].function.strict', tool({ strict: 'yes' })],
    ['functions', asked({ functions: {} })],
    ['functions[0].name', asked({ functions: [{}] })],
    ['tool_choice', asked({ tools: [readTool], tool_choice: 5 })],
    ['tool_choice', asked({ tools: [readTool], tool_choice: 'sometimes' })],
    ['tool_choice', asked({ tool_choice: 'required' })],
    [
      'tool_choice',
      asked({ tools: [readTool], tool_choice: { type: 'function', function: { name: 'write' } } }),
    ],
    ['tool_choice.function', asked({ tools: [readTool], tool_choice: { type: 'function', function: 5 } })],
    [
      'tool_choice.function.name',
      asked({ tools: [readTool], tool_choice: { type: 'function', function: {} } }),
    ],
    ['parallel_tool_calls', asked({ tools: [readTool], parallel_tool_calls: 'yes' })],
    ['stream', asked({ stream: 'yes' })],
    ['stream', asked({ stream: 1 })],
    ['stream_options', asked({ stream: true, stream_options: true })],
    ['stream_options.include_usage', asked({ stream: true, stream_options: { include_usage: 'yes' } })],
    ['n', asked({ n: 2 })],
    ['n', asked({ n: 0 })],
    ['n', asked({ n: '1' })],
    ['max_tokens', asked({ max_tokens: '100' })],
    ['max_tokens', asked({ max_tokens: 0 })],
    ['max_tokens', asked({ max_tokens: -1 })],
    ['max_tokens', asked({ max_tokens: 1.5 })],
    ['max_completion_tokens', asked({ max_completion_tokens: {} })],
    ['temperature', asked({ temperature: 'hot' })],
    ['temperature', asked({ temperature: 2.1 })],
    ['temperature', asked({ temperature: -0.1 })],
    ['top_p', asked({ top_p: 2 })],
    ['top_p', asked({ top_p: [] })],
    ['top_k', asked({ top_k: 'x' })],
    ['stop', asked({ stop: 5 })],
    ['stop[1]', asked({ stop: ['a', 5] })],
    ['reasoning_effort', asked({ reasoning_effort: 5 })],
    ['reasoning', asked({ reasoning: 'x' })],
    ['response_format', asked({ response_format: 'json' })],
    ['response_format.type', asked({ response_format: {} })],
    ['response_format.type', asked({ response_format: { type: 'xml' } })],
    ['response_format.json_schema', asked({ response_format: { type: 'json_schema' } })],
    [
      'response_format.json_schema.name',
      asked({ response_format: { type: 'json_schema', json_schema: {} } }),
    ],
    ['user', asked({ user: 5 })],
  ]

  it.each(rows)('%s (%j)', async (param, body) => {
    const { status, error } = await refusal(body)
    expect(status).toBe(400)
    expect(error.type).toBe('invalid_request_error')
    expect(error.param).toBe(param)
    expect(error.message.startsWith(param)).toBe(true)
  })

  it('and nothing of it went upstream', () => {
    expect(
      bench.openai.requests.filter((request) => request.method === 'POST' && request.status === 400),
    ).toEqual([])
  })

  it.each([
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'response_format',
    'reasoning_effort',
    'stream',
    'stream_options',
    'n',
    'max_tokens',
    'max_completion_tokens',
    'temperature',
    'top_p',
    'stop',
    'user',
  ])('null is as good as absent: %s', async (name) => {
    for (const to of [model, 'anthropic/claude-opus-5'])
      expect((await post(bench.url, asked({ model: to, [name]: null }))).status).toBe(200)
  })
})

describe('unknown models', () => {
  it.each([
    ['openai/gpt-4o', 'gpt-4oo'],
    ['openai/gpt-4o', 'opnai/gpt-4o'],
    ['anthropic/claude-opus-5', 'claude-opus-55'],
  ])('%s is offered for %s', async (offered, wanted) => {
    const { status, error } = await refusal(ask(wanted))
    expect(status).toBe(404)
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model', type: 'invalid_request_error' })
    expect(error.message).toContain(wanted)
    expect(error.message).toContain(offered)
  })

  it.each([
    'zzzzzzzzzzzzz',
    '/',
    'openai/',
    '/gpt-4o',
    'openai',
    ' ',
    '__proto__',
    'constructor/x',
    'toString',
  ])('%j: 404 that says where the list is', async (wanted) => {
    const { status, error } = await refusal(ask(wanted))
    expect(status).toBe(404)
    expect(error.code).toBe('model_not_found')
  })

  it('a name of a megabyte is neither repeated nor kept', async () => {
    const before = bench.logs.join('').length
    const name = `x${'y'.repeat(1_000_000)}`
    const { status, text } = await refusal(ask(name))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(text.length).toBeLessThan(2_000)
    expect(bench.logs.join('').length - before).toBeLessThan(20_000)
  })
})
