// The lane Chat → OpenAI-compatible servers: what the gateway does not know passes in both directions, with the model's name that the
// client used. What clients could not read is repaired all the same.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readChatStream } from '../chat-stream.ts'
import { scaled } from '../depth.ts'
import { startGateway } from '../harness.ts'
import { eventStream, type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'

let upstream: ScriptedUpstream
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  const box = { kind: 'openai', baseUrl: upstream.url, apiKey: 'upstream-key' }
  const claude = { kind: 'anthropic', baseUrl: upstream.url, apiKey: 'upstream-key' }
  gateway = await startGateway({
    backends: { box, claude },
    models: { mine: 'box/their-model', claude: 'claude/claude-opus-5-5' },
  })
})
afterAll(async () => {
  await gateway.gateway.close()
  upstream.close()
})
beforeEach(() => {
  upstream.asked.length = 0
})

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
type Json = any

const send = (body: string | object) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const go = { model: 'mine', stream: true, messages: [{ role: 'user', content: 'go' }] }
const tools = ['read', 'write'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}))
const asked = { ...go, tools }

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: 'chatcmpl-theirs',
  object: 'chat.completion.chunk',
  created: 7,
  model: 'their-model-2026',
  choices: [
    {
      index: 0,
      delta,
      logprobs: { content: [{ token: 'x', logprob: -0.5 }] },
      finish_reason,
      native_reason: 'n',
    },
  ],
  system_fingerprint: 'fp_1',
  provider: { name: 'p' },
  ...more,
})
const usage = {
  ...chunk({}),
  choices: [],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0.5 },
}
const frames = (...chunks: Json[]) =>
  `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`
const renamed = (text: string) => text.replaceAll('"model":"their-model-2026"', '"model":"mine"')
const piece = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] })
const opened = (index: number, id: string, name: string, more: object = {}) =>
  piece(index, { id, type: 'function', function: { name, arguments: '' }, ...more })
const input = (index: number, text: string) => piece(index, { function: { arguments: text } })

async function play(body: object, sent: string) {
  upstream.answer = { headers: eventStream, body: sent }
  const raw = await (await send(body)).text()
  const stream = await readChatStream(new Response(raw, { headers: eventStream }))
  return { ...stream, raw }
}

