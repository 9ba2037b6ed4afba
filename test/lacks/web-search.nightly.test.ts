// Web search by the gateway at the Messages door: the blocks of Anthropic's own service, read by its own SDK, from a model that only
// knows functions.

import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { Body } from '../harness.ts'
import { hits, says, searches, searchKey, useSearchBench } from './search-bench.ts'

const bench = useSearchBench()
const tool = { type: 'web_search_20250305', name: 'web_search' } as const
const question = { role: 'user', content: 'When did the door open?' } as const
const client = () => new Anthropic({ baseURL: bench.url, apiKey: 'any', maxRetries: 0 })

async function ask(
  how: string,
  more: Partial<Anthropic.MessageCreateParams> = {},
): Promise<Anthropic.Message> {
  const params = { model: 'openai/gpt-4o', max_tokens: 1000, messages: [question], tools: [tool], ...more }
  const asked = params as Anthropic.MessageCreateParamsNonStreaming
  return how === 'streamed'
    ? client().messages.stream(asked).finalMessage()
    : client().messages.create({ ...asked, stream: false })
}

const sent = (): Body[] => bench.openai.requests.map(({ body }) => body as Body)
const answered = ['In 2026, says news.example.'] as const

describe.each(['streamed', 'whole'])('%s', (how) => {
  it('searches, and shows the blocks of the service', async () => {
    bench.search.finds(hits)
    bench.openai.play([{ say: 'I will look.' }, ...searches('door opening')], says(answered[0]))
    const message = await ask(how)
    const [text, call, result, end] = message.content
    expect(text).toMatchObject({ type: 'text', text: 'I will look.' })
    expect(call).toMatchObject({
      type: 'server_tool_use',
      name: 'web_search',
      input: { query: 'door opening' },
    })
    expect(call).toHaveProperty('id', expect.stringMatching(/^srvtoolu_[A-Za-z0-9_]+$/))
    expect(result).toMatchObject({
      type: 'web_search_tool_result',
      tool_use_id: (call as Anthropic.ServerToolUseBlock).id,
      content: [
        { type: 'web_search_result', url: hits[0]?.url, title: 'The door', page_age: '2026-11-01' },
        { type: 'web_search_result', url: hits[1]?.url, title: 'Other', page_age: null },
      ],
    })
    expect(end).toMatchObject({ type: 'text', text: expect.stringContaining(answered[0]) })
    expect(message.content).toHaveLength(4)
    expect(message.stop_reason).toBe('end_turn')
    expect(message.usage.server_tool_use).toEqual({ web_search_requests: 1, web_fetch_requests: 0 })
    expect(bench.search.requests[0]?.body).toMatchObject({ query: 'door opening', max_results: 8 })
    const [first, second] = sent()
    expect(first?.tools).toMatchObject([{ function: { name: 'web_search' } }])
    expect(JSON.stringify(second?.messages)).toContain('The door opened in 2026.')
  })

  it('a search that fails is an error block, and the model is told', async () => {
    bench.search.fail({ status: 500, body: 'oops' })
    bench.openai.play(searches('x'), says('I could not search.'))
    const message = await ask(how)
    const error = { type: 'web_search_tool_result_error', error_code: 'unavailable' }
    expect(message.content[1]).toMatchObject({ type: 'web_search_tool_result', content: error })
    expect(message.usage.server_tool_use?.web_search_requests).toBe(0)
    expect(JSON.stringify(sent()[1]?.messages)).toContain('do not make up')
    expect(bench.logs.join('\n')).toContain('HTTP 500')
    expect(bench.logs.join('\n')).not.toContain(searchKey)
  })
})

it.each<[string, Parameters<typeof bench.search.fail>[0], string]>([
  ['429', { status: 429, body: { detail: { error: 'slow down' } } }, 'too_many_requests'],
  ['432', { status: 432, body: { detail: { error: 'plan limit' } } }, 'too_many_requests'],
  ['garbage', { status: 200, body: '<html>' }, 'unavailable'],
  ['a closed connection', 'reset', 'unavailable'],
])('%s', async (_name, fault, code) => {
  bench.search.fail(fault)
  bench.openai.play(searches('x'), says('Sorry.'))
  const { content } = await ask('whole')
  expect(content[1]).toHaveProperty('content.error_code', code)
})

it.each([
  ['max_uses', { max_uses: 1 }, [searches('one'), searches('two')], 'max_uses_exceeded'],
  ['a query that is too long', {}, [searches('x'.repeat(401))], 'query_too_long'],
  [
    'a call without a query',
    {},
    [[{ call: { name: 'web_search', arguments: {} } }, { end: 'tool_calls' }]],
    'invalid_tool_input',
  ],
] as [string, Body, Step[][], string][])('%s', async (_name, more, legs, code) => {
  bench.search.finds(hits)
  bench.openai.play(...legs, says('Done.'))
  const { content } = await ask('whole', { tools: [{ ...tool, ...more }] })
  expect(content.at(-2)).toHaveProperty('content.error_code', code)
  expect(bench.search.requests).toHaveLength(legs.length - 1)
})

