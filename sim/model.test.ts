// The demo model on the tool vocabularies of real agents.

import { describe, expect, it } from 'vitest'
import { AGENTS, string, tool } from './model.fixture.ts'
import { type Answer, answer, type Conversation, type Tool } from './model.ts'

const ask = (text: string, tools: Tool[], more: Partial<Conversation> = {}): Answer =>
  answer({ system: '', messages: [{ role: 'user', text }], tools, toolChoice: 'auto', ...more })

/** Asks, answers each call by `results` in order, and gives the last answer. */
function converse(
  text: string,
  tools: Tool[],
  rounds: (string | { error: string })[][],
  more: Partial<Conversation> = {},
) {
  const messages: Conversation['messages'][number][] = [{ role: 'user', text }]
  let last = ask(text, tools, more)
  for (const [round, results] of rounds.entries()) {
    const toolCalls = last.calls.map((call, index) => ({ ...call, id: `call_${round}_${index}` }))
    messages.push({ role: 'assistant', text: '', toolCalls })
    const toolResults = results.map((result, index) => ({
      callId: `call_${round}_${index}`,
      text: typeof result === 'string' ? result : result.error,
      isError: typeof result !== 'string',
    }))
    messages.push({ role: 'user', text: '', toolResults })
    last = answer({ system: '', messages, tools, toolChoice: 'auto', ...more })
  }
  return last
}

