import { describe, expect, it } from 'vitest'
import { ToolFinder } from './tool-finder.ts'

const find = (name: string, ...offered: string[]) =>
  new ToolFinder(offered.map((each) => ({ name: each }))).find(name)?.name

describe('a call means', () => {
  it.each([
    ['read_file', 'read_file'],
    ['ReadFile', 'read_file'],
    ['read-file', 'read_file'],
    ['READ.FILE', 'read_file'],
    ['functions.read_file', 'read_file'],
    ['functions:read_file', 'read_file'],
    ['default_api.read_file', 'read_file'],
    [' read_file ', 'read_file'],
    ['bash', 'Bash'],
    ['create_issue', 'mcp__github__create_issue'],
    ['github.create_issue', 'mcp__github__create_issue'],
    ['github__create_issue', 'mcp__github__create_issue'],
    ['github_create_issue', 'mcp__github__create_issue'],
    ['mcp_github_create_issue', 'mcp__github__create_issue'],
    ['mcp__github__read_file', 'read_file'],
    ['filesystem.read_file', 'read_file'],
  ])('%s: %s', (name, tool) => {
    expect(find(name, 'other', tool, 'mcp__jira__add')).toBe(tool)
  })

  it.each([
    ['the exact name before another spelling', 'read', ['Read', 'read', 'READ'], 'read'],
    ['no tool if two have the spelling', 'READ', ['Read', 'read'], undefined],
    ['no tool if two servers have it', 'search', ['mcp__a__search', 'mcp__b__search'], undefined],
    ['the server that it names', 'b.search', ['mcp__a__search', 'mcp__b__search'], 'mcp__b__search'],
    ['no tool of another server', 'c.search', ['mcp__a__search', 'mcp__b__search'], undefined],
    ['no tool of the only other server', 'mcp__staging__deploy', ['mcp__prod__deploy'], undefined],
    ['the tool without a server before another one', 'mcp__b__add', ['mcp__a__add', 'add'], 'add'],
    ['no tool with a similar name', 'read_files', ['read_file'], undefined],
    ['no tool', '', ['read', '_'], undefined],
    ['no tool of the prototype', 'constructor', ['read'], undefined],
    ['the first of two tools with one name', 'a', ['a', 'a'], 'a'],
  ])('%s', (_, name, offered, tool) => {
    expect(find(name, ...offered)).toBe(tool)
  })

  it('the same tool, however many are offered', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => ({ name: `mcp__s${at % 50}__tool_${at}` }))
    const finder = new ToolFinder(many)
    expect(finder.find('tool-4999')?.name).toBe('mcp__s49__tool_4999')
    expect(finder.find('x'.repeat(1_000_000))).toBeUndefined()
  })
})
