// T92: more tools than the service takes, and none of them marked: the strict simulator refuses more than 128, as OpenAI does.

import { describe, expect, it } from 'vitest'
import { answered, type Body, chat, chatStream, user } from '../harness.ts'
import { addresses, useServers } from '../server-bench.ts'

const bench = useServers({ openai: { server: 'openai', baseUrl: addresses.openai } })
const model = 'openai/gpt-4.1'

const tool = (name: string, description: string): Body => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties: { id: { type: 'string' } } } },
})
const own = Array.from({ length: 10 }, (_, at) => tool(`own_${at}`, `Does step ${at} of the work.`))
const ofServer = Array.from({ length: 190 }, (_, at) =>
  tool(`mcp__plant__gauge_${at}`, at === 150 ? 'Reads the pressure of the boiler.' : `Reads gauge ${at}.`),
)
const tools = [...ofServer.slice(0, 100), ...own, ...ofServer.slice(100)]
const wanted = 'mcp__plant__gauge_150'

const requests = () => bench.sims.openai?.requests ?? []
const offered = (at: number) => {
  const body = requests().at(at)?.body as { tools?: { function: { name: string } }[] } | undefined
  return body?.tools?.map((each) => each.function.name) ?? []
}
const searches = { call: { name: 'search_tools', arguments: { query: 'boiler pressure gauge' } } }
const calls = { call: { name: wanted, arguments: { id: '7' } } }

describe('T92: 200 tools at a service that takes 128', () => {
  it('are searched, and the client sees only the call that it can answer', async () => {
    bench.sims.openai?.clear()
    bench.sims.openai?.play([{ say: 'Let me look.' }, searches], [calls])
    const answer = await chatStream(bench.url, { model, messages: [user('Is the boiler safe?')], tools })
    expect(answer.problems).toEqual([])
    expect(answer.calls.map(({ name }) => name)).toEqual([wanted])
    expect(answer.text).toBe('Let me look.')
    expect(answer.finishReason).toBe('tool_calls')
    expect(answer.headers.get('x-dragoman-notes')).toContain('89 of 200 tools are deferred')
    expect(offered(0)).toHaveLength(112)
    // The client's own tools stay, wherever they are in its list, and the order is the client's.
    expect(offered(0).slice(100)).toEqual([
      ...own.map((each) => (each.function as Body).name),
      'mcp__plant__gauge_100',
      'search_tools',
    ])
    expect(offered(1).slice(0, 112)).toEqual(offered(0))
    expect(offered(1)).toContain(wanted)
  })

  it('stay loaded in the order of their loading while the conversation goes on, found and not called ones too', async () => {
    bench.sims.openai?.clear()
    bench.sims.openai?.play([searches], [calls], [{ say: 'Yes.' }], [{ say: 'No.' }])
    const messages: Body[] = [user('Is the second boiler safe?')]
    const first = await chat(bench.url, { model, messages, tools })
    const { message } = first.json.choices[0]
    messages.push(message, answered(message.tool_calls[0].id, '3 bar'))
    await chat(bench.url, { model, messages, tools })
    expect(offered(2)).toEqual(offered(1))
    messages.push({ role: 'assistant', content: 'Yes.' }, user('And now?'))
    await chat(bench.url, { model, messages, tools })
    expect(offered(3)).toEqual(offered(1))
    expect(offered(3).length).toBeGreaterThan(113)
  })

  it('without that memory, tools that were called are loaded', async () => {
    bench.sims.openai?.clear()
    bench.sims.openai?.play([{ say: 'Yes.' }])
    const made = { id: 'call_1', type: 'function', function: { name: wanted, arguments: '{}' } }
    const messages = [
      user('Another one'),
      { role: 'assistant', content: null, tool_calls: [made] },
      answered('call_1', 'x'),
    ]
    await chat(bench.url, { model, messages, tools })
    expect(offered(0).slice(-2)).toEqual(['search_tools', wanted])
  })

  it('a conversation that begins has loaded nothing, even with the same words', async () => {
    bench.sims.openai?.clear()
    bench.sims.openai?.play([{ say: 'Yes.' }])
    await chat(bench.url, { model, messages: [user('Is the boiler safe?')], tools })
    expect(offered(0)).toHaveLength(112)
  })

  it('as many as the service takes pass unchanged', async () => {
    bench.sims.openai?.clear()
    bench.sims.openai?.play([{ say: 'Yes.' }])
    const { headers } = await chat(bench.url, { model, messages: [user('Hi')], tools: tools.slice(0, 128) })
    expect(offered(0)).toHaveLength(128)
    expect(headers.get('x-dragoman-notes') ?? '').not.toContain('deferred')
  })
})
