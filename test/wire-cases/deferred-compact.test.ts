// T91: after `/compact` a summary stands in place of the history, and with it go the searches and what they found. The next turn loads
// nothing that the history no longer names, and the model can search again.

import { describe, expect, it } from 'vitest'
import { type Body, useBench, user } from '../harness.ts'
import { ask, type Block, resultsOf } from './deferred-client.ts'

const bench = useBench()
const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }
const tool = (name: string, description: string, more: Body = {}): Body => ({
  name,
  description,
  input_schema: { type: 'object', properties: { subject: { type: 'string' } } },
  ...more,
})
const issue = 'github__create_issue'
const tools = [
  search,
  tool('read_notes', 'Read the notes of the user.'),
  tool(issue, 'Open a new issue in a repository.', { defer_loading: true }),
  ...Array.from({ length: 40 }, (_, at) =>
    tool(`box__part_${at}`, `Reads gauge number ${at} of the boiler.`, { defer_loading: true }),
  ),
]
const find = { call: { name: search.name, arguments: { query: 'open an issue in a repository' } } }
const open = { call: { name: issue, arguments: { subject: 'x' } } }
const summary = user('This session is continued. Summary: an issue was opened with github__create_issue.')

interface Service {
  model: string
  play(...legs: object[]): void
  /** The names of the tools in the newest request. */
  offered(): string[]
}

const namesIn = (text: string, quote: string) =>
  [issue, 'read_notes', 'box__part_0'].filter((name) => text.includes(`${quote}${name}${quote}`))

const services: Record<string, Service> = {
  Chat: {
    model: 'openai/gpt-4.1',
    play: (...legs) => void bench.openai.play(...(legs.map((leg) => [leg]) as never[])),
    offered: () => namesIn(bench.openai.requests.at(-1)?.bodyText ?? '', '"'),
  },
  text: {
    model: 'text/local',
    play: (...legs) => void bench.text.play(...(legs.map((leg) => [leg]) as never[])),
    offered: () => namesIn(bench.text.requests.at(-1)?.bodyText ?? '', '\\"'),
  },
  Cursor: {
    model: 'cursor/composer-2',
    play: (...legs) => {
      const runs: object[][] = [[]]
      for (const leg of legs as { call?: { name: string; arguments: object } }[]) {
        const { call } = leg
        runs
          .at(-1)
          ?.push(
            ...(call
              ? [{ exec: { mcp: { name: call.name, args: call.arguments } } }, { await: 'results' }]
              : [leg]),
          )
        if (call?.name === search.name) runs.push([])
      }
      bench.cursor.play(...(runs.map((steps) => [...steps, { end: true }]) as never[]))
    },
    offered: () =>
      (bench.cursor.runs.at(-1)?.request.mcpTools?.mcpTools ?? []).map(({ toolName }) => toolName),
  },
}

const hasText = (content: readonly Block[], text: string) => content.some((block) => block.text === text)

describe.each(Object.entries(services))('T91: compaction on %s', (_, { model, play, offered }) => {
  it('what was found is loaded no more, and found again', async () => {
    const messages: Body[] = [user('Open an issue.')]
    play(find, open, { say: 'Opened.' })
    const first = await ask(bench.url, { model, tools, messages })
    messages.push(
      { role: 'assistant', content: first.content },
      { role: 'user', content: resultsOf(first.content) },
    )
    expect(hasText((await ask(bench.url, { model, tools, messages })).content, 'Opened.')).toBe(true)
    expect(offered()).toContain(issue)

    play({ say: 'What next?' })
    const compacted: Body[] = [summary]
    const next = await ask(bench.url, { model, tools, messages: compacted })
    expect([next.status, hasText(next.content, 'What next?')]).toEqual([200, true])
    expect(offered()).not.toContain(issue)
    expect(offered()).toContain('read_notes')

    compacted.push({ role: 'assistant', content: next.content }, user('Open another.'))
    play(find, open)
    const again = await ask(bench.url, { model, tools, messages: compacted })
    expect(again.content.map(({ type }) => type)).toEqual([
      'server_tool_use',
      'tool_search_tool_result',
      'tool_use',
    ])
    expect(again.content.at(-1)).toMatchObject({ name: issue })
    expect(offered()).toContain(issue)
  })
})

describe('T91: compaction by a client that searches itself', () => {
  const ToolSearch = tool('ToolSearch', 'Search for tools.')
  const found = tool(issue, 'Open a new issue in a repository.', { defer_loading: true })

  it.each(['openai/gpt-4.1', 'anthropic/claude-opus-4-8', 'text/local'])(
    '%s: a tool that it has let go is offered no more, one that it keeps is',
    async (model) => {
      const call = { type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { subject: 'issue' } }
      const reference = { type: 'tool_reference', tool_name: issue }
      const before = [
        user('Open an issue.'),
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [reference] }] },
      ]
      const sim = model.startsWith('anthropic')
        ? bench.anthropic
        : model.startsWith('text')
          ? bench.text
          : bench.openai
      for (const [messages, list, isOffered] of [
        [before, [ToolSearch, found], true],
        [[summary], [ToolSearch, found], true],
        [[summary], [ToolSearch], false],
      ] as const) {
        const { status } = await ask(bench.url, { model, messages, tools: list })
        const description = 'Open a new issue in a repository.'
        expect([status, sim.requests.at(-1)?.bodyText.includes(description)]).toEqual([200, isOffered])
      }
    },
  )
})
