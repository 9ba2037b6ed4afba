// T57: what a known service is known to refuse, beside reasoning and efforts. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import type { ServerName } from '../../sim/openai.ts'
import { answered, ask, type Body, called, chat, chatStream, readTool, user } from '../harness.ts'
import { addresses, type Served, useServers } from '../server-bench.ts'

const servers: readonly ServerName[] = [
  'openai', 'groq', 'cerebras', 'xai', 'mistral', 'deepseek', 'moonshot', 'kimi-code', 'fireworks', 'ollama', 'vllm', 'gemini',
] // biome-ignore format: a list to be read as one
const bench = useServers(
  Object.fromEntries(
    servers.map((server): [string, Served] => [server, { server, baseUrl: addresses[server] }]),
  ),
)

/** Sends a streamed and a whole request; returns the last upstream request and the notes. */
async function accepted(model: string, more: Body) {
  const sim = bench.sims[model.split('/', 1)[0] ?? '']
  sim?.clear()
  const streamed = await chatStream(bench.url, ask(model, more))
  expect([streamed.status, streamed.error, streamed.problems]).toEqual([200, undefined, []])
  const whole = await chat(bench.url, ask(model, more))
  expect([whole.status, whole.json.error]).toEqual([200, undefined])
  // At the first asking: a refusal that teaches how to ask is one too many.
  expect(sim?.requests.length).toBe(2)
  // biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
  const sent = sim?.requests.at(-1)?.body as any
  return { sent, notes: whole.headers.get('x-dragoman-notes') ?? '' }
}

const parts = [
  { type: 'text', text: 'one' },
  { type: 'text', text: 'two' },
]
const image = (url: string) => ({ type: 'image_url', image_url: { url } })
const loop = (more: Body = {}) => [
  user('go'),
  { role: 'assistant', content: null, tool_calls: [called('call_1', 'read', { path: 'a' })], ...more },
  answered('call_1', 'A'),
]

describe('T57: fields of other services', () => {
  it('are left out for OpenAI, with a note, and stay for servers that nothing is known of', async () => {
    const fields = { search_parameters: { mode: 'auto' }, top_k: 5, enable_thinking: true }
    const { sent, notes } = await accepted('openai/gpt-4o', fields)
    expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['search_parameters']))
    expect(notes).toContain('search_parameters, top_k left out')
    expect((await accepted('vllm/some-model', { ...fields, anything: 1 })).sent).toMatchObject({
      ...fields,
      anything: 1,
    })
  })

  it.each([
    ['cerebras/llama', { store: false }, 'store left out'],
    ['groq/llama', { logprobs: true, top_logprobs: 2 }, 'logprobs, top_logprobs left out'],
    // Grok CLI sends it to every server.
    ['cerebras/llama', { search_parameters: { mode: 'auto' } }, 'search_parameters left out'],
    ['groq/llama', { search_parameters: { mode: 'auto' } }, 'search_parameters left out'],
    ['mistral/mistral-large', { search_parameters: { mode: 'auto' } }, 'search_parameters left out'],
    ['xai/grok-4.5', { stop: ['END'], frequency_penalty: 0.5 }, 'stop, frequency_penalty left out'],
    ['mistral/mistral-large', { user: 'ada', store: true }, 'store, user left out'],
    ['moonshot/kimi-k2.6', { temperature: 0.5 }, 'temperature left out'],
    ['kimi-code/k3', { temperature: 0.5 }, 'temperature left out'],
    ['moonshot/kimi-k2.7-code', { thinking: { type: 'disabled' } }, 'this model always thinks'],
  ])('%s: %j', async (model, more, note) => {
    const { sent, notes } = await accepted(model, more)
    for (const name of Object.keys(more)) expect(sent[name]).toBeUndefined()
    expect(notes).toContain(note)
  })

  it('Fireworks is asked to refuse a prompt that is too long', async () => {
    expect((await accepted('fireworks/m', {})).sent.context_length_exceeded_behavior).toBe('error')
    const own = { context_length_exceeded_behavior: 'truncate' }
    expect((await accepted('fireworks/m', own)).sent).toMatchObject(own)
  })
})

