// Web search by the gateway with every kind of backend behind the Messages door.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SearchSim, startSearchSim } from '../../sim/search.ts'
import { spread } from '../depth.ts'
import { type Bench, type Body, startBench } from '../harness.ts'
import { hits, says, searches } from './search-bench.ts'

let bench: Bench
let search: SearchSim
beforeAll(async () => {
  search = await startSearchSim('searxng')
  search.finds(hits)
  const models = ['anthropic/*']
  const lacks = { search: { service: 'searxng', baseUrl: search.url, models } }
  bench = await startBench({ settings: { lacks } })
})
afterAll(async () => {
  await bench.close()
  await search.close()
})

/** The demo model of Cursor does as it is told; the others follow a script. */
const prompt = 'Call web_search with {"query":"door"}'
const rows: [string, string][] = [
  ['cursor', 'composer-2'],
  ['gemini', 'gemini-3.8-flash'],
  ['anthropic', 'claude-opus-5'],
  ['text', 'text-demo'],
]

it.each(spread(rows, 2))('%s/%s', async (backend, model) => {
  const sim = bench[backend as 'gemini' | 'anthropic' | 'text']
  if (backend !== 'cursor') sim.play(searches('door'), says('In 2026.'))
  const answer = await fetch(`${bench.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: `${backend}/${model}`, max_tokens: 1000, messages: [{ role: 'user', content: prompt }] },
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    }),
  })
  const { content, stop_reason } = (await answer.json()) as { content: Body[]; stop_reason: string }
  const types = content.map(({ type }) => type)
  expect([answer.status, stop_reason, types.slice(types.indexOf('server_tool_use'))]).toEqual([
    200,
    'end_turn',
    ['server_tool_use', 'web_search_tool_result', 'text'],
  ])
  expect(content.find(({ type }) => type === 'server_tool_use')).toMatchObject({ input: { query: 'door' } })
})

async function waiting(): Promise<string | undefined> {
  const text = await (await fetch(`${bench.url}/metrics`)).text()
  return /^dragoman_sessions_waiting (\S+)$/m.exec(text)?.[1]
}

it('a run of Cursor that also calls a tool of the client is not kept for the search', async () => {
  const ask = async (messages: Body[]) => {
    const answer = await fetch(`${bench.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'cursor/composer-2', max_tokens: 1000, messages },
        tools: [
          { type: 'web_search_20250305', name: 'web_search' },
          { name: 'lookup', input_schema: { type: 'object', properties: { q: { type: 'string' } } } },
        ],
      }),
    })
    return (await answer.json()) as { content: Body[]; stop_reason: string }
  }
  bench.cursor.clear()
  const mcp = (name: string, args: { query?: string; q?: string }) => ({ mcp: { name, args } })
  bench.cursor.play([
    { execs: [mcp('client-web_search', { query: 'door' }), mcp('lookup', { q: 'x' })], together: true },
    { await: 'results' },
    { say: 'Never said.' },
    { end: true },
  ])
  const asked = { role: 'user', content: 'When?' }
  const first = await ask([asked])
  const made = first.content.find(({ type }) => type === 'tool_use')
  expect(first.stop_reason).toBe('tool_use')
  await expect.poll(waiting, { timeout: 5_000 }).toBe('0')
  bench.cursor.play([{ say: 'In 2026.' }, { end: true }])
  const results = [{ type: 'tool_result', tool_use_id: made?.id, content: 'looked up' }]
  const answered = { role: 'assistant', content: first.content }
  const second = await ask([asked, answered, { role: 'user', content: results }])
  expect(second).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'In 2026.' }] })
  expect(bench.cursor.runs).toHaveLength(2)
})
