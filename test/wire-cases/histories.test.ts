// T53 to T55: the reasoning of earlier answers and the proofs of calls, as single services take them back.
// docs/wire-cases.md explains it.

import { afterEach, describe, expect, it } from 'vitest'
import type { ServerName } from '../../sim/openai.ts'
import type { Step } from '../../sim/script.ts'
import { answered, ask, type Body, called, chat, chatStream, user } from '../harness.ts'
import { addresses, type Served, useServers } from '../server-bench.ts'

const servers: readonly ServerName[] = [
  'openai', 'openrouter', 'groq', 'cerebras', 'xai', 'mistral', 'deepseek', 'moonshot', 'kimi-code', 'gemini', 'vllm', 'sglang',
  'ollama',
] // biome-ignore format: a list to be read as one
const bench = useServers(
  Object.fromEntries(
    servers.map((server): [string, Served] => [server, { server, baseUrl: addresses[server] }]),
  ),
)
afterEach(() => {
  for (const sim of Object.values(bench.sims)) sim.clear()
})

const simOf = (model: string) => {
  const sim = bench.sims[model.split('/', 1)[0] ?? '']
  if (!sim) throw new Error(`no simulator for ${model}`)
  return sim
}

/** Sent as this client would; the upstream must take it. Returns what that was sent. */
async function accepted(model: string, messages: Body[], stream: boolean) {
  const asked = ask(model, { messages })
  const { requests } = simOf(model)
  const before = requests.length
  const answer = stream ? await chatStream(bench.url, asked) : await chat(bench.url, asked)
  const error = 'json' in answer ? answer.json.error : answer.error
  expect([answer.status, error]).toEqual([200, undefined])
  // At the first asking: a refusal that teaches how to ask is one too many.
  expect(requests.length).toBe(before + 1)
  // biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
  const sent = requests.at(-1)?.body as any
  return { answer, sent: sent.messages }
}

const thought = 'Let me see – "a".'
const steps: Step[] = [
  { think: thought, pieces: 3 },
  { call: { name: 'read', arguments: { path: 'a' }, id: 'call_abc1' } },
]

/** The model thinks and calls; returns the client's next request. */
async function firstTurn(model: string, stream: boolean, more: Body = {}): Promise<Body[]> {
  simOf(model).play(steps)
  const { answer } = await accepted(model, [user('go')], stream)
  const calls =
    'json' in answer
      ? answer.json.choices[0].message.tool_calls
      : answer.calls.map((call) => called(call.id, call.name, call.arguments))
  const [{ id }] = calls
  return [user('go'), { role: 'assistant', content: null, tool_calls: calls, ...more }, answered(id, 'A')]
}

const both = [true, false]
const carried = { reasoning_content: thought }

/** What the service must have been sent of the first answer, whether or not the client brings its reasoning. */
const places: [model: string, expected: Body][] = [
  ['groq/openai/gpt-oss-120b', { reasoning: thought }],
  ['cerebras/gpt-oss-120b', { reasoning: thought }],
  ['vllm/some-model', { reasoning: thought }],
  ['ollama/qwen3', { reasoning: thought }],
  ['sglang/some-model', { reasoning_content: thought }],
  ['deepseek/deepseek-v4', { reasoning_content: thought }],
  ['moonshot/kimi-k2.7-code', { reasoning_content: thought }],
  ['kimi-code/kimi-for-coding', { reasoning_content: thought }],
  ['kimi-code/k2p7', { reasoning_content: thought }],
  ['xai/grok-4.5', {}],
  ['openai/gpt-5.2', {}],
  ['mistral/mistral-medium-2604', {
    content: [{ type: 'thinking', thinking: [{ type: 'text', text: thought }], closed: true }],
  }],
] // biome-ignore format: a table