it('domains of the request hold', async () => {
  bench.search.finds(hits)
  bench.openai.play(searches('x'), says('Done.'))
  const { content } = await ask('whole', { tools: [{ ...tool, blocked_domains: ['news.example'] }] })
  expect(content[1]).toMatchObject({ content: [{ url: 'https://other.example/' }] })
  expect(bench.search.requests[0]?.body).toMatchObject({ exclude_domains: ['news.example'] })
})

it('beside calls of the client: they reach it, and the search comes back with the history', async () => {
  const read = { name: 'read', input_schema: { type: 'object' as const, properties: {} } }
  bench.search.finds(hits)
  bench.openai.play(searches('x', { call: { name: 'read', arguments: {}, id: 'call_read' } }))
  const first = await ask('streamed', { tools: [tool, read] })
  expect(first.stop_reason).toBe('tool_use')
  const call = first.content.find((block) => block.type === 'tool_use')
  bench.openai.play(says('Both done.'))
  const results = [{ type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: 'file' }]
  const messages = [
    question,
    { role: 'assistant' as const, content: first.content },
    { role: 'user' as const, content: results },
  ]
  const second = await ask('whole', { tools: [tool, read], messages })
  expect(second.content).toMatchObject([{ type: 'text', text: 'Both done.' }])
  const history = JSON.stringify(sent().at(-1)?.messages)
  expect(history).toContain('The door opened in 2026.')
  expect(history).toContain('"file"')
})

it('a later request brings the results back, in their place', async () => {
  bench.search.finds(hits)
  bench.openai.play(searches('x'), says('In 2026.'))
  const { content } = await ask('whole')
  bench.openai.play(says('Yes.'))
  const messages = [
    question,
    { role: 'assistant' as const, content },
    { role: 'user' as const, content: 'Sure?' },
  ]
  await ask('whole', { messages })
  const { messages: asked = [] } = sent().at(-1) ?? {}
  const roles = (asked as Body[]).map(({ role }) => role)
  expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  expect(JSON.stringify(sent().at(-1)?.messages)).toContain('The door opened in 2026.')
  // Anthropic itself gets them as words: it has not sealed them.
  bench.anthropic.play(says('Yes.'))
  await ask('whole', { model: 'anthropic/claude-opus-5', messages })
  const own = bench.anthropic.requests.at(-1)?.bodyText ?? ''
  expect(own).toContain('The door opened in 2026.')
  expect(own).not.toContain('srvtoolu_dragoman')
})

it("Anthropic's own search stays its own", async () => {
  bench.anthropic.play(says('Hello.'))
  await ask('whole', { model: 'anthropic/claude-opus-5' })
  expect(bench.anthropic.requests.at(-1)?.bodyText).toContain('web_search_20250305')
  expect(bench.search.requests).toEqual([])
})

it('each use is noted, and the choice of the tool is kept for the first', async () => {
  bench.search.finds(hits)
  bench.openai.play(searches('x'), says('Done.'))
  const { response } = await client()
    .messages.create({
      ...{ model: 'openai/gpt-4o', max_tokens: 100, messages: [question], tools: [tool] },
      tool_choice: { type: 'tool', name: 'web_search' },
    })
    .withResponse()
  expect(response.headers.get('x-dragoman-notes')).toContain(
    'tool type web_search is run by the gateway (tavily), as the function web_search: openai does not have it',
  )
  expect(response.headers.get('x-dragoman-notes')).toContain('web search by the gateway: once')
  expect(sent().map(({ tool_choice }) => tool_choice)).toEqual([
    { type: 'function', function: { name: 'web_search' } },
    undefined,
  ])
})

it('a model that never stops searching is stopped', async () => {
  bench.search.finds(hits)
  bench.openai.play(...Array.from({ length: 30 }, () => searches('again')))
  const { content } = await ask('whole')
  expect(content.at(-1)).toMatchObject({ type: 'text', text: expect.stringContaining('Stopped after') })
  expect(bench.search.requests).toHaveLength(8)
})

it('a client that leaves during a search ends it, and the model is not asked again', async () => {
  bench.search.fail('hang')
  bench.openai.play(searches('x'), says('Never said.'))
  const leaving = new AbortController()
  const params = { model: 'openai/gpt-4o', max_tokens: 100, messages: [question], tools: [tool] }
  const answer = client().messages.create(params, { signal: leaving.signal })
  await expect.poll(() => bench.search.requests.length).toBe(1)
  leaving.abort()
  await expect(answer).rejects.toThrow()
  await expect.poll(() => bench.search.left).toBe(1)
  expect(sent()).toHaveLength(1)
})