describe('choosing a tool', () => {
  const system = 'You are an agent.\nWorking directory: /srv/app\n'
  const cases: [string, keyof typeof AGENTS, string, string, Record<string, unknown>][] = [
    ['OpenCode read', 'openCode', 'Read README.md', 'read', { filePath: '/srv/app/README.md' }],
    ['Claude Code read', 'claudeCode', 'Read README.md.', 'Read', { file_path: '/srv/app/README.md' }],
    [
      'Qwen Code read',
      'qwenCode',
      'please read src/a.ts',
      'read_file',
      { absolute_path: '/srv/app/src/a.ts' },
    ],
    ['Cline read', 'cline', 'Read README.md', 'read_file', { path: 'README.md' }],
    ['Codex array', 'codexArray', 'Read README.md', 'shell', { command: ['bash', '-lc', 'cat README.md'] }],
    ['Codex text', 'codexText', 'Read README.md', 'shell_command', { command: 'cat README.md' }],
    ['an absolute path stays', 'openCode', 'Read /etc/hosts', 'read', { filePath: '/etc/hosts' }],
    ['a mention', 'cline', 'What is in @docs/guide.md?', 'read_file', { path: 'docs/guide.md' }],
    ['OpenCode list', 'openCode', 'list the files', 'list', {}],
    ['Qwen Code list', 'qwenCode', 'List the files in this directory', 'list_directory', { path: '.' }],
    ['list by shell', 'claudeCode', 'list the files', 'Bash', { command: 'ls .' }],
    [
      'OpenCode run',
      'openCode',
      'run `npm test`',
      'bash',
      { command: 'npm test', description: 'Run npm test' },
    ],
    [
      'Cline run',
      'cline',
      'Run `ls -la`.',
      'execute_command',
      { command: 'ls -la', requires_approval: false },
    ],
    ['Qwen Code run', 'qwenCode', 'execute ls', 'run_shell_command', { command: 'ls', is_background: false }],
    ['a name with spaces', 'cline', 'Open `my file.txt`', 'read_file', { path: 'my file.txt' }],
    ['a bare command', 'codexText', 'run ls -la and tell me', 'shell_command', { command: 'ls -la' }],
    ['Cline uses', 'cline', 'find all uses of foo', 'search_files', { path: '.', regex: 'foo' }],
    ['OpenCode search', 'openCode', 'Search for TODO', 'grep', { pattern: 'TODO' }],
    ['Cline search', 'cline', 'search for "a b" in src', 'search_files', { path: 'src', regex: 'a b' }],
    ['search by shell', 'codexText', 'search for "a b"', 'shell_command', { command: "grep -rn -- 'a b' ." }],
    ['OpenCode write', 'openCode', 'Write hello to a.txt', 'write', { filePath: 'a.txt', content: 'hello' }],
    [
      'Claude Code write',
      'claudeCode',
      'write "x, then y" to b.txt',
      'Write',
      { file_path: 'b.txt', content: 'x, then y' },
    ],
  ]
  it.each(cases)('%s', (_, agent, text, name, input) => {
    expect(ask(text, AGENTS[agent], { system }).calls).toEqual([{ name, arguments: input }])
  })

  it('finds a tool by its description', () => {
    const fetch = tool('fetch_document', { path: string }, ['path'], 'Reads the contents of a document')
    expect(ask('Read a.md', [fetch]).calls[0]?.name).toBe('fetch_document')
  })

  it('finds the tools of an MCP server', () => {
    const mcp = tool('mcp__fs__read_file', { path: string }, ['path'])
    expect(ask('Read a.md', [mcp]).calls[0]?.name).toBe('mcp__fs__read_file')
  })

  it('gives lists where a parameter is one', () => {
    const texts = tool('read_files', { paths: { type: 'array', items: string } }, ['paths'])
    const objects = tool(
      'read_file',
      {
        files: { type: 'array', items: { type: 'object', properties: { path: string }, required: ['path'] } },
      },
      ['files'],
    )
    expect(ask('Read a.md', [texts]).calls[0]?.arguments).toEqual({ paths: ['a.md'] })
    expect(ask('Read a.md', [objects]).calls[0]?.arguments).toEqual({ files: [{ path: 'a.md' }] })
  })

  it('writes as much text as requested, in numbered lines', () => {
    const editor = tool('write_file', { path: string, content: string }, ['path', 'content'])
    const content = String(ask('Write 60 KB of text to big.txt', [editor]).calls[0]?.arguments.content)
    expect(content.length).toBeGreaterThan(61_000)
    expect(
      content
        .trimEnd()
        .split('\n')
        .every((line, at) => line.startsWith(`${at + 1}: `)),
    ).toBe(true)
  })

  it('chooses the mode of a tool that does several things', () => {
    const editor = tool(
      'str_replace_editor',
      { command: { enum: ['create', 'view'] }, path: string, file_text: string },
      ['command', 'path'],
    )
    expect(ask('Read a.md', [editor]).calls[0]?.arguments).toEqual({ command: 'view', path: 'a.md' })
    expect(ask('Write hi to a.md', [editor]).calls[0]?.arguments).toEqual({
      command: 'create',
      path: 'a.md',
      file_text: 'hi',
    })
  })

  it.each([
    'Working directory: /x/y',
    'cwd: /x/y',
    '{"cwd":"/x/y"}',
    '<cwd>/x/y</cwd>',
    'Your working directory is /x/y.',
    'Primary working directory: `/x/y`',
    "I'm currently working in the directory: /x/y",
    '# Current Working Directory (/x/y) Files',
  ])('knows where it works from: %s', (system) => {
    expect(ask('Read a.md', AGENTS.openCode, { system }).calls[0]?.arguments).toEqual({
      filePath: '/x/y/a.md',
    })
  })

  it('hears the user among what agents add', () => {
    const text = '<system-reminder>Run `rm -rf /` never.</system-reminder>\nRead a.md'
    expect(ask(text, AGENTS.cline).calls).toEqual([{ name: 'read_file', arguments: { path: 'a.md' } }])
    expect(ask('"Read a.md and tell me more."', AGENTS.cline).calls).toHaveLength(1)
    const system = '<system>\nRun `ls` first.\n</system>'
    const folded = '[System message]\nRun `ls` first.\n[End of the system message]'
    const goose = '<info-msg>\nCurrent tasks: run `ls` first.\n</info-msg>'
    for (const added of [system, folded, goose])
      expect(ask(`Read a.md\n${added}`, AGENTS.cline).calls).toEqual([
        { name: 'read_file', arguments: { path: 'a.md' } },
      ])
    const task = '<task>\nRead a.md\n</task>\n<environment_details>list the files</environment_details>'
    expect(ask(task, AGENTS.cline).calls).toEqual([{ name: 'read_file', arguments: { path: 'a.md' } }])
  })
})

it.each([
  'I have read the docs. How are you?',
  "Don't read a.txt",
  'Run the tests',
  'Write a function that adds numbers',
  'Write a poem to me',
  'Put it in writing',
])('does nothing about: %s', (text) => {
  expect(ask(text, AGENTS.openCode).calls).toEqual([])
})

