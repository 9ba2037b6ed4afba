// T90, T91: deferred tools on services without a search of their own. The client relies on its service's search: it sees what that service would
// have sent, and the model gets only the tools that it has found.

import { describe, expect, it } from 'vitest'
import { type Body, useBench, user } from '../harness.ts'
import { ask, type Block, callsIn, resultsOf } from './deferred-client.ts'

const bench = useBench()

const tool = (name: string, description: string, more: Body = {}): Body => ({
  name,
  description,
  input_schema: {
    type: 'object',
    properties: { subject: { type: 'string', description: 'What it is about.' } },
  },
  ...more,
})
const deferred = (name: string, description: string) => tool(name, description, { defer_loading: true })
const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }
const tools = [
  search,
  tool('read_notes', 'Read the notes of the user.'),
  deferred('github__create_issue', 'Open a new issue in a repository.'),
  deferred('weather__get_forecast', 'The weather forecast for a place.'),
  deferred('slack__post_message', 'Post a message to a channel.'),
  ...Array.from({ length: 40 }, (_, at) =>
    deferred(`box__part_${at}`, `Reads gauge number ${at} of the boiler.`),
  ),
]

const searchFor = (query: string, id?: string) => ({
  call: { name: 'tool_search_tool_bm25', arguments: { query }, ...(id ? { id } : {}) },
})
const call = (name: string) => ({ call: { name, arguments: { subject: 'x' } } })

const needs = [
  ['open an issue on github', 'github__create_issue'],
  ['weather forecast', 'weather__get_forecast'],
  ['post to the channel', 'slack__post_message'],
] as const

interface Service {
  name: string
  model: string
  /** What the model does, one step for each of its answers. */
  play(legs: readonly object[]): void
  /** The names of the tools in each request of the model. */
  offered(): string[][]
}

const names = (list: unknown): string[] =>
  Array.isArray(list) ? list.map((each) => each.function?.name ?? each.name) : []

/** Each search begins a new run: the one under way cannot get the tools that were found. All other results continue it. */
function cursorRuns(legs: readonly object[]): object[][] {
  const runs: object[][] = [[]]
  for (const leg of legs) {
    const made = 'call' in leg ? (leg.call as { name: string; arguments: object }) : undefined
    runs
      .at(-1)
      ?.push(
        ...(made
          ? [{ exec: { mcp: { name: made.name, args: made.arguments } } }, { await: 'results' }]
          : [leg]),
      )
    if (made?.name === search.name) runs.push([])
  }
  return runs.map((steps) => [...steps, { end: true }])
}

const offeredIn = (request: number) =>
  names((bench.openai.requests.at(request)?.body as Body | undefined)?.tools)

const services: Service[] = [
  {
    name: 'Chat',
    model: 'openai/gpt-4.1',
    play: (legs) => void bench.openai.play(...(legs.map((leg) => [leg]) as never[])),
    offered: () => bench.openai.requests.map(({ body }) => names((body as Body).tools)),
  },
  {
    name: 'text',
    model: 'text/local',
    play: (legs) => void bench.text.play(...(legs.map((leg) => [leg]) as never[])),
    offered: () =>
      bench.text.requests.map(({ body }) => {
        const text = JSON.stringify(body)
        return tools.flatMap((each) =>
          'description' in each && text.includes(String(each.description)) ? [String(each.name)] : [],
        )
      }),
  },
  {
    name: 'Cursor',
    model: 'cursor/composer-2',
    play: (legs) => void bench.cursor.play(...(cursorRuns(legs) as never[])),
    offered: () =>
      bench.cursor.runs.map(({ request }) =>
        (request.mcpTools?.mcpTools ?? []).map(({ toolName }) => toolName),
      ),
  },
]