describe('T57: thinking', () => {
  it('keep goes to the models of Kimi that take it', async () => {
    const thinking = { type: 'enabled', keep: 'all' }
    expect((await accepted('moonshot/kimi-k2.6', { thinking })).sent.thinking).toEqual(thinking)
    expect((await accepted('moonshot/kimi-k2.5', { thinking })).sent.thinking).toEqual({ type: 'enabled' })
  })

  it('Fireworks takes it or an effort', async () => {
    const thinking = { type: 'enabled' }
    const { sent, notes } = await accepted('fireworks/m', { thinking, reasoning_effort: 'low' })
    expect([sent.thinking, sent.reasoning_effort]).toEqual([thinking, undefined])
    expect(notes).toContain('not both')
  })
})

describe('T57: messages', () => {
  it('an answer that Mistral is to go on with is marked', async () => {
    const messages = [user('go'), { role: 'assistant', content: 'The answer is ' }]
    const { sent } = await accepted('mistral/mistral-large', { messages })
    expect(sent.messages.at(-1)).toMatchObject({ prefix: true })
  })

  it('null fields do not reach Groq', async () => {
    const { sent } = await accepted('groq/llama', { messages: loop({ function_call: null, refusal: null }) })
    expect(Object.keys(sent.messages[1]).sort()).toEqual(['content', 'role', 'tool_calls'])
  })

  it('a developer message is a system message for Cerebras', async () => {
    const { sent } = await accepted('cerebras/llama', {
      messages: [{ role: 'developer', content: 'brief' }, user('go')],
    })
    expect(sent.messages[0].role).toBe('system')
  })

  it.each(['xai/grok-4.5', 'mistral/mistral-large'])('names are left out for %s', async (model) => {
    const { sent, notes } = await accepted(model, { messages: [{ ...user('go'), name: 'ada' }] })
    expect(sent.messages[0].name).toBeUndefined()
    expect(notes).toContain('name of messages')
  })

  it.each(['deepseek/deepseek-chat', 'moonshot/kimi-k2.6', 'ollama/llama3'])(
    'text in parts is one text for %s',
    async (model) => {
      const messages = [{ role: 'system', content: parts }, user(parts), ...loop().slice(1)]
      const { sent } = await accepted(model, { messages })
      expect(sent.messages.slice(0, 2).map(({ content }: Body) => content)).toEqual([
        'one\n\ntwo',
        'one\n\ntwo',
      ])
    },
  )

  it('images by address are an error for Kimi, images as data are not', async () => {
    const { status, json } = await chat(bench.url, {
      ...ask('moonshot/kimi-k2.6'),
      messages: [user([...parts, image('https://x.example/y.png')])],
    })
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('base64')])
    await accepted('moonshot/kimi-k2.6', {
      messages: [user([...parts, image('data:image/png;base64,iVBO')])],
    })
  })
})

describe('T57: tools', () => {
  const tool = (name: string, parameters: Body) => ({ type: 'function', function: { name, parameters } })

  it('Mistral has its own value for a forced call; a named tool is sent alone', async () => {
    const other = tool('list', { type: 'object' })
    const tools = [readTool, other]
    const required = await accepted('mistral/mistral-large', { tools, tool_choice: 'required' })
    expect([required.sent.tool_choice, required.sent.tools.length]).toEqual(['any', 2])
    const choice = { type: 'function', function: { name: 'list' } }
    const named = await accepted('mistral/mistral-large', { tools, tool_choice: choice })
    expect([named.sent.tool_choice, named.sent.tools]).toEqual(['any', [other]])
    expect(named.notes).toContain('only the tool "list"')
  })

  it.each<[string, Body]>([
    ['mistral/mistral-large', { type: 'string', default: { $id: 1 } }],
    ['gemini/gemini-2.5-pro', { type: 'string', description: '(default: {"$id":1})' }],
  ])(
    '$schema and $id are removed from schemas for %s, but not from property names',
    async (model, property) => {
      const inner = { type: 'object', $id: 'b', properties: { $id: { type: 'string', default: { $id: 1 } } } }
      const schema = {
        $schema: 'x',
        type: 'object',
        properties: { a: inner, items: { type: 'array', items: inner } },
      }
      const { sent, notes } = await accepted(model, { tools: [tool('read', schema)] })
      const plain = { type: 'object', properties: { $id: property } }
      expect(sent.tools[0].function.parameters).toEqual({
        type: 'object',
        properties: { a: plain, items: { type: 'array', items: plain } },
      })
      expect(notes).toContain('$schema')
    },
  )
})
