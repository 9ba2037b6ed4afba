// Tools of real agents: which are called, with what, and what is tried where a call fails.

import { describe, expect, it } from 'vitest'
import { string, tool } from '../model.fixture.ts'
import type { Tool } from '../model.ts'
import { talk } from './talk.fixture.ts'

const bash = tool('bash', { command: string }, ['command'])
const view = tool('view', { path: string }, ['path'])
const create = tool(
  'create',
  { path: { ...string, description: 'Full path. File MUST not exist before creating.' }, file_text: string },
  ['path', 'file_text'],
  'Tool for creating new files.',
)
const edit = tool('edit', { path: string, old_str: string, new_str: string }, ['path'])
const copilot = [bash, view, create, edit]
const list = (items: Record<string, unknown>) => ({ type: 'array', items })
const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })

const first = (text: string, tools: Tool[]) => talk(text, tools, []).last.calls[0]
const namesOf = ({ calls }: ReturnType<typeof talk>) =>
  calls.map((step) => step.map(({ name }) => name).join())

describe('a tool is filled as its schema wants', () => {
  const cases: [string, string, Tool, Record<string, unknown>][] = [
    [
      'a list of files',
      'Read a.md',
      tool('read_files', { files: list(object({ path: string, start_line: { type: 'number' } })) }, [
        'files',
      ]),
      { files: [{ path: 'a.md' }] },
    ],
    [
      'a list of commands',
      'Run `ls -l`',
      tool('run_commands', { commands: list(string) }, ['commands']),
      { commands: ['ls -l'] },
    ],
    [
      'a list of commands, by its description',
      'Run `ls -l`',
      tool('shell', { command: { ...list(string), description: 'The commands to run' } }, ['command']),
      { command: ['ls -l'] },
    ],
    [
      'the words of one command',
      'Run `ls -l`',
      tool('shell', { command: list(string) }, ['command']),
      { command: ['bash', '-lc', 'ls -l'] },
    ],
    [
      'a text or a list',
      'Run `ls -l`',
      tool('exec', { cmd: { anyOf: [list(string), string] } }, ['cmd']),
      { cmd: 'ls -l' },
    ],
    [
      'a list of edits',
      'Replace a with b in x.txt',
      tool('edit', { path: string, edits: list(object({ oldText: string, newText: string })) }, ['path']),
      { path: 'x.txt', edits: [{ oldText: 'a', newText: 'b' }] },
    ],
    [
      'matches with their lines, not names of files',
      'Search for TODO',
      tool(
        'grep',
        {
          pattern: string,
          regex: { type: 'boolean' },
          output_mode: { ...string, enum: ['files_with_matches', 'content'] },
          '-n': { type: 'boolean' },
        },
        ['pattern'],
      ),
      { pattern: 'TODO', output_mode: 'content', '-n': true },
    ],
    [
      'a patch as a free text',
      'Write hi to a.txt',
      tool('apply_patch', { input: string }, ['input']),
      { input: '*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch' },
    ],
    [
      'the mode that adds',
      'Append hi to a.txt',
      tool('Write', { path: string, content: string, mode: { enum: ['overwrite', 'append'] } }, ['path']),
      { path: 'a.txt', content: 'hi\n', mode: 'append' },
    ],
  ]
  it.each(cases)('%s', (_, text, offered, input) => {
    expect(first(text, [offered])).toEqual({ name: offered.name, arguments: input })
  })
})

