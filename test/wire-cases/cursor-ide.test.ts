// T18, T19: what Cursor IDE posts to a custom base URL. It always calls /v1/chat/completions and always reads Chat chunks,
// but by the model's name it writes Chat, Responses or Anthropic's dialect, or all of them in one request. The numbers are
// those of docs/wire-cases.md.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { toCursorStep } from '../cursor-backend.ts'
import { spread } from '../depth.ts'
import {
  answered,
  type Body,
  called,
  chat,
  chatStream,
  post,
  readTool,
  startBench,
  useBench,
  user,
} from '../harness.ts'
import { chunk } from './frames.ts'

const bench = useBench()
const models = { anthropic: 'anthropic/claude-demo', openai: 'openai/gpt-demo' } as const
const backends = ['anthropic', 'openai'] as const
type Backend = (typeof backends)[number]
const cursorIde = { 'user-agent': 'Cursor/3.14.27' }

// biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
const sent = (sim: Sim): any => sim.requests.at(-1)?.body

/** Sends it streamed and whole; the strict simulator must accept both, and the answer is in Chat's shape. */
async function accepted(backend: Backend, body: Body) {
  const asked = { model: models[backend], ...body }
  const streamed = await chatStream(bench.url, asked, cursorIde)
  expect([streamed.status, streamed.error, streamed.problems]).toEqual([200, undefined, []])
  expect(streamed.chunks[0]).toMatchObject({ object: 'chat.completion.chunk' })
  const whole = await chat(bench.url, asked, cursorIde)
  expect([whole.status, whole.json.error]).toEqual([200, undefined])
  expect(whole.json.object).toBe('chat.completion')
  return { upstream: sent(bench[backend]), streamed, notes: whole.headers.get('x-dragoman-notes') ?? '' }
}

const schema = readTool.function.parameters
const flatRead = { type: 'function', name: 'read', parameters: schema }
const bareRead = { name: 'read', description: 'Read a file', input_schema: schema }
const grammar = { syntax: 'lark', definition: 'start: /.+/' }
const flatPatch = {
  type: 'custom',
  name: 'ApplyPatch',
  description: 'Edit files',
  format: { type: 'grammar', ...grammar },
}
const nestedPatch = {
  type: 'custom',
  custom: { name: 'ApplyPatch', format: { type: 'grammar', grammar } },
}
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }

const use = (id: string, input: Body): Body => ({ type: 'tool_use', id, name: 'read', input })
const result = (id: string, content: unknown, more: Body = {}): Body => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})

