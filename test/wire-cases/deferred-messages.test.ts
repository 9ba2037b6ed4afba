// T90 on servers of the Messages dialect: only those that are known to have a search of their own are left to search.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AnthropicSimOptions, startAnthropicSim } from '../../sim/anthropic.ts'
import type { Sim } from '../../sim/server.ts'
import { type Body, startGateway, user } from '../harness.ts'
import { ask, type Block, callsIn, resultsOf } from './deferred-client.ts'

const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }

const tool = (name: string, description: string, more: Body = {}): Body => ({
  name,
  description,
  input_schema: { type: 'object', properties: { subject: { type: 'string' } } },
  ...more,
})
const parts = (more: Body) =>
  Array.from({ length: 40 }, (_, at) => tool(`box__part_${at}`, `Reads gauge number ${at}.`, more))
const toolsWith = (more: Body) => [
  tool('read_notes', 'Read the notes of the user.'),
  tool('github__create_issue', 'Open a new issue in a repository.', more),
  ...parts(more),
]
const marked = [search, ...toolsWith({ defer_loading: true })]

const call = (name: string, input: Body) => [{ call: { name, arguments: input } }]
const toolsIn = (body: unknown) => (body as { tools: Body[] }).tools
const namesIn = (body: unknown) => toolsIn(body).map(({ name }) => name)

interface Place {
  sim: Sim
  url: string
}

function usePlace(options: AnthropicSimOptions, settings: Body = {}, shared: Body = {}): Place {
  const place = {} as Place
  let gateway: { close(): Promise<void> }
  beforeAll(async () => {
    place.sim = await startAnthropicSim(options)
    const box = { kind: 'anthropic', baseUrl: place.sim.url, apiKey: 'k', ...settings }
    const started = await startGateway({ backends: { box }, ...shared })
    gateway = started.gateway
    place.url = started.url
  })
  afterAll(async () => {
    await gateway.close()
    await place.sim.close()
  })
  return place
}

const compatible = usePlace({ isCompatible: true })
const claude = usePlace({})
const told = usePlace({}, { toolSearch: 'gateway' })
const limited = usePlace({}, {}, { deferTools: 10 })

/** A search, the call of what it found, and the answer. The blocks that the client got, by answer. */
async function wholeLoop(place: Place, model: string, stream: boolean): Promise<Block[][]> {
  const { sim, url } = place
  sim.clear()
  sim.play(
    [{ think: 'I need a tool.' }, ...call(search.name, { query: 'open an issue on github' })],
    [{ think: 'There it is.' }, ...call('github__create_issue', { subject: 'x' })],
    [{ say: 'Opened.' }],
  )
  const messages: Body[] = [user('Open an issue.')]
  const first = await ask(url, { model, max_tokens: 8_000, messages, tools: marked, stream })
  expect(first.problems).toEqual([])
  expect(first.notes).toContain('41 of 42 tools are deferred')
  messages.push(
    { role: 'assistant', content: first.content },
    { role: 'user', content: resultsOf(first.content) },
  )
  const second = await ask(url, { model, max_tokens: 8_000, messages, tools: marked, stream })
  return [first.content, second.content]
}

describe.each([true, false])('a Messages server without a search (stream: %s)', (stream) => {
  it.each([
    ['of another vendor', () => compatible, 'box/kimi-k3'],
    ['that the configuration names', () => told, 'box/claude-opus-4-8'],
  ] as const)('%s: the gateway searches, through the whole loop', async (_, place, model) => {
    const [first = [], second = []] = await wholeLoop(place(), model, stream)
    expect(first.filter(({ type }) => type !== 'thinking').map(({ type }) => type)).toEqual([
      'server_tool_use',
      'tool_search_tool_result',
      'tool_use',
    ])
    expect(callsIn(first)).toMatchObject([{ name: 'github__create_issue', input: { subject: 'x' } }])
    expect(second.at(-1)).toMatchObject({ type: 'text', text: 'Opened.' })
    const bodies = place().sim.requests.map(({ body }) => body)
    expect(bodies).toHaveLength(3)
    expect(namesIn(bodies[0])).toEqual(['read_notes', search.name])
    for (const body of bodies)
      expect(JSON.stringify(body)).not.toMatch(/defer_loading|tool_search_tool_bm25_/)
    for (const body of bodies.slice(1)) expect(namesIn(body)).toContain('github__create_issue')
  })
})

describe('Anthropic', () => {
  it('gets the deferred tools and its search as they are', async () => {
    claude.sim.clear()
    claude.sim.play([{ say: 'Fine.' }])
    await ask(claude.url, { model: 'box/claude-opus-4-8', messages: [user('Go.')], tools: marked })
    expect(toolsIn(claude.sim.requests[0]?.body)).toEqual(marked)
  })

  it('a number in deferTools is for its requests too, and what the client has loaded itself stays', async () => {
    limited.sim.clear()
    limited.sim.play([{ say: 'Fine.' }])
    const messages = [
      user('Go.'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read_notes', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'tool_reference', tool_name: 'box__part_30' }],
          },
        ],
      },
    ]
    const { notes } = await ask(limited.url, { model: 'box/claude-opus-4-8', messages, tools: toolsWith({}) })
    expect(notes).toContain('tools are deferred')
    const sent = namesIn(limited.sim.requests[0]?.body)
    expect(sent.length).toBeLessThanOrEqual(10)
    expect(sent).toEqual(expect.arrayContaining(['read_notes', 'box__part_30']))
  })

  it('a number in deferTools does not replace the search of the service', async () => {
    limited.sim.clear()
    limited.sim.play([{ say: 'Fine.' }])
    await ask(limited.url, { model: 'box/claude-opus-4-8', messages: [user('Go.')], tools: marked })
    expect(toolsIn(limited.sim.requests[0]?.body)).toEqual(marked)
  })
})
