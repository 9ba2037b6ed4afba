import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { ToolIndex } from './tool-index.ts'
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

  it('reads scripts without blanks in pairs, and what is written in another script between them', () => {
    expect(wordsOf('天气预报')).toEqual(['天气', '气预', '预报'])
    expect(wordsOf('新的workspace吗')).toEqual([...wordsOf('新的'), ...wordsOf('workspace'), '吗'])
  })

  it('reads letters with and without accents as one', () => {
    expect(wordsOf('météo Käse')).toEqual(wordsOf('meteo kase'))
    expect(wordsOf('हिन्दी')).toEqual(['हिन्दी'])
  })
})

describe('ToolIndex', () => {
  it('tells tools apart that differ in their parameters', () => {
    const alike = [
      tool('get_weather', 'The weather of a place.'),
      tool('find_weather', 'The weather of a place.', { date: { type: 'string' } }),
    ]
    const best = (question: string) => new ToolIndex(alike).search(question, 1)
    expect(best('weather, 2026-04-13')).toEqual([1])
    expect(best('weather')).toEqual([0])
  })

  it('prefers a tool that needs no more than a request states', () => {
    const needs = (name: string, parameter: string, type: string): Tool => ({
      ...tool(name, 'The weather.', { [parameter]: { type } }),
      schema: { type: 'object', properties: { [parameter]: { type } }, required: [parameter] },
    })
    const alike = [needs('weather_a', 'days', 'integer'), needs('weather_b', 'details', 'string')]
    const best = (question: string) => new ToolIndex(alike).search(question, 1)
    expect(best('What will the weather be?')).toEqual([1])
    expect(best('What will the weather be in 3 days?')).toEqual([0])
    // A few words have no values: nothing is missing.
    expect(best('weather')).toEqual([0])
  })

  it.each([
    ['in other words', 'Slack chanel mesage', 'sendMessage'],
    ['in another language', '数据库', 'query'],
    ['in another language', 'crear un issue en github', 'mcp__github__create_issue'],
    ['of everyday life', 'Is it going to rain?', 'get_weather'],
  ])('finds by words %s: %s', (_, question, expected) => {
    expect(found(question)[0]).toBe(expected)
  })

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

  it('looks for other spellings of a bounded number of words', () => {
    const unknown = (count: number) =>
      Array.from({ length: count }, (_, at) => `qqq${'x'.repeat(at)}`).join(' ')
    expect(found(`${unknown(20)} weathr`)).toEqual(['get_weather'])
    expect(found(`${unknown(40)} weathr`)).toEqual([])
  })

  it('reads a bounded part of a huge question and a deep schema', () => {
    let schema: Record<string, unknown> = { description: 'deepword' }
    for (let depth = 0; depth < 100; depth++) schema = { properties: { inner: schema } }
    const index = new ToolIndex([{ name: 'x', schema }])
    expect(index.search('deepword', 5)).toEqual([])
    expect(index.search(`${'padding '.repeat(100_000)} inner`, 5)).toEqual([])
  })
})
