// Web search by the gateway at the Responses door: OpenAI's own items and events, read by its own SDK.

import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { Body } from '../harness.ts'
import { hits, says, searches, useSearchBench } from './search-bench.ts'

const bench = useSearchBench()
const client = () => new OpenAI({ baseURL: `${bench.url}/v1`, apiKey: 'any', maxRetries: 0 })
type Response = OpenAI.Responses.Response
type Params = Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>

const input = 'When did the door open?'
const tool = { type: 'web_search' } as const
const sent = (): Body[] => bench.openai.requests.map(({ body }) => body as Body)

async function ask(how: string, more: Params = {}, types: string[] = []): Promise<Response> {
  const params = { model: 'openai/gpt-4o', input, tools: [tool], ...more }
  if (how === 'whole') return client().responses.create({ ...params, stream: false })
  const stream = client().responses.stream(params as unknown as Parameters<OpenAI['responses']['stream']>[0])
  for await (const event of stream) types.push(event.type)
  return (await stream.finalResponse()) as Response
}

describe.each(['streamed', 'whole'])('%s', (how) => {
  it('searches, and shows the item of the service', async () => {
    bench.search.finds(hits)
    bench.openai.play(searches('door opening'), says('In 2026.'))
    const types: string[] = []
    const response = await ask(how, {}, types)
    const action = { type: 'search', query: 'door opening', queries: ['door opening'] }
    expect(response.output).toMatchObject([
      { type: 'web_search_call', status: 'completed', action },
      { type: 'message', content: [{ type: 'output_text', text: 'In 2026.' }] },
    ])
    expect(response.output[0]).not.toHaveProperty('action.sources')
    expect(response.output_text).toBe('In 2026.')
    expect(response.status).toBe('completed')
    if (how === 'whole') return
    const own = types.filter((type) => type.includes('web_search_call'))
    expect(own.map((type) => type.split('.').at(-1))).toEqual(['in_progress', 'searching', 'completed'])
  })

  it('a search that fails is a failed item', async () => {
    bench.search.fail({ status: 500, body: '' })
    bench.openai.play(searches('x'), says('Sorry.'))
    const response = await ask(how)
    expect(response.output[0]).toMatchObject({ type: 'web_search_call', status: 'failed' })
  })
})

it('sources are shown if the client asks for them, and domains hold', async () => {
  bench.search.finds(hits)
  bench.openai.play(searches('x'), says('Done.'))
  const filters = { allowed_domains: ['news.example'] }
  const { output } = await ask('whole', {
    tools: [{ ...tool, filters }],
    include: ['web_search_call.action.sources'],
  })
  expect(output[0]).toHaveProperty('action.sources', [{ type: 'url', url: 'https://news.example/door' }])
})

it('a choice of the search is followed', async () => {
  bench.search.finds(hits)
  bench.openai.play(searches('x'), says('Done.'))
  await ask('whole', { tools: [{ type: 'web_search_preview' }], tool_choice: { type: 'web_search_preview' } })
  expect(sent()[0]?.tool_choice).toEqual({ type: 'function', function: { name: 'web_search' } })
})

it.each(['by its id', 'as items'])('the conversation goes on, %s', async (how) => {
  bench.search.finds(hits)
  bench.openai.play(searches('x'), says('In 2026.'), says('Yes.'))
  const first = await ask('whole')
  const next =
    how === 'as items'
      ? { input: [{ role: 'user', content: input }, ...first.output, { role: 'user', content: 'Sure?' }] }
      : { previous_response_id: first.id, input: 'Sure?' }
  const second = await ask('whole', next as Params)
  expect(second.output_text).toBe('Yes.')
  const { messages: asked = [] } = sent().at(-1) ?? {}
  const roles = (asked as Body[]).map(({ role }) => role)
  expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
})
