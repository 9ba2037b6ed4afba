import { describe, expect, it } from 'vitest'
import { isServerTool, queryOf, resultText, searchTool } from './search-tool.ts'
import { ToolSearcher } from './tool-searcher.ts'

const tool = (name: string, description = '') => ({ name, description, schema: { type: 'object' } })

describe('the search tool', () => {
  it('names the sources of the tools, and a tool that has none in common', () => {
    const tools = ['mcp__github__a', 'mcp__github__b', 'jira_x', 'jira_y', 'alone'].map((name) => tool(name))
    expect(searchTool('find', 'words', tools).description).toContain('github (2), jira (2), alone.')
  })

  it('has a bounded description, whatever the tools are', () => {
    const tools = Array.from({ length: 10_000 }, (_, at) => tool(`t${at}x`))
    const { description = '' } = searchTool('find', 'words', tools)
    expect(description.length).toBeLessThan(2_000)
    expect(description).toContain('and others')
  })

  it('reads the query, also under another name, and no more than its limit', () => {
    expect(queryOf('{"query":"a b"}')).toBe('a b')
    expect(queryOf('{"pattern":"a.*"}')).toBe('a.*')
    expect(queryOf('{"q":"a","limit":3}')).toBe('a')
    expect(queryOf('[]')).toBe('')
    expect(queryOf(JSON.stringify({ query: 'x'.repeat(1_000) }))).toHaveLength(500)
  })

  it('says what was loaded, and that nothing was', () => {
    expect(resultText(['a', 'b'])).toBe('Loaded: a, b. Call them directly now.')
    expect(resultText([])).toContain('No tool fits')
  })

  it('knows the tools of servers by their names', () => {
    expect(['mcp__a__b', 'mcp_a_b', 'a.b', 'a__b'].map(isServerTool)).toEqual([true, true, true, true])
    expect(['Read', 'web_search', 'apply-patch'].map(isServerTool)).toEqual([false, false, false])
  })
})

describe('ToolSearcher', () => {
  const tools = [
    tool('get_user_data', 'A person.'),
    tool('get_weather', 'The forecast.'),
    tool('other', 'Data of a user.'),
  ]
  const found = (by: 'words' | 'pattern', query: string) =>
    new ToolSearcher(tools, { by, room: 10 }).search(query).map(({ name }) => name)

  it('matches a pattern on names first, then on other texts', () => {
    expect(found('pattern', 'get_.*_data')).toEqual(['get_user_data'])
    expect(found('pattern', '(?i)data')).toEqual(['get_user_data', 'other'])
  })

  it('searches the words of a pattern that matches nothing or is not supported', () => {
    expect(found('pattern', '(?=forecast)')).toEqual(['get_weather'])
    expect(found('pattern', 'weather forecasts')).toEqual(['get_weather'])
  })

  it('takes words as words where the client has no pattern search', () => {
    expect(found('words', 'get_.*_data')).toContain('get_user_data')
  })

  it('finds no more than there is room for', () => {
    const { length } = new ToolSearcher(tools, { by: 'words', room: 1 }).search('user data weather')
    expect(length).toBe(1)
  })

  it('a pattern that takes too long is given up, and its words are searched', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => tool(`t${at}`, 'a'.repeat(8_192)))
    const searcher = new ToolSearcher([...many, tool('get_weather')], { by: 'pattern', room: 10 })
    const slow = `${'a{0,64}'.repeat(20)}weather`
    expect(searcher.search(slow).map(({ name }) => name)).toEqual(['get_weather'])
  })
})
