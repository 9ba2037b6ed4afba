// T90, T93: clients that search themselves, the hosted search of the Responses API, and tools that come while a run is under way.

import { describe, expect, it } from 'vitest'
import { useContractBench } from '../claude-code/bench.ts'
import { type Body, useBench, user } from '../harness.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { ask, resultsOf } from './deferred-client.ts'

const bench = useBench()

const schema = { type: 'object', properties: { id: { type: 'string' } } }
const tool = (name: string, more: Body = {}): Body => ({
  name,
  description: `The tool ${name}.`,
  input_schema: schema,
  ...more,
})
const bodyAt = (at: number) =>
  bench.openai.requests.at(at)?.body as Body & { tools?: { function: { name: string } }[] }
const offered = (at: number) => bodyAt(at).tools?.map((each) => each.function.name)

describe('T93: a client that searches itself', () => {
  const ToolSearch = tool('ToolSearch')
  const loaded = tool('mcp__github__create_issue', { defer_loading: true })

  it('every tool is sent: defer_loading says that the client has loaded it', async () => {
    bench.openai.play([{ say: 'Ready.' }])
    const { notes } = await ask(bench.url, {
      model: 'openai/gpt-4.1',
      messages: [user('Go.')],
      tools: [ToolSearch, loaded],
    })
    expect(offered(0)).toEqual(['ToolSearch', 'mcp__github__create_issue'])
    expect(notes).not.toContain('deferred')
  })

  it('a tool that is loaded in mid-run on Cursor begins a new run that has it, with a note', async () => {
    const model = 'cursor/composer-2'
    bench.cursor.play(
      [
        { exec: { mcp: { name: 'ToolSearch', args: { id: 'issue' } } } },
        { await: 'results' },
        { say: 'unreachable' },
        { end: true },
      ],
      [
        { exec: { mcp: { name: 'mcp__github__create_issue', args: {} } } },
        { await: 'results' },
        { say: 'Opened.' },
        { end: true },
      ],
    )
    const messages: Body[] = [user('Open an issue.')]
    const first = await ask(bench.url, { model, messages, tools: [ToolSearch] })
    const [call] = first.content.filter(({ type }) => type === 'tool_use')
    const reference = { type: 'tool_reference', tool_name: 'mcp__github__create_issue' }
    messages.push(
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id, content: [reference] }] },
    )
    const tools = [ToolSearch, loaded]
    const second = await ask(bench.url, { model, messages, tools })
    expect(second.content).toMatchObject([{ type: 'tool_use', name: 'mcp__github__create_issue' }])
    expect(second.notes).toContain('the client added tools: a new run was started')
    const names = bench.cursor.runs.map(({ request }) =>
      request.mcpTools?.mcpTools.map(({ toolName }) => toolName),
    )
    expect(names).toEqual([['ToolSearch'], ['ToolSearch', 'mcp__github__create_issue']])
    // The run goes on while the tools stay the same.
    messages.push(
      { role: 'assistant', content: second.content },
      { role: 'user', content: resultsOf(second.content) },
    )
    const third = await ask(bench.url, { model, messages, tools })
    expect(third.content).toMatchObject([{ type: 'text', text: 'Opened.' }])
    expect(bench.cursor.runs).toHaveLength(2)
    expect(bench.cursor.violations).toEqual([])
  })
})

describe('T90: the hosted search of the Responses API on another service', () => {
  const crm = {
    type: 'namespace',
    name: 'crm',
    description: 'Customers.',
    tools: [
      {
        type: 'function',
        name: 'list_orders',
        description: 'Orders of a customer.',
        parameters: schema,
        defer_loading: true,
      },
      {
        type: 'function',
        name: 'get_profile',
        description: 'The profile of a customer.',
        parameters: schema,
        defer_loading: true,
      },
    ],
  }
  const tools = [{ type: 'tool_search' }, { type: 'function', name: 'say', parameters: schema }, crm]
  const post = (body: Body) =>
    fetch(`${bench.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1', tools, store: false, ...body }),
    })
  const play = () =>
    bench.openai.play(
      [{ call: { name: 'tool_search', arguments: { query: 'orders of a customer' } } }],
      [{ call: { name: 'crm__list_orders', arguments: { id: '1' }, id: 'call_orders' } }],
    )

  it.each([true, false])(
    'shows the search as OpenAI does, and its items come back (stream: %s)',
    async (stream) => {
      play()
      const input: Body[] = [{ role: 'user', content: 'Which orders are open?' }]
      const answer = await post({ input, stream })
      const { output } = stream
        ? ((await readResponsesStream(answer)) as unknown as { response: { output: Body[] } }).response
        : ((await answer.json()) as { output: Body[] })
      expect(output.map(({ type }) => type)).toEqual([
        'tool_search_call',
        'tool_search_output',
        'function_call',
      ])
      expect(output[0]).toMatchObject({
        execution: 'server',
        call_id: null,
        arguments: { query: 'orders of a customer' },
      })
      expect(output[1]).toMatchObject({ execution: 'server', tools: [{ type: 'namespace', name: 'crm' }] })
      expect(output[2]).toMatchObject({ namespace: 'crm', name: 'list_orders' })
      expect(offered(0)).toEqual(['say', 'tool_search'])
      expect(offered(1)).toEqual(['say', 'tool_search', 'crm__list_orders', 'crm__get_profile'])
      bench.openai.play([{ say: 'None.' }])
      const result = { type: 'function_call_output', call_id: 'call_orders', output: '[]' }
      const next = await post({ input: [...input, ...output, result] })
      expect(next.status).toBe(200)
      expect(offered(2)).toEqual(offered(1))
      // The search is a call and its result, exactly as the model made and saw it.
      const before = bodyAt(1).messages as Body[]
      const after = bodyAt(2).messages as Body[]
      const plain = (list: Body[]) => JSON.stringify(list).replace(/"(tool_call_)?id":"[^"]*"/g, '')
      expect(plain(after.slice(0, before.length))).toBe(plain(before))
    },
  )
})

describe('T90: the hosted search at the Responses API', () => {
  const upstream = useContractBench()
  const deferred = {
    type: 'function',
    name: 'list_orders',
    parameters: schema,
    strict: false,
    defer_loading: true,
  }
  const tools = [
    { type: 'tool_search' },
    { type: 'function', name: 'say', parameters: schema, strict: false },
    deferred,
  ]
  const post = (model: string) =>
    fetch(`${upstream.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, tools, store: false, input: 'Hi' }),
    })
  const sent = () => (upstream.openai.requests.at(-1)?.body as Body | undefined)?.tools as Body[]

  it('passes to a model that has it', async () => {
    upstream.openai.play([{ say: 'Hi.' }])
    const answer = await post('responses/gpt-5.6')
    expect(answer.status).toBe(200)
    expect(sent()).toEqual(tools)
    expect(answer.headers.get('x-dragoman-notes') ?? '').not.toContain('deferred')
  })

  it('is done by the gateway for a model that has none', async () => {
    upstream.openai.play([{ say: 'Hi.' }])
    const answer = await post('responses/gpt-5.1')
    expect(answer.status).toBe(200)
    expect(sent().map(({ name }) => name)).toEqual(['say', 'tool_search'])
    expect(sent().every(({ type }) => type === 'function')).toBe(true)
    expect(answer.headers.get('x-dragoman-notes')).toContain('1 of 2 tools are deferred')
  })
})