describe('several things', () => {
  it('reads files at once', () => {
    const paths = (text: string) => ask(text, AGENTS.cline).calls.map((call) => call.arguments.path)
    expect(paths('Read A.md and B.md')).toEqual(['A.md', 'B.md'])
    expect(paths('Read a.txt, b.txt and c.txt')).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })

  it('makes one call at a time where the client wants that', () => {
    const more = { parallelCalls: false }
    expect(ask('Read A.md and B.md', AGENTS.cline, more).calls).toHaveLength(1)
    const second = converse('Read A.md and B.md', AGENTS.cline, [['one']], more)
    expect(second.calls[0]?.arguments).toEqual({ path: 'B.md' })
    expect(converse('Read A.md and B.md', AGENTS.cline, [['one'], ['two']], more).text).toBe(
      'A.md begins: one\nB.md begins: two',
    )
  })

  it('does steps one after the other', () => {
    const text = 'Read README.md, then run `ls`'
    expect(ask(text, AGENTS.openCode).calls.map(({ name }) => name)).toEqual(['read'])
    expect(converse(text, AGENTS.openCode, [['# Title']]).calls.map(({ name }) => name)).toEqual(['bash'])
    expect(converse(text, AGENTS.openCode, [['# Title'], ['a.txt\nb.txt']]).text).toBe(
      'README.md begins: # Title\n`ls` printed: a.txt\nb.txt',
    )
  })

  it('does different things at once', () => {
    const { calls } = ask('Read a.md and list the files', AGENTS.openCode)
    expect(calls.map(({ name }) => name)).toEqual(['read', 'list'])
  })

  it('takes up a new question after an old one', () => {
    const { calls } = answer({
      system: '',
      messages: [
        { role: 'user', text: 'Read a.md' },
        {
          role: 'assistant',
          text: '',
          toolCalls: [{ id: '1', name: 'read_file', arguments: { path: 'a.md' } }],
        },
        { role: 'user', text: '', toolResults: [{ callId: '1', text: 'x' }] },
        { role: 'assistant', text: 'a.md begins: x' },
        { role: 'user', text: 'Read b.md' },
      ],
      tools: AGENTS.cline,
      toolChoice: 'auto',
    })
    expect(calls).toEqual([{ name: 'read_file', arguments: { path: 'b.md' } }])
  })
})

describe('results', () => {
  it.each([
    ['plain', '# Title\nmore'],
    ['padded numbers', '00001| # Title\n00002| more'],
    ['tabbed numbers', '     1\t# Title\n     2\tmore'],
    ['arrows', '     1→# Title\n     2→more'],
    ['a file wrapper', '<file>\n00001| # Title\n00002| more\n(End of file - total 2 lines)\n</file>'],
    [
      'OpenCode',
      '<path>/x/README.md</path>\n<type>file</type>\n<content>1: # Title\n2: more\n\n(End of file)\n</content>',
    ],
    ['Codex', 'Exit code: 0\nWall time: 0.1 seconds\nOutput:\n# Title\nmore'],
    ['Codex JSON', '{"output":"# Title\\nmore","metadata":{"exit_code":0}}'],
    ['a reminder', '     1\t# Title\n     2\tmore\n\n<system-reminder>\nBe careful.\n</system-reminder>'],
  ])('are quoted without decoration: %s', (_, result) => {
    expect(converse('Read README.md', AGENTS.cline, [[result]]).text).toBe('README.md begins: # Title\nmore')
  })

  it('are called errors when they are', () => {
    expect(converse('Read a.md', AGENTS.cline, [[{ error: 'permission denied' }]]).text).toBe(
      'Reading a.md failed: permission denied',
    )
    expect(
      converse('Read a.md', AGENTS.codexText, [['cat: a.md: No such file or directory']]).text,
    ).toContain('failed')
  })

  it('are told even where the tools are gone', () => {
    const call = { id: '1', name: 'read', arguments: { path: 'a.md' } }
    const messages: Conversation['messages'] = [
      { role: 'user', text: 'Read a.md' },
      { role: 'assistant', text: '', toolCalls: [call] },
      { role: 'user', text: '', toolResults: [{ callId: '1', text: '# Title' }] },
    ]
    expect(answer({ system: '', messages, tools: [], toolChoice: 'auto' }).text).toBe('a.md begins: # Title')
  })

  it('may be empty', () => {
    expect(converse('Read a.md', AGENTS.cline, [['']]).text).toBe('a.md is empty.')
    expect(converse('Run `true`', AGENTS.cline, [['']]).text).toBe('`true` gave no output.')
  })

  it('end by attempt_completion where the agent has it', () => {
    const tools = [...AGENTS.cline, tool('attempt_completion', { result: string }, ['result'])]
    const last = converse('Read a.md', tools, [['# Title']])
    expect(last.calls).toEqual([
      { name: 'attempt_completion', arguments: { result: 'a.md begins: # Title' } },
    ])
    expect(converse('Read a.md', tools, [['# Title'], ['ok']]).text).toContain('a.md begins: # Title')
  })
})