const responsesBody: Body = {
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

describe.each(spread(backends, 1))('T19: a Responses body, on %s', (backend) => {
  it('1 Responses body on /chat/completions: Chat chunks', async () => {
    bench[backend].play([{ call: { name: 'read', arguments: { path: 'c' } } }])
    const { upstream, streamed } = await accepted(backend, responsesBody)
    expect(streamed.calls.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['read', '{"path":"c"}'],
    ])
    expect(streamed.finishReason).toBe('tool_calls')
    const roles = upstream.messages.map(({ role }: Body) => role)
    // One answer of the model, with words and both calls; both results behind it.
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

  it('13 fields of Responses that Chat does not know are left out, and one that it does is not', async () => {
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

  it('results and empty content beside each other are no empty user message', async () => {
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

const patch =
  '*** Begin Patch\n*** Update File: a.ts\n@@\n-const a = "\\n"\n+const a = \'ü\' // {"x": 1}\n*** End Patch\n'

describe.each(spread(['anthropic', 'openai', 'text', 'cursor'] as const, 2))(
  'T19: 7 ApplyPatch round trip on %s',
  (backend) => {
    const model = { ...models, text: 'text/text-demo', cursor: 'cursor/composer-2' }[backend]
    const call: Step = { call: { name: 'ApplyPatch', arguments: { input: patch } } }
    const play = () =>
      backend === 'cursor'
        ? bench.cursor.play([toCursorStep(call), { await: 'results' }, { say: 'Done.' }])
        : bench[backend].play([call], [{ say: 'Done.' }])
    const followUp = (shown: Body, tools: Body[] | undefined = [flatPatch]): Body => ({
      model,
      messages: [
        user('edit a.ts'),
        { role: 'assistant', content: null, tool_calls: [shown] },
        answered(String(shown.id), 'Applied.'),
      ],
      tools,
    })

    it('raw text out, in a function; the same back', async () => {
      play()
      const first = await chatStream(
        bench.url,
        { model, messages: [user('edit a.ts')], tools: [flatPatch] },
        cursorIde,
      )
      expect(first.problems).toEqual(['arguments that are not a JSON object'])
      expect(first.calls.map(({ name, arguments: text }) => [name, text])).toEqual([['ApplyPatch', patch]])
      expect(first.finishReason).toBe('tool_calls')
      const [shown] = first.calls
      if (!shown) throw new Error('no call')
      const next = await chatStream(bench.url, followUp(called(shown.id, shown.name, patch)), cursorIde)
      expect([next.status, next.error, next.text]).toEqual([200, undefined, 'Done.'])
      if (backend === 'cursor') expect(next.headers.get('x-dragoman-session')).toBe('live')
      else expect(JSON.stringify(sent(bench[backend]).messages)).toContain('Applied.')
    })

    it.each(['', '{"path":"a.ts"}', patch.repeat(5_000)])(
      'whatever the model calls its argument, and whatever the text: the turn is known again (%#)',
      async (text) => {
        const made: Step = { call: { name: 'ApplyPatch', arguments: { patch: text } } }
        if (backend === 'cursor')
          bench.cursor.play([toCursorStep(made), { await: 'results' }, { say: 'Done.' }])
        else bench[backend].play([{ think: 'Hm.' }, made], [{ say: 'Done.' }])
        const asked = { model, messages: [user('edit a.ts')], tools: [flatPatch], reasoning_effort: 'low' }
        const { json } = await chat(bench.url, asked, cursorIde)
        const [shown] = json.choices[0].message.tool_calls
        expect(shown).toMatchObject({ type: 'function', function: { name: 'ApplyPatch' } })
        expect(shown.function.arguments === text).toBe(true)
        const next = await chat(bench.url, { ...followUp(shown), reasoning_effort: 'low' }, cursorIde)
        expect([next.status, next.json.choices?.[0].message.content]).toEqual([200, 'Done.'])
        if (backend === 'cursor') expect(next.headers.get('x-dragoman-session')).toBe('live')
        if (backend === 'anthropic')
          expect(sent(bench.anthropic).messages[1].content).toMatchObject([
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'tool_use' },
          ])
      },
    )

    it('in a history whose tools are gone', async () => {
      if (backend === 'cursor') bench.cursor.play([{ say: 'Done.' }])
      else bench[backend].play([{ say: 'Done.' }])
      const { status, json } = await chat(
        bench.url,
        followUp(called('c1', 'ApplyPatch', patch), undefined),
        cursorIde,
      )
      expect([status, json.choices?.[0].message.content]).toEqual([200, 'Done.'])
    })
  },
)

describe('custom tools by the form of their definition', () => {
  const script: Step[] = [{ call: { name: 'ApplyPatch', arguments: { input: patch } } }]
  const asked = (tool: Body) => ({ model: models.openai, messages: [user('edit')], tools: [tool] })
  const custom = { type: 'custom', custom: { name: 'ApplyPatch', input: patch } }
  const asFunction = { type: 'function', function: { name: 'ApplyPatch', arguments: patch } }

  it.each([
    ['flat', flatPatch, {}, asFunction],
    ["as Chat's own", nestedPatch, {}, custom],
    ["as Chat's own, by Cursor IDE", nestedPatch, cursorIde, asFunction],
  ])('%s', async (_name, tool, headers, expected) => {
    bench.openai.play(script, script)
    const { json } = await chat(bench.url, asked(tool), headers)
    expect(json.choices[0].message.tool_calls).toMatchObject([expected])
    const { chunks } = await chatStream(bench.url, asked(tool), headers)
    const deltas = chunks.flatMap((entry) => entry.choices[0]?.delta.tool_calls ?? [])
    expect(deltas[0]).toMatchObject({ index: 0, type: expected.type })
    const text = deltas.map((delta) => delta.custom?.input ?? delta.function?.arguments).join('')
    expect(text).toBe(patch)
  })

  it("Chat's own comes back, and is taken", async () => {
    const messages = [
      user('edit'),
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', ...custom }] },
      answered('c1', 'Applied.'),
    ]
    const { upstream } = await accepted('openai', { messages, tools: [nestedPatch] })
    expect(JSON.parse(upstream.messages[1].tool_calls[0].function.arguments)).toEqual({ input: patch })
  })

  it('what no custom tool has said is still refused by its place', async () => {
    const messages = [
      user('go'),
      { role: 'assistant', content: null, tool_calls: [called('c1', 'read', '{"pa')] },
    ]
    const { status, json } = await chat(bench.url, { model: models.openai, messages })
    expect([status, json.error.param]).toEqual([400, 'messages[1].tool_calls[0].function.arguments'])
  })
})

describe('9 model variants', () => {
  it.each([
    ['house-fast', undefined],
    ['house-thinking-high', 'high'],
    ['house-high-thinking', 'high'],
    ['house-thinking-low-fast', 'low'],
  ])('%s', async (model, effort) => {
    const own = await startBench({
      settings: { models: { house: 'openai/gpt-5', 'other-fast': 'anthropic/claude-demo' } },
    })
    try {
      // Aliases of the bench's own backends: settings of a bench are added to them.
      const { status, json, headers } = await chat(own.url, { model, messages: [user('hello')] })
      expect([status, json.model]).toEqual([200, model])
      expect(headers.get('x-dragoman-notes')).toContain(`the model "${model}" was read as "house"`)
      expect(sent(own.openai)).toMatchObject({ model: 'gpt-5' })
      expect(sent(own.openai).reasoning_effort).toBe(effort)
      const stated = { model, messages: [user('hello')], reasoning_effort: 'minimal' }
      await chat(own.url, stated)
      expect(sent(own.openai).reasoning_effort).toBe('minimal')
      // A name that exists is no variant; one that nobody has is not found by its own name.
      expect((await chat(own.url, { model: 'other-fast', messages: [user('hello')] })).json.model).toBe(
        'other-fast',
      )
      const { json: unknown } = await chat(own.url, { model: 'nobody-fast', messages: [user('hello')] })
      expect(unknown.error).toMatchObject({ code: 'model_not_found' })
      expect(unknown.error.message).toContain('nobody-fast')
    } finally {
      await own.close()
    }
  })

  it.each([
    ['anthropic/claude-sonnet-4-5', {}, { type: 'enabled', budget_tokens: 8_192 }, undefined],
    ['anthropic/claude-opus-4-6', {}, { type: 'adaptive' }, 'medium'],
    ['anthropic/claude-opus-4-6', { thinking: { type: 'adaptive' } }, { type: 'adaptive' }, 'medium'],
    ['anthropic/claude-opus-4-6', { output_config: { effort: 'high' } }, undefined, 'high'],
    [
      'anthropic/claude-sonnet-4-5',
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { type: 'enabled', budget_tokens: 2_000 },
      undefined,
    ],
    ['anthropic/claude-sonnet-4-5', { thinking: { type: 'disabled' } }, { type: 'disabled' }, undefined],
  ])('on the Messages route: %s, %j', async (target, stated, thinking, effort) => {
    const own = await startBench({ settings: { models: { 'our/house': target } } })
    try {
      const body = { model: 'our/house-thinking-medium', max_tokens: 20_000, messages: [user('hello')] }
      const response = await fetch(`${own.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...stated }),
      })
      expect([response.status, await response.json()]).toMatchObject([200, { model: body.model }])
      const upstream = sent(own.anthropic)
      expect([upstream.thinking, upstream.output_config?.effort]).toEqual([thinking, effort])
      // The note tells of an effort only where it counts.
      const isStated = 'output_config' in stated || ('thinking' in stated && thinking?.type !== 'adaptive')
      const note = response.headers.get('x-dragoman-notes') ?? ''
      expect(note).toContain('was read as "our/house"')
      expect(note.includes('with effort medium')).toBe(!isStated)
    } finally {
      await own.close()
    }
  })

  it('never of BACKEND/MODEL', async () => {
    await chat(bench.url, { model: 'openai/gpt-demo-fast', messages: [user('hello')] })
    expect(sent(bench.openai).model).toBe('gpt-demo-fast')
  })
})

describe('11 an upstream that ends without finish_reason', () => {
  it.each([
    ['words', [chunk({ content: 'Hello.' })], 'stop'],
    [
      'a call',
      [
        chunk({
          tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }],
        }),
      ],
      'tool_calls',
    ],
  ])('%s: one is given', async (_name, chunks, reason) => {
    bench.openai.play([...chunks, { raw: 'data: [DONE]\n\n' }])
    const { finishReason, problems } = await chatStream(bench.url, {
      model: models.openai,
      messages: [user('hello')],
      tools: [readTool],
    })
    expect([finishReason, problems]).toEqual([reason, []])
  })
})

describe('12 GET /models and preflight', () => {
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })

  it('models are listed as OpenAI lists them', async () => {
    const listed = (await (await fetch(`${bench.url}/v1/models`, { headers: cursorIde })).json()) as {
      object: string
      data: { id: string }[]
    }
    expect(listed.object).toBe('list')
    expect(listed.data.map(({ id }) => id)).toContain(models.anthropic)
  })

  it('a preflight is answered for configured origins, and for no other', async () => {
    const own = await startBench({ settings: { allow: { origins: ['vscode-file://vscode-app'] } } })
    try {
      const allowed = await preflight(own.url, 'vscode-file://vscode-app')
      expect(allowed.status).toBe(204)
      expect(allowed.headers.get('access-control-allow-origin')).toBe('vscode-file://vscode-app')
      expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization')
      const other = await preflight(own.url, 'https://elsewhere.example')
      expect(other.status).toBe(403)
      expect(other.headers.get('access-control-allow-origin')).toBeNull()
    } finally {
      await own.close()
    }
  })
})

it('anthropic-beta of the client reaches nobody', async () => {
  const body = { model: models.anthropic, messages: [user('hello')] }
  await post(bench.url, body, { ...cursorIde, 'anthropic-beta': 'context-1m-2025-08-07' })
  expect(bench.anthropic.requests.at(-1)?.headers['anthropic-beta']).toBeUndefined()
})