describe.each(both)('T53: reasoning goes back where the service reads it (stream %s)', (stream) => {
  it.each(places)('%s', async (model, expected) => {
    for (const more of [{}, carried]) {
      const messages = await firstTurn(model, stream, more)
      const { sent } = await accepted(model, messages, stream)
      const { role: _, tool_calls: __, content, ...rest } = sent[1]
      expect({ ...rest, ...(Array.isArray(content) ? { content } : {}) }).toEqual(expected)
    }
  })

  /** What another model has made, which this service has never seen. */
  const foreign = [
    user('go'),
    { role: 'assistant', content: 'So.' },
    user('on'),
    { role: 'assistant', content: null, tool_calls: [called('call_xyz9', 'read', { path: 'b' })] },
    answered('call_xyz9', 'B'),
  ]

  it('a service that insists on it gets a filler: with calls, or on every answer', async () => {
    for (const model of ['moonshot/some-name', 'kimi-code/k3']) {
      const { sent } = await accepted(model, foreign, stream)
      expect([sent[1].reasoning_content, sent[3].reasoning_content]).toEqual([undefined, ' '])
    }
    const { sent } = await accepted('deepseek/deepseek-v4-flash', foreign, stream)
    expect([sent[1].reasoning_content, sent[3].reasoning_content]).toEqual([' ', ' '])
  })

  it('the old R1 gets that of the last turn alone', async () => {
    const messages = [
      ...(await firstTurn('deepseek/deepseek-reasoner', stream, carried)),
      { role: 'assistant', content: 'A.', ...carried },
      user('and b?'),
      { role: 'assistant', content: null, tool_calls: [called('call_b', 'read', { path: 'b' })], ...carried },
      answered('call_b', 'B'),
    ]
    const { sent } = await accepted('deepseek/deepseek-reasoner', messages, stream)
    const told = sent.map((message: Body) => message.reasoning_content)
    expect(told.filter(Boolean)).toEqual([thought])
    expect(told[5]).toBe(thought)
  })

  it("a client's own reasoning_content is renamed where answers were seen to use the other field", async () => {
    const fresh = 'vllm/another-model'
    const own = [user('go'), { role: 'assistant', content: 'Hi.', ...carried }, user('on')]
    if (stream) expect((await accepted(fresh, own, stream)).sent[1]).toMatchObject(carried)
    simOf(fresh).play([{ think: 'hm' }, { say: 'Hi.' }])
    await accepted(fresh, [user('go')], stream)
    const { sent } = await accepted(fresh, own, stream)
    expect([sent[1].reasoning, sent[1].reasoning_content]).toEqual([thought, undefined])
  })
})

describe.each(both)('T54: thinking of Claude by OpenRouter goes back whole (stream %s)', (stream) => {
  it('in one block, with the signature that came late', async () => {
    const model = 'openrouter/anthropic/claude-opus-5'
    simOf(model).play([{ think: 'One. ', pieces: 4 }, { say: 'Well.' }, { think: 'Two.' }, ...steps])
    const { answer } = await accepted(model, [user('go')], stream)
    const id = 'json' in answer ? answer.json.choices[0].message.tool_calls[0].id : answer.calls[0]?.id
    const { sent } = await accepted(
      model,
      [
        user('go'),
        { role: 'assistant', content: 'Well.', tool_calls: [called(id, 'read', { path: 'a' })] },
        answered(id, 'A'),
      ],
      stream,
    )
    expect(sent[1].reasoning_details.map(({ text, index }: Body) => [index, text])).toEqual([
      [0, 'One. '],
      [1, 'Two.'],
      [2, thought],
    ])
  })
})

describe.each(both)('T55: thought signatures of Gemini (stream %s)', (stream) => {
  const model = 'gemini/gemini-3-pro-preview'
  const signatures = (message: { tool_calls: { extra_content?: { google: Body } }[] }) =>
    message.tool_calls.map((call) => call.extra_content?.google.thought_signature)

  it('come back unchanged on the first call', async () => {
    const { sent } = await accepted(model, await firstTurn(model, stream), stream)
    expect(signatures(sent[1])).toEqual(['sig-call_abc1'])
  })

  it('are filled in for calls that another model has made: on the first of a set alone', async () => {
    const calls = ['a', 'b'].map((path) => called(`call_${path}`, 'read', { path }))
    const results = ['a', 'b'].map((path) => answered(`call_${path}`, path))
    const { sent } = await accepted(
      model,
      [user('go'), { role: 'assistant', tool_calls: calls }, ...results],
      stream,
    )
    expect(signatures(sent[1])).toEqual(['skip_thought_signature_validator', undefined])
  })
})