describe.each(services)('T90: on $name', ({ model, play, offered }) => {
  it.each([true, false])('a loop that needs three deferred tools completes (stream: %s)', async (stream) => {
    const messages: Body[] = [user('Do all three things.')]
    const body = () => ({ model, messages, tools, stream })
    play([...needs.flatMap(([query, wanted]) => [searchFor(query), call(wanted)]), { say: 'All done.' }])
    for (const [query, wanted] of needs) {
      const { content, notes, stopReason, problems } = await ask(bench.url, body())
      expect(problems).toEqual([])
      expect(stopReason).toBe('tool_use')
      expect(notes).toContain('43 of 44 tools are deferred')
      expect(content.map(({ type }) => type)).toEqual([
        'server_tool_use',
        'tool_search_tool_result',
        'tool_use',
      ])
      const [made, found, called] = content as [Block, Block, Block]
      expect(made).toMatchObject({ name: 'tool_search_tool_bm25', input: { query } })
      expect(found.tool_use_id).toBe(made.id)
      expect(JSON.stringify(found.content)).toContain(wanted)
      expect(called).toMatchObject({ name: wanted, input: { subject: 'x' } })
      messages.push({ role: 'assistant', content }, { role: 'user', content: resultsOf(content) })
    }
    const { content } = await ask(bench.url, body())
    expect(content).toMatchObject([{ type: 'text', text: 'All done.' }])
    const lists = offered()
    const [first = []] = lists
    expect(first).not.toContain('github__create_issue')
    const last = lists.at(-1) ?? []
    for (const [, wanted] of needs) expect(last).toContain(wanted)
    expect(last.length).toBeLessThan(tools.length)
  })
})

/** Runs that are answering, and runs that wait for results. */
async function sessions(): Promise<(string | undefined)[]> {
  const text = await (await fetch(`${bench.url}/metrics`)).text()
  return ['answering', 'waiting'].map(
    (state) => new RegExp(`^dragoman_sessions_${state} (\\S+)$`, 'm').exec(text)?.[1],
  )
}

