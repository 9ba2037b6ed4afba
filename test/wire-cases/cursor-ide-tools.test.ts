// Cursor IDE, continued: custom tools, model variants, ends of answers, the list of models. docs/cursor-ide.md names the sources.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
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
  user,
} from '../harness.ts'
import {
  accepted,
  bench,
  cursorIde,
  flatPatch,
  models,
  nestedPatch,
  sent,
  useCursorIdeBench,
} from './cursor-ide-bench.ts'
import { chunk } from './frames.ts'

useCursorIdeBench()

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
      'the turn is recognized with any argument name and any text (%#)',
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

  it("Chat's own custom call is accepted in the history", async () => {
    const messages = [
      user('edit'),
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', ...custom }] },
      answered('c1', 'Applied.'),
    ]
    const { upstream } = await accepted('openai', { messages, tools: [nestedPatch] })
    expect(JSON.parse(upstream.messages[1].tool_calls[0].function.arguments)).toEqual({ input: patch })
  })

  it('a malformed call of another tool is still refused, with its position', async () => {
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
      // An existing name is not a variant, and an unknown name is not found.
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

it("the client's anthropic-beta is not forwarded", async () => {
  const body = { model: models.anthropic, messages: [user('hello')] }
  await post(bench.url, body, { ...cursorIde, 'anthropic-beta': 'context-1m-2025-08-07' })
  expect(bench.anthropic.requests.at(-1)?.headers['anthropic-beta']).toBeUndefined()
})