describe('T74: an answer', () => {
  const said = [
    chunk({ role: 'assistant', content: '', novel: 1 }),
    chunk({ content: 'Hi' }),
    chunk({ content: ' you', annotations: [{ type: 'url_citation' }] }),
    chunk({ content: ' "there"' }),
    chunk({}, 'stop', { service_tier: 'flex' }),
  ]

  it('passes with its unknown fields, byte for byte', async () => {
    const { raw, problems } = await play(go, frames(...said, usage))
    expect(raw).toBe(renamed(frames(...said)))
    expect(problems).toEqual([])
  })

  it('passes with its usage if the client asks for it', async () => {
    const { raw } = await play({ ...go, stream_options: { include_usage: true } }, frames(...said, usage))
    expect(raw).toBe(renamed(frames(...said, usage)))
  })

  it('passes whole', async () => {
    const message = { role: 'assistant', content: 'Hi', annotations: [1], audio: { id: 'a' } }
    const answer = { ...chunk({}), object: 'chat.completion', choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop', novel: 1 }], usage: usage.usage }
    upstream.answer = { body: JSON.stringify(answer) }
    expect(await (await send({ ...go, stream: false })).text()).toBe(renamed(JSON.stringify(answer)))
  })

  it('has each call in one piece, when it is complete, with its unknown members', async () => {
    const sent = frames(
      chunk({ role: 'assistant', content: null }),
      chunk(opened(0, 'c1', 'read', { extra_content: { google: { thought_signature: 's' } } })),
      chunk(input(0, '{"path":')),
      chunk(input(0, '"a"}')),
      chunk(opened(1, 'c2', 'write')),
      chunk(input(1, '{}')),
      chunk({}, 'tool_calls'),
    )
    const { raw, problems, calls, chunks } = await play(asked, sent)
    expect(problems).toEqual([])
    expect(calls.map(({ id, name, arguments: text }) => [id, name, text])).toEqual([['c1', 'read', '{"path":"a"}'], ['c2', 'write', '{}']])
    const [, first, second] = chunks
    expect(first).toMatchObject({ system_fingerprint: 'fp_1', choices: [{ native_reason: 'n', delta: { tool_calls: [{ extra_content: { google: { thought_signature: 's' } } }] } }] })
    expect(second.choices[0].delta.tool_calls[0].index).toBe(1)
    expect(chunks).toHaveLength(4)
    // Cut off: no part of the second call.
    const cut = await play(asked, sent.slice(0, sent.indexOf('data: [DONE]')).replace(/data: [^\n]*"tool_calls","native.*\n\n$/, ''))
    expect(cut.raw).not.toContain('"c2"')
    expect(raw).toContain('"c2"')
  })

  it('is repaired where clients could not read it, and keeps its unknown fields', async () => {
    const { raw, problems, calls, finishReason, text } = await play(asked, frames(
      { choices: [], prompt_filter_results: [1], id: '', model: '', object: '' },
      { ...chunk({ content: 'Hi', reasoning: 'hm' }), object: '' },
      chunk(piece(0, { id: 'c1', function: { name: 'read', arguments: '{}' } })),
      { ...chunk({}, 'stop'), usage: usage.usage },
    ))
    expect(problems).toEqual([])
    expect([text, finishReason]).toEqual(['Hi', 'tool_calls'])
    expect(calls.map(({ id, name }) => [id, name])).toEqual([['c1', 'read']])
    expect(raw).toContain('"reasoning_content":"hm"')
    expect(raw).toContain('"prompt_filter_results":[1]')
    expect(raw).toContain('"native_reason":"n"')
  })

  it('that begins with filter results, as of Azure, keeps the head of its chunks', async () => {
    const early = { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [1] }
    const { chunks, problems } = await play(go, frames(early, chunk({ role: 'assistant', content: 'Hi' }), chunk({}, 'stop')))
    expect(problems).toEqual([])
    expect(chunks[0]).toMatchObject({ id: 'chatcmpl-theirs', created: 7, object: 'chat.completion.chunk', prompt_filter_results: [1] })
  })

  it('that is whole and lacks id, time and model gets them', async () => {
    upstream.answer = { body: `\n${JSON.stringify({ object: 'chat.completion', novel: 1, choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }], usage: usage.usage })}` }
    const got = (await (await send({ ...go, stream: false })).json()) as Json
    expect(got).toMatchObject({ model: 'mine', novel: 1, id: expect.stringMatching(/^chatcmpl-/), created: expect.any(Number) })
  })

  // In quadratic time it takes minutes, and the test fails by its time limit.
  it('with very many unknown members is read in linear time', async () => {
    const many = scaled(30_000, 8_000)
    const early = Array.from({ length: many }, (_, at) => ({ choices: [], [`k${at}`]: 1 }))
    const odd = Array.from({ length: many }, (_, at) => chunk(piece(0, { [`k${at}`]: 1, function: { arguments: '' } })))
    const { calls } = await play(asked, frames(...early, chunk({ role: 'assistant', content: null }), chunk(opened(0, 'c1', 'read')), ...odd, chunk(input(0, '{}')), chunk({}, 'tool_calls')))
    expect(calls.map(({ id }) => id)).toEqual(['c1'])
  })

  it('without a finish reason or an end mark gets both', async () => {
    const sent = frames(chunk({ role: 'assistant', content: 'Hi' }))
    const unmarked = frames(chunk({ role: 'assistant', content: 'Hi' }), chunk({}, 'stop')).replace('data: [DONE]\n\n', '')
    for (const body of [sent, unmarked]) {
      const { problems, finishReason, raw } = await play(go, body)
      expect([problems, finishReason]).toEqual([[], 'stop'])
      expect(raw.endsWith('data: [DONE]\n\n')).toBe(true)
      expect(raw).toContain('"fp_1"')
    }
  })

  it.each([1, 3, 7, 50, 400])('is the same in reads of %i bytes', async (size) => {
    const sent = frames(
      ...said.slice(0, -1),
      chunk(opened(0, 'c1', 'read')),
      chunk(input(0, '{"a":')),
      chunk(input(0, '1}')),
      chunk({}, 'tool_calls'),
    )
    const { ChatReader } = await import('../../src/protocols/openai-chat/read.ts')
    const { ChatWriter } = await import('../../src/protocols/openai-chat/write.ts')
    const { createSseReader } = await import('../../src/protocols/streams/sse.ts')
    const written = (pieces: string[]) => {
      const reader = new ChatReader({ turnId: 't', model: 'm', backend: 'b', wholeArguments: true, note: () => undefined, lane: { dialect: 'openai-chat', form: 'message' } })
      const writer = new ChatWriter({ id: 'x', model: 'mine', createdAt: 1, includeUsage: false, toolArguments: 'whole', lateNotes: () => [] })
      const sse = createSseReader()
      const read = [...pieces.map((text) => () => sse.push(Buffer.from(text))), () => sse.end()]
      return read.map((next) => writer.push(reader.push(next()))).join('') + writer.push(reader.end())
    }
    const pieces = Array.from({ length: Math.ceil(sent.length / size) }, (_, at) => sent.slice(at * size, (at + 1) * size))
    expect(written(pieces)).toBe(written([sent]))
  })
}) // biome-ignore format: one statement a line

describe('T74: a request', () => {
  beforeEach(() => {
    upstream.answer = { body: JSON.stringify({ ...chunk({}), object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }) }
  })

  it('with unknown fields, parts and tools goes out byte for byte', async () => {
    const body =
      '{"messages": [{"role":"user","content":[{"type":"video_url","video_url":{"url":"x"},"fps":1.0}]}], "model":"mine", ' +
      '"tools":[{"type":"web_search","web_search":{"enable":true}}], "tool_choice":"auto", "novel":{"big":9007199254740993}}'
    const answer = await send(body)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-dragoman-notes')).toBeNull()
    expect(upstream.asked[0]?.body).toBe(body.replace('"mine"', '"their-model"'))
  })

  it('is refused for a service that cannot read a part of it', async () => {
    const answer = await send({ ...go, model: 'claude', messages: [{ role: 'user', content: [{ type: 'video_url' }] }] })
    expect([answer.status, ((await answer.json()) as Json).error.param]).toEqual([400, 'messages[0].content[0].type'])
    expect(upstream.asked).toEqual([])
  })
}) // biome-ignore format: one statement a line
