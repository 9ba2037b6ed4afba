// T18, T19: what Cursor IDE posts to a custom base URL. It always calls /v1/chat/completions and always reads Chat chunks,
// but by the model's name it writes Chat, Responses or Anthropic's dialect, or all of them in one request. The numbers are
// those of docs/wire-cases.md.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import { answered, type Body, called, chat, readTool, user } from '../harness.ts'
import {
  accepted,
  backends,
  bareRead,
  bench,
  flatPatch,
  flatRead,
  models,
  picture,
  pixel,
  responsesBody,
  result,
  schema,
  sent,
  use,
  useCursorIdeBench,
} from './cursor-ide-bench.ts'

useCursorIdeBench()

describe.each(spread(backends, 1))('T19: a Responses body, on %s', (backend) => {
  it('1 Responses body on /chat/completions: Chat chunks', async () => {
    bench[backend].play([{ call: { name: 'read', arguments: { path: 'c' } } }])
    const { upstream, streamed } = await accepted(backend, responsesBody)
    expect(streamed.calls.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['read', '{"path":"c"}'],
    ])
    expect(streamed.finishReason).toBe('tool_calls')
    const roles = upstream.messages.map(({ role }: Body) => role)
    // One answer of the model with text and both calls, then both results.
    if (backend === 'anthropic') {
      expect(roles).toEqual(['user', 'assistant', 'user'])
      expect(upstream.messages[1].content.map(({ type }: Body) => type)).toEqual([
        'text',
        'tool_use',
        'tool_use',
      ])
      expect(JSON.stringify(upstream.system)).toContain('Be brief.')
    } else {
      expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'tool'])
      expect(upstream.messages[2]).toMatchObject({
        content: 'I will.',
        tool_calls: [{ id: 'c1' }, { id: 'c2' }],
      })
    }
  })

  it('2 messages:[] beside input, and messages:null', async () => {
    for (const messages of [[], null]) {
      const { upstream } = await accepted(backend, { messages, input: 'hello there' })
      expect(JSON.stringify(upstream.messages)).toContain('hello there')
      expect(upstream.input).toBeUndefined()
    }
  })

  it('10 stream_options with a Responses body: usage at the end', async () => {
    const { streamed } = await accepted(backend, {
      ...responsesBody,
      stream_options: { include_usage: true },
    })
    expect(streamed.usage.total_tokens).toBeGreaterThan(0)
  })

  it('13 fields of Responses that Chat does not know are dropped; one that it knows is kept', async () => {
    const { upstream, notes } = await accepted(backend, {
      ...responsesBody,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low' },
      include: ['reasoning.encrypted_content'],
      store: false,
      previous_response_id: null,
      truncation: 'auto',
      prompt_cache_retention: '24h',
      metadata: { a: 'b' },
      user: 'someone',
      max_output_tokens: 321,
    })
    expect(notes).toContain('truncation')
    expect(upstream.max_tokens ?? upstream.max_completion_tokens).toBe(321)
    for (const name of ['include', 'text', 'truncation', 'input', 'reasoning'])
      expect(upstream[name]).toBeUndefined()
  })

  it('13 the same fields beside messages', async () => {
    const { upstream } = await accepted(backend, {
      messages: [user('hello')],
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } },
      include: [],
      truncation: 'disabled',
      previous_response_id: 'resp_1',
      input: [],
    })
    for (const name of ['include', 'text', 'truncation', 'input', 'previous_response_id'])
      expect(upstream[name]).toBeUndefined()
    if (backend === 'openai') expect(upstream.response_format).toMatchObject({ json_schema: { name: 'x' } })
  })
})

describe.each(spread(backends, 1))("T18: Anthropic's dialect, on %s", (backend) => {
  it('4 a tool_result with text after it and an image inside', async () => {
    const { upstream } = await accepted(backend, {
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        user([{ type: 'text', text: 'look' }]),
        { role: 'assistant', content: [{ type: 'text', text: 'So:' }, use('toolu_1', { path: 'a.png' })] },
        user([
          result('toolu_1', [{ type: 'text', text: 'a picture' }, picture]),
          { type: 'text', text: 'what is it?' },
        ]),
      ],
      tools: [bareRead],
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      max_tokens: 4_000,
    })
    const text = JSON.stringify(upstream.messages)
    expect(text).toContain(pixel)
    expect(text.indexOf('a picture')).toBeLessThan(text.indexOf('what is it?'))
    if (backend === 'anthropic') {
      expect(upstream.messages[2].content.map(({ type }: Body) => type)).toEqual(['tool_result', 'text'])
      expect(upstream.system).toMatchObject([{ text: 'Be brief.', cache_control: { type: 'ephemeral' } }])
    } else {
      expect(upstream.messages.map(({ role }: Body) => role)).toEqual([
        'system', 'user', 'assistant', 'tool', 'user', 'user',
      ]) // biome-ignore format: one line
      expect(upstream.thinking).toBeUndefined()
    }
  })

  it('5 two parallel tool_use, both results in one user message, one of them an error', async () => {
    const { upstream } = await accepted(backend, {
      messages: [
        user('go'),
        { role: 'assistant', content: [use('t1', {}), use('t2', { path: 'b' })] },
        user([result('t2', 'B'), result('t1', 'no such file', { is_error: true })]),
      ],
      tools: [bareRead],
    })
    if (backend === 'anthropic')
      expect(upstream.messages[2].content).toMatchObject([
        { tool_use_id: 't2' },
        { tool_use_id: 't1', is_error: true },
      ])
    else
      expect(upstream.messages.slice(2)).toMatchObject([
        { role: 'tool', tool_call_id: 't2', content: 'B' },
        { role: 'tool', tool_call_id: 't1', content: 'Error: no such file' },
      ])
  })

  it('results with empty content do not become an empty user message', async () => {
    const { upstream } = await accepted(backend, {
      messages: [
        user('go'),
        { role: 'assistant', content: [use('t1', { path: 'a' })] },
        user([result('t1', ''), { type: 'text', text: '' }]),
      ],
      tools: [bareRead],
    })
    expect(upstream.messages).toHaveLength(3)
  })
})