describe('tool choice', () => {
  const schema: Record<string, unknown> = {
    type: 'object',
    required: ['size', 'kind', 'tags', 'unit', 'when', 'nested', 'code', 'always', 'either'],
    properties: {
      size: { type: 'integer', minimum: 7 },
      kind: { enum: ['a', 'b'] },
      tags: { type: 'array', items: { $ref: '#/$defs/tag' }, minItems: 2 },
      unit: { type: ['null', 'string'], minLength: 120 },
      when: { type: 'string', format: 'date' },
      nested: { type: 'object', properties: { deep: { type: 'boolean' } }, required: ['deep'] },
      code: { type: 'string', pattern: '^[A-Z]$' },
      always: { const: 3 },
      either: { anyOf: [{ type: 'null' }, { type: 'number', exclusiveMinimum: 0 }] },
      left: { type: 'string' },
    },
    $defs: { tag: { type: 'string', enum: ['t'] } },
  }
  const odd: Tool = { name: 'odd', description: '', schema }

  it('calls a named tool with arguments that its schema accepts', () => {
    const { calls } = ask('hello', [odd], { toolChoice: { name: 'odd' } })
    expect(calls[0]?.arguments).toEqual({
      size: 7,
      kind: 'a',
      tags: ['t', 't'],
      unit: 'hello'.padEnd(120, 'x'),
      when: '2025-01-01',
      nested: { deep: false },
      code: 'A',
      always: 3,
      either: 1,
    })
  })

  it('answers once the forced call has its result', () => {
    const more = { toolChoice: { name: 'odd' } } as const
    expect(converse('hello', [odd], [['done']], more)).toMatchObject({
      calls: [],
      text: 'The tool odd returned: done',
    })
    expect(converse('hello', [odd], [['done']], { toolChoice: 'required' }).calls).toEqual([])
  })

  it('prefers the requested tool among required tools', () => {
    expect(ask('Read a.md', [odd, ...AGENTS.cline], { toolChoice: 'required' }).calls[0]?.name).toBe(
      'read_file',
    )
    expect(ask('hi', [odd], { toolChoice: 'required' }).calls[0]?.name).toBe('odd')
  })

  it('calls nothing without tools or against the choice', () => {
    expect(ask('Read a.md', AGENTS.cline, { toolChoice: 'none' })).toMatchObject({ calls: [] })
    expect(ask('Read a.md', []).text).toContain('simulated model')
    expect(ask('hello', AGENTS.cline).text).toContain('Read README.md')
    expect(ask('Write x to a.md', [tool('read', { path: string }, ['path'])]).text).toContain('no tool')
  })
})

it('makes short titles', () => {
  expect(ask('Generate a title for this conversation:\nRead README.md', []).text).toBe('Read README.md')
  const system = 'You are a title generator. You output ONLY a thread title.'
  expect(ask('Read README.md and tell me what it is about, please', [], { system }).text).toBe(
    'Read README.md and tell me what',
  )
  expect(ask('Write a title as JSON: Fix it', []).text).toBe('{"title":"Fix it"}')
})

it('is deterministic', () => {
  expect(ask('Read a.md', AGENTS.openCode)).toEqual(ask('Read a.md', AGENTS.openCode))
})
