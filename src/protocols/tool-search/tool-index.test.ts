import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { ToolIndex } from './tool-index.ts'
import { valueKinds } from './value-kinds.ts'
import { wordsOf } from './words.ts'

const tool = (name: string, description: string, properties: Record<string, unknown> = {}): Tool => ({
  name,
  description,
  schema: { type: 'object', properties },
})

const tools = [
  tool('mcp__github__create_issue', 'Open an issue in a repository.', { title: { type: 'string' } }),
  tool('mcp__github__list_pull_requests', 'List the pull requests of a repository.'),
  tool('sendMessage', 'Post to a Slack channel.', {
    channel: { type: 'string', description: 'The channel.' },
  }),
  tool('get_weather', 'The weather of a place.', { unit: { enum: ['celsius', 'fahrenheit'] } }),
  tool('query', 'Run SQL on the Postgres database.'),
]
const found = (question: string, most = 5) =>
  new ToolIndex(tools).search(question, most).map((at) => tools[at]?.name)

describe('wordsOf', () => {
  it('splits names at case, underscores, dashes and dots', () => {
    expect(wordsOf('getUserID')).toEqual(wordsOf('get_user-id'))
    expect(wordsOf('HTTPServer.start')).toEqual(wordsOf('http server start'))
  })

  it('reads the forms of a word as one', () => {
    for (const [one, other] of [
      ['repositories', 'repository'],
      ['converting', 'converts'],
      ['plotted', 'plotting'],
      ['searches', 'search'],
      ['movies', 'film'],
      ['created', 'add'],
    ])
      expect(wordsOf(one as string), one).toEqual(wordsOf(other as string))
  })

  it('leaves out numbers and words that say nothing', () => {
    expect(wordsOf('Could you please tell me the 2023 one?')).toEqual([])
  })

  it('reads scripts without blanks in pairs', () => {
    expect(wordsOf('天气预报')).toEqual(['天气', '气预', '预报'])
  })
})

describe('valueKinds', () => {
  it.each([
    ['the game of 2026-04-13', ['date']],
    ['March 4th, or tomorrow', ['date']],
    ['at 4:30 PM', ['time']],
    ['ask me@example.com for $40', ['email', 'price']],
    ['see https://example.com', ['url']],
    ['in Seattle, WA', ['city']],
    ['version 1.2 of 3 parts', []],
  ])('%s', (question, kinds) => {
    expect(valueKinds(question)).toEqual(kinds)
  })

  it('tells tools apart that differ in their parameters', () => {
    const alike = [
      tool('get_weather', 'The weather of a place.'),
      tool('find_weather', 'The weather of a place.', { date: { type: 'string' } }),
    ]
    const best = (question: string) => new ToolIndex(alike).search(question, 1)
    expect(best('weather, 2026-04-13')).toEqual([1])
    expect(best('weather')).toEqual([0])
  })
})

describe('ToolIndex', () => {
  it.each([
    ['create an issue on github', 'mcp__github__create_issue'],
    ['which PRs are open? list pull requests', 'mcp__github__list_pull_requests'],
    ['send a slack message', 'sendMessage'],
    ['temperature in fahrenheit', 'get_weather'],
    ['database sql', 'query'],
  ])('%s: %s', (question, expected) => {
    expect(found(question)[0]).toBe(expected)
  })

  it('finds only tools that share a word with the question', () => {
    expect(found('xylophone')).toEqual([])
    expect(found('repository')).toHaveLength(2)
  })

  it('gives at most as many as are wanted, the earlier of equals first', () => {
    const same = [tool('c_x', ''), tool('b_x', '')]
    expect(new ToolIndex(same).search('x', 5)).toEqual([0, 1])
    expect(new ToolIndex(same).search('x', 1)).toEqual([0])
  })

  it('reads any tools and questions', () => {
    const schema = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<unknown>)
    const any = fc.record({ name: fc.string(), description: fc.string(), schema })
    fc.assert(
      fc.property(fc.array(any), fc.string(), (given, question) => {
        const numbers = new ToolIndex(given).search(question, 5)
        expect(new Set(numbers).size).toBe(numbers.length)
        expect(numbers.length).toBeLessThanOrEqual(5)
        for (const number of numbers) expect(given[number]).toBeDefined()
      }),
    )
  })

  it('reads a bounded part of a huge question and a deep schema', () => {
    let schema: Record<string, unknown> = { description: 'deepword' }
    for (let depth = 0; depth < 100; depth++) schema = { properties: { inner: schema } }
    const index = new ToolIndex([{ name: 'x', schema }])
    expect(index.search('deepword', 5)).toEqual([])
    expect(index.search(`${'padding '.repeat(100_000)} inner`, 5)).toEqual([])
  })
})
