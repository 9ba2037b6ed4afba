// What the gateway does for a model that lacks it, one case of each; the nightly tests beside this file have all of them.

import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type SearchSim, startSearchSim } from '../../sim/search.ts'
import { png } from '../claude-code/requests.ts'
import { type Bench, chat, startBench, user } from '../harness.ts'
import { type PageServer, startPageServer } from './page-server.ts'
import { hits, says, searches } from './search-bench.ts'

let bench: Bench
let search: SearchSim
let web: PageServer
beforeAll(async () => {
  search = await startSearchSim('searxng')
  web = await startPageServer()
  const lacks = {
    images: { describedBy: 'anthropic/claude-haiku-4-5', models: ['openai/blind'] },
    search: { service: 'searxng', baseUrl: search.url },
    fetch: {},
  }
  bench = await startBench({
    settings: { lacks },
    openai: { lenient: true },
    gateway: { pages: web.connect },
  })
})
afterAll(async () => {
  await bench.close()
  await Promise.all([search.close(), web.close()])
})
beforeEach(() => {
  for (const one of [bench.openai, bench.anthropic, search, web]) one.clear()
  search.finds(hits)
})

it('an image is described by another model, once, with a note', async () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
  bench.anthropic.play(says('A red door.'))
  for (const _ of [1, 2]) {
    const { headers } = await chat(bench.url, { model: 'openai/blind', messages: [user([image])] })
    expect(headers.get('x-dragoman-notes')).toContain('an image was described by anthropic/claude-haiku-4-5')
  }
  expect(bench.openai.requests.map(({ bodyText }) => bodyText.includes('A red door.'))).toEqual([true, true])
  expect(bench.anthropic.requests).toHaveLength(1)
})

const messages = () => new Anthropic({ baseURL: bench.url, apiKey: 'any', maxRetries: 0 }).messages
const params = (content: string, tool: { type: string; name: string }) =>
  ({
    ...{ model: 'openai/gpt-4o', max_tokens: 1000, messages: [{ role: 'user', content }] },
    tools: [tool],
  }) as Anthropic.MessageCreateParamsNonStreaming

it("a web search has the blocks of Anthropic's own service, and comes back with the history", async () => {
  bench.openai.play(searches('door'), says('In 2026.'), says('Yes.'))
  const asked = params('When?', { type: 'web_search_20250305', name: 'web_search' })
  const { content, usage } = await messages().stream(asked).finalMessage()
  expect(content).toMatchObject([
    { type: 'server_tool_use', name: 'web_search', input: { query: 'door' } },
    { type: 'web_search_tool_result', content: hits.map(({ url, title }) => ({ url, title })) },
    { type: 'text', text: 'In 2026.' },
  ])
  expect(usage.server_tool_use?.web_search_requests).toBe(1)
  const said = [
    ...asked.messages,
    { role: 'assistant' as const, content },
    { role: 'user' as const, content: 'Sure?' },
  ]
  await messages().create({ ...asked, messages: said })
  expect(bench.openai.requests.at(-1)?.bodyText).toContain('The door opened in 2026.')
})

it('a search that fails is the error of its block', async () => {
  search.fail({ status: 429, body: '' })
  bench.openai.play(searches('door'), says('Sorry.'))
  const { content } = await messages().create(
    params('When?', { type: 'web_search_20250305', name: 'web_search' }),
  )
  const error = { type: 'web_search_tool_result_error', error_code: 'too_many_requests' }
  expect(content[1]).toMatchObject({ content: error })
})

it("a web search is an item of OpenAI's own service", async () => {
  bench.openai.play(searches('door'), says('In 2026.'))
  const { responses } = new OpenAI({ baseURL: `${bench.url}/v1`, apiKey: 'any', maxRetries: 0 })
  const stream = responses.stream({ model: 'openai/gpt-4o', input: 'When?', tools: [{ type: 'web_search' }] })
  const { output } = await stream.finalResponse()
  const action = { type: 'search', query: 'door' }
  expect(output).toMatchObject([
    { type: 'web_search_call', status: 'completed', action },
    { type: 'message' },
  ])
})

it.each([
  ['http://page.example/a', { type: 'web_fetch_result', url: 'http://page.example/a' }],
  ['http://evil.example/?q=secret', { error_code: 'url_not_in_prior_context' }],
])('a page is fetched if the conversation names it: %s', async (url, content) => {
  web.pages.set('page.example/a', { body: 'Opened in 2026.' })
  bench.openai.play(
    [{ call: { name: 'web_fetch', arguments: { url } } }, { end: 'tool_calls' }],
    says('In 2026.'),
  )
  const tool = { type: 'web_fetch_20250910', name: 'web_fetch' }
  const answer = await messages().create(params('Read http://page.example/a', tool))
  expect(answer.content[1]).toMatchObject({ type: 'web_fetch_tool_result', content })
})
