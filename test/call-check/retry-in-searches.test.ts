// The second try in a turn with searches: a call that does not fit is asked for once more in whichever part of the answer it is.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { Body } from '../harness.ts'
import { user } from '../harness.ts'
import { hits, searches, useSearchBench } from '../lacks/search-bench.ts'
import { ask, callsIn, resultsOf } from '../wire-cases/deferred-client.ts'

const bench = useSearchBench({ settings: { calls: { check: 'retry' } } })
const model = 'openai/gpt-4o'

const tool = (name: string, more: Body = {}): Body => ({
  name,
  description: `The tool ${name}.`,
  input_schema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  ...more,
})
const deferring = [
  { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  tool('read_notes'),
  ...['get_forecast', 'open_gate', 'ring_bell'].map((name) => tool(name, { defer_loading: true })),
]
const looking = [{ type: 'web_search_20250305', name: 'web_search' }, tool('get_forecast')]

const counted = (input: number): Step => ({
  end: 'tool_calls',
  usage: { prompt_tokens: input, completion_tokens: 1, total_tokens: input + 1 },
})
const found = (id: string): Step[] => [
  { call: { name: 'tool_search_tool_bm25', arguments: { query: 'forecast' }, id } },
  counted(100),
]
const call = (args: Body, id: string, input = 200): Step[] => [
  { call: { name: 'get_forecast', arguments: args, id } },
  counted(input),
]
const right = { place: 'Ulm' }
const sent = () => bench.openai.requests.map(({ body }) => body as Body)

describe.each([true, false])('stream: %s', (stream) => {
  const question = (tools: readonly unknown[], messages: Body[] = [user('The weather?')]) => ({
    ...{ model, stream, messages, tools },
  })

  it('deferred tools: the right call takes the place of the wrong one', async () => {
    bench.openai.clear()
    bench.openai.play(found('s1'), call({}, 'c1'), call(right, 'c2', 210))
    const { content, problems, stopReason, usage } = await ask(bench.url, question(deferring))
    expect(problems).toEqual([])
    expect(stopReason).toBe('tool_use')
    expect(callsIn(content)).toMatchObject([{ name: 'get_forecast', input: right }])
    expect(sent()).toHaveLength(3)
    expect(JSON.stringify(sent()[2]?.messages)).toContain('c1')
    expect(usage).toMatchObject({ input_tokens: 210, output_tokens: 3 })
    bench.openai.play([{ say: 'Sunny.' }])
    const next = [
      user('The weather?'),
      { role: 'assistant', content },
      { role: 'user', content: resultsOf(content) },
    ]
    const last = await ask(bench.url, question(deferring, next))
    expect(last.content).toMatchObject([{ type: 'text', text: 'Sunny.' }])
  })

  it('a search that does not fit is asked for again as well, and the answer goes on', async () => {
    bench.openai.clear()
    const odd: Step[] = [{ call: { name: 'tool_search_tool_bm25', arguments: { words: 1 }, id: 's1' } }]
    bench.openai.play(odd, found('s2'), call(right, 'c1'))
    const { content } = await ask(bench.url, question(deferring))
    expect(content.map(({ type }) => type)).toEqual([
      'server_tool_use',
      'tool_search_tool_result',
      'tool_use',
    ])
    expect(callsIn(content)).toMatchObject([{ input: right }])
    expect(sent()).toHaveLength(3)
  })

  it('once for the whole answer: a second wrong call is passed on', async () => {
    bench.openai.clear()
    const odd: Step[] = [{ call: { name: 'tool_search_tool_bm25', arguments: { words: 1 }, id: 's1' } }]
    bench.openai.play(odd, found('s2'), call({ place: 7, town: 'Ulm' }, 'c1'), call(right, 'c2'))
    const { content } = await ask(bench.url, question(deferring))
    expect(callsIn(content)).toHaveLength(1)
    expect(sent()).toHaveLength(3)
  })

  it('web search: the right call takes the place of the wrong one', async () => {
    bench.openai.clear()
    bench.search.finds(hits)
    bench.openai.play(searches('Ulm'), call({}, 'c1'), call(right, 'c2'))
    const { content, problems } = await ask(bench.url, question(looking))
    expect(problems).toEqual([])
    expect(content.map(({ type }) => type)).toEqual(['server_tool_use', 'web_search_tool_result', 'tool_use'])
    expect(callsIn(content)).toMatchObject([{ name: 'get_forecast', input: right }])
    expect(sent()).toHaveLength(3)
  })
})

describe('a model that writes its calls as text', () => {
  it('is asked again after a search', async () => {
    bench.text.clear()
    bench.text.play(
      [{ call: { name: 'tool_search_tool_bm25', arguments: { query: 'forecast' } } }],
      [{ call: { name: 'get_forecast', arguments: {} } }],
      [{ call: { name: 'get_forecast', arguments: right } }],
    )
    const { content } = await ask(bench.url, {
      model: 'text/local',
      messages: [user('The weather?')],
      tools: deferring,
    })
    expect(callsIn(content)).toMatchObject([{ name: 'get_forecast', input: right }])
    expect(bench.text.requests).toHaveLength(3)
  })
})
