// Results in the forms of real agents, and what the model says of them.

import { describe, expect, it } from 'vitest'
import { string, tool } from '../model.fixture.ts'
import { talk } from './talk.fixture.ts'

const TOOLS = [
  tool('bash', { command: string }, ['command']),
  tool('read', { path: string }, ['path']),
  tool('grep', { pattern: string }, ['pattern']),
  tool('list', { path: string }),
  tool('write', { path: string, content: string }, ['path', 'content']),
]
const told = (text: string, result: string | { error: string }) => talk(text, TOOLS, [[result]]).last.text

describe('what was asked for is in the sentence', () => {
  it.each([
    ['Read a.md and tell me its first heading.', 'intro\n\n## Head\n', 'The first heading of a.md: ## Head'],
    ['What is the first heading of a.md?', '# One\n# Two', 'The first heading of a.md: # One'],
    ['Read a.md. Tell me its first heading.', '# One', 'The first heading of a.md: # One'],
    ['Read a.md and tell me its first heading.', 'none', 'a.md begins: none'],
    ['Read a.md and count its lines', '     1\ta\n     2\tb', 'a.md has 2 lines.'],
    ['How many lines does a.md have?', 'a', 'a.md has 1 line.'],
    ['Read a.md and tell me its contents', 'a\n\nb\n', 'a.md begins: a\n\nb'],
    ['Run `x` and give me its output', 'a\nb\n', '`x` printed: a\nb'],
    ['Run `x` and give me its exit code', 'a\n<exited with exit code 0>', '`x` printed (exit code 0): a'],
    [
      'Run `x` and give me its output',
      '<untrusted_context>\nOutput: a\nb\nProcess Group PGID: 52\n</untrusted_context>',
      '`x` printed: a\nb',
    ],
    [
      'Run `x` and give me its exit code',
      '<untrusted_context>\nOutput: a\nExit Code: 3\nProcess Group PGID: 52\n</untrusted_context>',
      '`x` failed with exit code 3: a',
    ],
    ['Run `x` and tell me the exit code', 'a', '`x` printed (no exit code was stated): a'],
    [
      'Search for TODO and tell me the file and the line',
      'src/a.ts:3:TODO x',
      '"TODO" was found: src/a.ts:3:TODO x',
    ],
    ['Search for TODO in this project', 'No matches found', '"TODO" was not found.'],
    ['List the files', 'a.txt\nb.txt\n', 'The files: a.txt, b.txt'],
    ['List the files', 'Found 2 file(s) matching "*":\n---\n/w/a\n/w/b', 'The files: /w/a, /w/b'],
    ['List the files', 'Files in /w:\na (file, 3 bytes)\n', 'The files: a (file, 3 bytes)'],
    ['Replace a with b in x.txt', '', 'Changed x.txt.'],
  ])('%s', (text, result, sentence) => {
    expect(told(text, result)).toBe(sentence)
  })

  it('and a long file is told by its beginning', () => {
    const long = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n')
    expect(told('Read a.md', long)).toBe('a.md begins: line 0\n… (100 lines)')
    expect(told('Read a.md and tell me its content', long)).toContain('line 59\n… (100 lines)')
  })
})

describe('commands that fail', () => {
  it.each([
    ['Codex', 'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nbad\n'],
    ['Copilot', 'bad\n<shellId: 0 completed with exit code 3>'],
    ['pi', 'bad\n\nCommand exited with code 3'],
    [
      'Kimi',
      'Wall time: 0.3 seconds\n<system>ERROR: Tool execution failed.</system>\nbad\nCommand failed with exit code: 3.',
    ],
    [
      'Cline',
      '[{"query":"x","result":"[Command exited with code 3]\\nbad\\n","error":"Command exited with code 3","success":false}]',
    ],
    ['Claude Code', 'Exit code 3\nbad'],
    ['Qwen Code', 'Command: x\nDirectory: (root)\nOutput: bad\nError: (none)\nExit Code: 3\nSignal: (none)'],
    ['Codex JSON', '{"output":"bad\\n","metadata":{"exit_code":3}}'],
  ])('are told with their exit code: %s', (_, result) => {
    expect(told('Run `x`', result)).toBe('`x` failed with exit code 3: bad')
  })

  it('are told without one that is not stated', () => {
    expect(told('Run `x`', 'Command failed: Command failed: x')).toBe(
      '`x` failed: Command failed: Command failed: x',
    )
    expect(told('Run `x`', 'we exit 3 times\nthen exit')).toBe('`x` printed: we exit 3 times\nthen exit')
  })
})

describe('files', () => {
  it.each([
    ['Cline', '[{"query":"a.md","result":"1 | # Title\\n2 | \\n3 | more","success":true}]'],
    ['Continue', 'Content of a.md:\n# Title\n\nmore\n'],
    ['Grok', 'Contents of a.md:\n1: # Title\n2: \n3: more\n4: '],
    ["xAI's own Grok", '1→# Title\n\nmore\n'],
    ['Kimi', '1\t# Title\n2\t\n3\tmore\n<system>3 lines read from file starting from line 1.</system>'],
    [
      'OpenCode',
      '<path>a.md</path>\n<type>file</type>\n<content>\n1: # Title\n2: \n3: more\n\n(End of file - total 3 lines)\n</content>',
    ],
    ['a fence', '```md\n# Title\n\nmore\n```'],
    ['MCP', '[{"type":"text","text":"# Title\\n\\nmore"}]'],
    ['nothing around it', '# Title\n\nmore\n'],
  ])('are told without what is around them: %s', (_, result) => {
    expect(told('Read a.md', result)).toBe('a.md begins: # Title\n\nmore')
  })

  it.each([
    ['a list with numbers', '1. one\n2. two'],
    ['numbers that do not count up', '3: a\n3: b'],
    ['JSON of its own', '{\n  "content": "x"\n}'],
    ['a list in JSON', '[1,\n2]'],
  ])('keep what is theirs: %s', (_, text) => {
    expect(told('Read a.md', text)).toBe(`a.md begins: ${text}`)
  })
})

describe('matches', () => {
  it.each([
    ['OpenCode', 'Found 1 matches\n/w/src/a.ts:\n  Line 2: // TODO one', '/w/src/a.ts:2: // TODO one'],
    [
      'Qwen Code',
      'Found 1 match for pattern "TODO":\n---\nFile: src/a.ts\nL2: // TODO one\n---',
      'src/a.ts:2: // TODO one',
    ],
    [
      'Cline',
      '[{"query":"TODO","result":"Found 1 result for pattern: TODO\\nSearched 5 files.\\n\\nsrc/a.ts:2:4\\n  1: a\\n> 2: // TODO one\\n  3: \\n","success":true}]',
      'src/a.ts:2: // TODO one',
    ],
    ['ripgrep', './src/a.ts:2:// TODO one', './src/a.ts:2:// TODO one'],
    ['names alone', 'Found 2 files\nsrc/a.ts\nsrc/b.ts', 'src/a.ts\nsrc/b.ts'],
  ])('are told with file and line: %s', (_, result, found) => {
    expect(told('Search for TODO', result)).toBe(`"TODO" was found: ${found}`)
  })
})