describe('T91: searches', () => {
  it('real calls beside a search reach the client once, and what was found is loaded for the next request', async () => {
    bench.openai.play([searchFor('github issue'), { call: { name: 'read_notes', arguments: {} } }])
    const messages: Body[] = [user('Read my notes and open an issue.')]
    const first = await ask(bench.url, { model: 'openai/gpt-4.1', messages, tools })
    expect(callsIn(first.content).map(({ name }) => name)).toEqual(['read_notes'])
    expect(first.stopReason).toBe('tool_use')
    expect(bench.openai.requests).toHaveLength(1)
    messages.push(
      { role: 'assistant', content: first.content },
      { role: 'user', content: resultsOf(first.content) },
    )
    bench.openai.play([call('github__create_issue')])
    const second = await ask(bench.url, { model: 'openai/gpt-4.1', messages, tools })
    expect(callsIn(second.content).map(({ name }) => name)).toEqual(['github__create_issue'])
    expect(offeredIn(1)).toContain('github__create_issue')
  })

  it('on Cursor, a run with a search beside a real call is let go, and a new one gets the result', async () => {
    const mcp = (name: string, args: { query?: string }) => ({ exec: { mcp: { name, args } } })
    bench.cursor.play(
      [
        mcp(search.name, { query: 'github issue' }),
        mcp('read_notes', {}),
        { await: 'results' },
        { end: true },
      ],
      [{ say: 'Read.' }, { end: true }],
    )
    const messages: Body[] = [user('Read my notes and open an issue.')]
    const body = () => ({ model: 'cursor/composer-2', messages, tools, stream: true })
    const first = await ask(bench.url, body())
    expect(callsIn(first.content).map(({ name }) => name)).toEqual(['read_notes'])
    expect(first.stopReason).toBe('tool_use')
    messages.push(
      { role: 'assistant', content: first.content },
      { role: 'user', content: resultsOf(first.content) },
    )
    const second = await ask(bench.url, body())
    expect(second.content.at(-1)).toMatchObject({ type: 'text', text: 'Read.' })
    expect(bench.cursor.runs).toHaveLength(2)
    const offered = (bench.cursor.runs[1]?.request.mcpTools?.mcpTools ?? []).map(({ toolName }) => toolName)
    expect(offered).toContain('github__create_issue')
    await expect.poll(sessions, { timeout: 5_000 }).toEqual(['0', '0'])
  })

  it.each([true, false])(
    'on Cursor, a client that leaves leaves no run behind (stream: %s)',
    async (stream) => {
      const found = { exec: { mcp: { name: search.name, args: { query: 'github issue' } } } }
      bench.cursor.play(
        [{ say: 'Hm.' }, found, { await: 'results' }, { end: true }],
        [{ wait: 20_000 }, { end: true }],
      )
      const leaving = new AbortController()
      const body = { model: 'cursor/composer-2', max_tokens: 9, messages: [user('Go.')], tools, stream }
      const answer = fetch(`${bench.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(body),
        signal: leaving.signal,
      }).then((response) => response.text())
      answer.catch(() => undefined)
      await expect.poll(() => bench.cursor.runs.length).toBe(2)
      leaving.abort()
      await expect(answer).rejects.toThrow()
      await expect.poll(sessions, { timeout: 5_000 }).toEqual(['0', '0'])
    },
  )

  it('end after eight: the model goes on with the tools that it has', async () => {
    bench.openai.play(...Array.from({ length: 8 }, () => [searchFor('boiler gauge')]), [
      { say: 'I give up.' },
    ])
    const { content } = await ask(bench.url, { model: 'openai/gpt-4.1', messages: [user('Go.')], tools })
    expect(content.at(-1)).toMatchObject({ type: 'text', text: 'I give up.' })
    expect(bench.openai.requests).toHaveLength(9)
    expect(offeredIn(8)).not.toContain('tool_search_tool_bm25')
    expect(offeredIn(7)).toContain('tool_search_tool_bm25')
  })

  it('say so if nothing fits', async () => {
    bench.openai.play([searchFor('xylophone')], [{ say: 'There is none.' }])
    const { content } = await ask(bench.url, { model: 'openai/gpt-4.1', messages: [user('Go.')], tools })
    expect(content[1]).toMatchObject({ content: { tool_references: [] } })
    expect(JSON.stringify(bench.openai.requests[1]?.body)).toContain('No tool fits these words')
  })

  it('a named choice of a deferred tool needs no search', async () => {
    bench.openai.play([call('slack__post_message')])
    const choice = { type: 'tool', name: 'slack__post_message' }
    await ask(bench.url, { model: 'openai/gpt-4.1', messages: [user('Go.')], tools, tool_choice: choice })
    expect(offeredIn(0)).toContain('slack__post_message')
  })

  it('usage is the input of the last part, which is the size of the conversation, and the output of all', async () => {
    const counted = async (direction: string) => {
      const text = await (await fetch(`${bench.url}/metrics`)).text()
      const lines = [...text.matchAll(/^dragoman_tokens_total\{(.*)\} (\S+)$/gm)]
      const own = lines.filter(
        ([, labels]) => labels?.includes('"openai"') && labels.includes(`"${direction}"`),
      )
      return own.reduce((sum, [, , value]) => sum + Number(value), 0)
    }
    const before = [await counted('input'), await counted('output')]
    bench.openai.play(
      [
        searchFor('weather'),
        { end: 'tool_calls', usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 } },
      ],
      [
        { say: 'Sunny.' },
        { end: 'stop', usage: { prompt_tokens: 200, completion_tokens: 7, total_tokens: 207 } },
      ],
    )
    const { usage } = await ask(bench.url, { model: 'openai/gpt-4.1', messages: [user('Go.')], tools })
    expect(usage).toMatchObject({ input_tokens: 200, output_tokens: 12 })
    const after = [await counted('input'), await counted('output')]
    expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([300, 12])
  })

  it('a count leaves out what the model would not get', async () => {
    const count = async (list: Body[]) => {
      const response = await fetch(`${bench.url}/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({ model: 'openai/gpt-4.1', messages: [user('Go.')], tools: list }),
      })
      return ((await response.json()) as { input_tokens: number }).input_tokens
    }
    const all = await count(tools.filter((each) => each !== search))
    expect((await count(tools)) * 4).toBeLessThan(all)
  })
})
