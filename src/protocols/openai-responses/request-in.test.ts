import { describe, expect, it } from 'vitest'
import { type Body, fn, png, read, refused } from './request-in.fixture.ts'

describe('settings', () => {
  it('are read', () => {
    const { turn, store, includeProofs, notes } = read({
      max_output_tokens: 5,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      reasoning: { effort: 'high', summary: 'auto' },
      text: {
        format: { type: 'json_schema', name: 'x', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
      safety_identifier: 'u',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      truncation: 'auto',
      service_tier: 'flex',
      prompt_cache_key: 'k',
    })
    expect(turn).toMatchObject({
      maxOutputTokens: 5,
      temperature: 0.5,
      topP: 0.9,
      parallelToolCalls: false,
      reasoning: { effort: 'high' },
      responseFormat: { type: 'json-schema', name: 'x', schema: { type: 'object' }, strict: true },
      user: 'u',
      stream: true,
    })
    expect([store, includeProofs]).toEqual([false, true])
    expect(notes).toEqual([
      'not supported and left out: truncation, message.output_text.logprobs, text.verbosity, service_tier',
    ])
  })

  it.each([
    [{ text: { format: { type: 'text' } } }, undefined],
    [{ text: { format: { type: 'json_object' } } }, { type: 'json' }],
    [{ text: {} }, undefined],
  ])('%j', (body, expected) => expect(read(body).turn.responseFormat).toEqual(expected))
})

describe('every problem names its field', () => {
  it.each<[string, Body]>([
    ['model', { model: '' }],
    ['input', { input: null }],
    ['input', { input: 7 }],
    ['input', { input: [] }],
    ['input', { input: [{ role: 'system', content: 'x' }] }],
    ['input[0]', { input: ['x'] }],
    ['input[0].type', { input: [{}] }],
    ['input[0].type', { input: [{ type: 'compaction', encrypted_content: 'x' }] }],
    ['input[0]', { input: [{ type: 'compaction_trigger' }, { role: 'user', content: 'x' }] }],
    ['input[0].role', { input: [{ role: 'tool', content: 'x' }] }],
    ['input[0].content', { input: [{ role: 'user', content: 7 }] }],
    ['input[0].content[0].type', { input: [{ role: 'user', content: [{ type: 'x' }] }] }],
    [
      'input[0].content[0].type',
      { input: [{ role: 'assistant', content: [{ type: 'input_image', image_url: png }] }] },
    ],
    ['input[0].content[0].image_url', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }],
    [
      'input[0].content[0].file_data',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_data: 'JVBERi0=' }] }] },
    ],
    ['input[0].call_id', { input: [{ type: 'function_call', name: 'x', arguments: '{}' }] }],
    [
      'input[0].arguments',
      { input: [{ type: 'function_call', call_id: '1', name: 'x', arguments: '{"a":' }] },
    ],
    ['input[0].input', { input: [{ type: 'custom_tool_call', call_id: '1', name: 'x' }] }],
    ['input[0].output', { input: [{ type: 'function_call_output', call_id: '1' }] }],
    [
      'input[0].output[0].type',
      { input: [{ type: 'function_call_output', call_id: '1', output: [{ type: 'x' }] }] },
    ],
    ['input[0].summary[0].text', { input: [{ type: 'reasoning', summary: [{}] }] }],
    ['tools[0].type', { tools: [{}] }],
    ['tools[0].name', { tools: [{ type: 'function' }] }],
    ['tools[0].format.type', { tools: [{ type: 'custom', name: 'x', format: { type: 'y' } }] }],
    ['tools[0].tools[0].name', { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }] }] }],
    ['tools[0].tools[1].name', { tools: [{ type: 'namespace', name: 'n', tools: [fn('a'), fn('a')] }] }],
    ['tools[1].name', { tools: [fn('a'), fn('a')] }],
    ['tool_choice', { tool_choice: 'required' }],
    ['tool_choice', { tools: [fn('a')], tool_choice: { type: 'function', name: 'b' } }],
    ['tool_choice.type', { tools: [fn('a')], tool_choice: { type: 'web_search_preview' } }],
    [
      'tool_choice.tools[0]',
      { tools: [fn('a')], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [fn('b')] } },
    ],
    ['temperature', { temperature: 3 }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['reasoning.effort', { reasoning: { effort: 5 } }],
    ['text.format.type', { text: { format: { type: 'xml' } } }],
    ['text.format.name', { text: { format: { type: 'json_schema' } } }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'x' } }],
    ['background', { background: true }],
    ['store', { store: 'yes' }],
    ['metadata', { metadata: [] }],
    ['input[0].role', { input: [{ role: 'x'.repeat(100_000) }] }],
    ['tool_choice', { tools: [fn('a')], tool_choice: fn('x'.repeat(100_000)) }],
    ['previous_response_id', { previous_response_id: 'x'.repeat(100_000) }],
    ['input[0].id', { input: [{ id: 'x'.repeat(100_000) }] }],
  ])('%s', (param, body) => {
    const error = refused(body)
    expect(error.message.length).toBeLessThan(1_200)
    expect(error.param).toBe(param)
    expect(error.message.startsWith(`${param}: `)).toBe(true)
  })
})
