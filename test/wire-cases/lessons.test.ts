// T71: services behind unknown host names. Only their error messages show what they refuse and what they would accept.
// docs/wire-cases.md explains it.

import { afterEach, describe, expect, it } from 'vitest'
import type { ServerName } from '../../sim/openai.ts'
import type { Body } from '../harness.ts'
import { addresses, useServers } from '../server-bench.ts'
import { acceptedAt, answeredAt, askAt, doorForms, type Question } from './at-doors.ts'

const servers = ['openai', 'groq', 'cerebras', 'xai', 'mistral', 'deepseek', 'moonshot', 'gemini'] as const

/** Like a company's relay. */
const hidden = (server: ServerName) => {
  const url = new URL(addresses[server])
  return `http://${server}.relay.example${url.pathname}`
}
const bench = useServers(
  Object.fromEntries(
    // What the refusals teach about Chat; with "auto" they lead to the other API.
    servers.map((server) => [server, { server, baseUrl: hidden(server), settings: { api: 'chat' } }]),
  ),
)
afterEach(() => {
  for (const sim of Object.values(bench.sims)) sim.clear()
})

const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }
const loop = (assistant: Body = {}): Body[] => [
  { role: 'user', content: 'hello' },
  { role: 'assistant', content: null, tool_calls: [call], ...assistant },
  { role: 'tool', tool_call_id: 'call_1', content: 'x' },
]

const bounded = {
  type: 'function',
  function: {
    name: 'read',
    parameters: { type: 'object', properties: { n: { type: 'integer', exclusiveMinimum: 0 } } },
  },
}

interface Lesson {
  server: (typeof servers)[number]
  model: string
  question?: Partial<Question>
  /** What is sent in the end. */
  sent?: Body
  absent?: string
  note?: string
  /** Chat alone can ask so. */
  chatOnly?: true
}

const lessons: Record<string, Lesson> = {
  'tools without reasoning alone': { server: 'openai', model: 'gpt-5.6', sent: { reasoning_effort: 'none' }, note: 'without reasoning' },
  'an effort that is not listed': { server: 'moonshot', model: 'my-k3', question: { effort: 'medium' }, sent: { reasoning_effort: 'low' }, note: 'effort' },
  'a setting that is fixed': { server: 'moonshot', model: 'k2-thing', question: { temperature: 0.3 }, note: 'temperature' },
  'an unknown field': { server: 'mistral', model: 'large', question: { more: { store: true } }, absent: 'store', note: 'store', chatOnly: true },
  'reasoning in another field': { server: 'groq', model: 'm', question: { messages: loop({ reasoning_content: 'hm' }) }, sent: { messages: [{}, { reasoning: 'hm' }, {}] }, chatOnly: true },
  'reasoning in another field, flat': { server: 'cerebras', model: 'm', question: { messages: loop({ reasoning_content: 'hm' }) }, sent: { messages: [{}, { reasoning: 'hm' }, {}] }, chatOnly: true },
  'reasoning that is missing': { server: 'moonshot', model: 'm', question: { messages: loop() }, sent: { messages: [{}, { reasoning_content: ' ' }, {}] }, chatOnly: true },
  'reasoning that is missing everywhere': { server: 'deepseek', model: 'ds-v4', question: { messages: loop() }, sent: { messages: [{}, { reasoning_content: ' ' }, {}] }, chatOnly: true },
  'a signature that is missing': { server: 'gemini', model: 'gemini-3-pro', question: { messages: loop() }, sent: { messages: [{}, { tool_calls: [{ extra_content: { google: {} } }] }, {}] }, chatOnly: true },
  'fields of messages that are null': { server: 'groq', model: 'm', question: { messages: loop({ refusal: null }) }, chatOnly: true },
  'ids of nine characters': { server: 'mistral', model: 'large', question: { messages: loop() }, chatOnly: true },
  'a setting that is refused': { server: 'xai', model: 'grok-4-new', question: { stop: ['END'] }, absent: 'stop', note: 'stop' },
  'a keyword of schemas': { server: 'gemini', model: 'm', question: { more: { tools: [bounded] } }, sent: { tools: [{ function: { parameters: { properties: { n: { type: 'integer' } } } } }] }, note: 'exclusiveMinimum', chatOnly: true },
  'an effort where there is none': { server: 'xai', model: 'grok-4.20-x', question: { effort: 'low' }, absent: 'reasoning_effort', note: 'effort' },
} // biome-ignore format: a table to be read as one

describe.each(doorForms)('T71: a refusal that names the accepted form ($door, stream $stream)', (at) => {
  const suffix = `x${doorForms.indexOf(at)}`
  const here = Object.entries(lessons).filter(
    ([, { chatOnly, question }]) =>
      at.door === 'chat' || !(chatOnly || (question?.stop && at.door === 'responses')),
  )

  it.each(here)('%s', async (_name, { server, model, question, sent = {}, absent = '', note }) => {
    const sim = bench.sims[server]
    // A name that no test has asked for: lessons are kept by model.
    const asked = { model: `${server}/${model}-${suffix}`, ...question }
    const first = await answeredAt(bench.url, sim, at, asked)
    expect(first.sent).toMatchObject(sent)
    expect(first.sent[absent]).toBeUndefined()
    if (note !== undefined && !at.stream) expect(first.notes).toContain(note)
    const { length } = sim?.requests ?? []
    expect(length).toBeGreaterThan(1)
    await acceptedAt(bench.url, sim, at, asked)
    expect(sim?.requests.length).toBe(length + 1)
  })

  it('what no change would cure is the service’s own error, without a second try', async () => {
    const { status, text } = await askAt(bench.url, at, { model: 'moonshot/m', ...imageByUrl })
    if (at.door === 'chat') {
      expect([status, text]).toEqual([400, expect.stringContaining('unsupported image url')])
      expect(bench.sims.moonshot?.requests).toHaveLength(1)
    }
  })

  it('tools that a model takes nowhere on Chat: an error that says where', async () => {
    const { status, text } = await askAt(bench.url, at, {
      model: `openai/gpt-6-astra-${suffix}`,
    })
    expect(status).toBe(400)
    expect(text).toContain('/v1/responses')
  })
})

const imageByUrl = {
  messages: [
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
    },
  ],
}