describe.each(spread(backends, 1))('T18: dialects mixed, on %s', (backend) => {
  it('3 four tool shapes in one request', async () => {
    const named = (name: string, shape: Body) =>
      shape.function ? { ...shape, function: { ...shape.function, name } } : { ...shape, name }
    const { upstream, notes } = await accepted(backend, {
      messages: [user('hello')],
      tools: [readTool, named('grep', flatRead), named('ls', bareRead), flatPatch, { type: 'web_search' }],
    })
    const names = upstream.tools.map(
      (tool: { name?: string; function?: Body }) => tool.name ?? tool.function?.name,
    )
    expect(names).toEqual(['read', 'grep', 'ls', 'ApplyPatch'])
    for (const tool of upstream.tools.slice(0, 3))
      expect(tool.input_schema ?? tool.function.parameters).toMatchObject(schema)
    expect(JSON.stringify(upstream.tools[3])).toContain('start: /.+/')
    expect(notes).toContain('web_search')
  })

  it('one conversation in three dialects', async () => {
    const { upstream } = await accepted(backend, {
      messages: [
        user('go'),
        { role: 'assistant', content: null, tool_calls: [called('c1', 'read', { path: 'a' })] },
        { type: 'function_call_output', call_id: 'c1', output: 'A' },
        { role: 'assistant', content: [use('c2', { path: 'b' })] },
        answered('c2', [{ type: 'input_text', text: 'B' }]),
        { type: 'function_call', call_id: 'c3', name: 'read', arguments: '{"path":"c"}' },
        user([result('c3', [{ type: 'text', text: 'C' }]), { type: 'input_text', text: 'on' }]),
      ],
      tools: [readTool],
    })
    const text = JSON.stringify(upstream.messages)
    for (const id of ['c1', 'c2', 'c3']) expect(text.split(`"${id}"`)).toHaveLength(3)
    expect(upstream.messages.filter(({ role }: Body) => role === 'assistant')).toHaveLength(3)
  })

  it('6 forced tool_choice in three dialects', async () => {
    const forms: [Body | string, Body][] = [
      [{ type: 'function', function: { name: 'read' } }, readTool],
      [{ type: 'function', name: 'read' }, flatRead],
      [{ type: 'tool', name: 'read' }, bareRead],
      [{ type: 'any' }, bareRead],
      ['required', flatRead],
    ]
    for (const [choice, tool] of forms) {
      const { upstream } = await accepted(backend, {
        messages: [user('go')],
        tools: [tool],
        tool_choice: choice,
      })
      expect(['any', 'tool', 'function', 'required']).toContain(
        upstream.tool_choice.type ?? upstream.tool_choice,
      )
    }
    await chat(bench.url, {
      model: models[backend],
      messages: [user('go')],
      tools: [flatPatch, readTool],
      tool_choice: { type: 'custom', custom: { name: 'ApplyPatch' } },
    })
    expect(JSON.stringify(sent(bench[backend]).tool_choice)).toContain('ApplyPatch')
  })

  it("names that only Anthropic takes, of tools in Anthropic's form", async () => {
    const name = `mcp__${'server_'.repeat(10)}_read`
    const digest = createHash('sha256').update(name).digest('hex')
    const known = backend === 'anthropic' ? name : `${name.slice(0, 54)}_${digest.slice(0, 8)}`
    bench[backend].play([{ call: { name: known, arguments: { path: 'b' } } }])
    const { upstream, streamed } = await accepted(backend, {
      messages: [
        user('go'),
        { role: 'assistant', content: null, tool_calls: [called('c1', name, { path: 'a' })] },
        answered('c1', 'A'),
      ],
      tools: [{ ...bareRead, name }],
    })
    const text = JSON.stringify(upstream)
    expect(text.includes(name)).toBe(backend === 'anthropic')
    expect(streamed.calls.map((call) => call.name)).toEqual([name])
  })

  it('6 one call at a time, as Anthropic says it', async () => {
    const { upstream } = await accepted(backend, {
      messages: [user('go')],
      tools: [bareRead],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    expect(upstream.parallel_tool_calls ?? !upstream.tool_choice.disable_parallel_tool_use).toBe(false)
  })

  it.each([[[]], [null]])('8 empty tool_calls are dropped: %j', async (empty) => {
    const { upstream } = await accepted(backend, {
      messages: [user('go'), { role: 'assistant', content: 'Yes?', tool_calls: empty }, user('on')],
      tools: [readTool],
    })
    expect(JSON.stringify(upstream.messages)).not.toContain('tool_calls')
  })
})