describe('a file is written', () => {
  it('by the tool for new files where it is new', () => {
    expect(first('Write hi to a.txt', copilot)?.name).toBe('create')
  })

  it('by the edit tool where its text is known', () => {
    const said = talk('Read a.txt, then write hi to a.txt', copilot, [['old\n'], ['File a.txt updated.']])
    expect(namesOf(said)).toEqual(['view', 'edit', ''])
    expect(said.calls[1]?.[0]?.arguments).toEqual({ path: 'a.txt', old_str: 'old', new_str: 'hi' })
    expect(said.last.text).toBe('a.txt begins: old\nWrote a.txt.')
  })

  it('by an edit after a look where it turns out to exist', () => {
    const said = talk('Write hi to a.txt', copilot, [['Error: a.txt already exists'], ['old'], ['Updated.']])
    expect(namesOf(said)).toEqual(['create', 'view', 'edit', ''])
    expect(said.last.text).toBe('Wrote a.txt.')
  })

  it('once more after a look where the agent asks for that', () => {
    const tools = [view, tool('Write', { path: string, content: string }, ['path', 'content'])]
    const refusal = { error: '<tool_use_error>File has not been read yet. Read it first.</tool_use_error>' }
    const said = talk('Write hi to a.txt', tools, [[refusal], ['old'], ['ok']])
    expect(namesOf(said)).toEqual(['Write', 'view', 'Write', ''])
    expect(said.last.text).toBe('Wrote a.txt.')
  })

  it('by the shell where nothing else does', () => {
    const said = talk('Write hi to a.txt', [create, bash], [['Error: a.txt already exists'], ['']])
    expect(said.calls[1]?.[0]?.arguments).toEqual({ command: "printf '%s\\n' hi > a.txt" })
    expect(said.last.text).toBe('Wrote a.txt.')
  })

  it('by a patch of the known text', () => {
    const tools = [bash, tool('apply_patch', { patchText: string }, ['patchText'])]
    const said = talk('Read a.txt, then append new to a.txt', tools, [['old\n'], ['Success.']])
    expect(said.calls[1]?.[0]?.arguments).toEqual({
      patchText: '*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+old\n+new\n*** End Patch',
    })
    expect(said.last.text).toBe('a.txt begins: old\nAdded to a.txt.')
  })

  it('and the failure is told where no way is left', () => {
    const said = talk('Write hi to a.txt', [bash], [[{ error: 'disk full' }]])
    expect(said.last).toMatchObject({ text: 'Writing a.txt failed: disk full', calls: [] })
  })
})

describe('a second try', () => {
  const grep = tool('grep', { pattern: string }, ['pattern'])

  it('is made by the shell where a search cannot run', () => {
    const said = talk('Search for TODO', [grep, bash], [['ripgrep execution failed'], ['./a.ts:2:// TODO']])
    expect(said.calls[1]?.[0]?.arguments).toEqual({ command: 'grep -rn -- TODO .' })
    expect(said.last.text).toBe('"TODO" was found: ./a.ts:2:// TODO')
  })

  it.each([
    ['a file that is not there', 'Read a.md', { error: 'ENOENT: no such file or directory' }],
    ['a refusal of the user', 'Read a.md', { error: 'The user rejected this call' }],
    ['a command that fails', 'Run `false`', { error: 'Exit code 1' }],
  ])('is not made for %s', (_, text, result) => {
    expect(talk(text, [view, bash], [[result]]).last.calls).toEqual([])
  })

  it('does not disturb the order of later steps', () => {
    const said = talk(
      'Search for TODO, then read a.md',
      [grep, view, bash],
      [[{ error: 'grep is broken' }], ['./a.ts:2:// TODO'], ['# Title']],
    )
    expect(namesOf(said)).toEqual(['grep', 'bash', 'view', ''])
    expect(said.last.text).toBe('"TODO" was found: ./a.ts:2:// TODO\na.md begins: # Title')
  })

  it('comes to an end', () => {
    const broken = Array.from({ length: 6 }, () => [{ error: 'already exists' }])
    const { calls } = talk('Write hi to a.txt', copilot, broken)
    expect(calls.flat().length).toBeLessThanOrEqual(5)
    expect(calls.at(-1)).toEqual([])
  })
})

describe('what follows a change', () => {
  it('waits for it', () => {
    const { calls } = talk('Write hi to a.txt and run `cat a.txt`', copilot, [])
    expect(calls.at(-1)?.map(({ name }) => name)).toEqual(['create'])
    const both = talk('Write hi to a.txt and write ho to b.txt', copilot, [])
    expect(both.calls.at(-1)).toHaveLength(2)
  })
})
