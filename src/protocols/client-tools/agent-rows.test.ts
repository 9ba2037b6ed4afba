// Jobs as calls of the agents' tools.

import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { clineCli, continueCli, copilot, goose, grokBuild, grokCli, kimi, pi } from './agents.fixture.ts'
import type { Job } from './job.ts'
import { redirect } from './redirect.ts'

type Case = [job: Job, tool: string, input: Record<string, unknown>]

const read: Job = { kind: 'read', path: '/w/a' }
const part: Job = { ...read, offset: 3, limit: 2 }
const run: Job = { kind: 'shell', command: 'ls', timeoutMs: 5000 }
const write: Job = { kind: 'write', path: '/w/a', content: 'x' }
const grep: Job = { kind: 'grep', pattern: 'x', path: '/w', mode: 'content' }
const list: Job = { kind: 'list', path: '/w' }
const written = `mkdir -p -- '/w' && printf '%s' 'x' > '/w/a'; echo "exit $?"`
const listed = `ls -1Ap -- '/w/'; echo "exit $?"`

const calls: Record<string, [Tool[], Case[]]> = {
  'Cline (CLI)': [
    clineCli,
    [
      [read, 'read_files', { files: [{ path: '/w/a' }] }],
      [part, 'read_files', { files: [{ path: '/w/a', start_line: 3, end_line: 4 }] }],
      [run, 'run_commands', { commands: ['ls'] }],
      [write, 'run_commands', { commands: [written] }],
      [list, 'run_commands', { commands: [listed] }],
      [
        { kind: 'fetch', url: 'http://x' },
        'fetch_web_content',
        {
          requests: [
            { url: 'http://x', prompt: 'Return the whole content of the page as it is, without a summary.' },
          ],
        },
      ],
    ],
  ],
  'Continue (CLI)': [
    continueCli,
    [
      [read, 'Read', { filepath: '/w/a' }],
      [run, 'Bash', { command: 'ls', timeout: 5 }],
      [write, 'Write', { filepath: '/w/a', content: 'x' }],
      [list, 'List', { dirpath: '/w' }],
      [grep, 'Search', { pattern: 'x', path: '/w' }],
    ],
  ],
  Copilot: [
    copilot,
    [
      [read, 'view', { path: '/w/a', forceReadLargeFiles: true }],
      [part, 'view', { path: '/w/a', view_range: [3, 4], forceReadLargeFiles: true }],
      [
        { kind: 'read', path: '/w/a', offset: 3 },
        'view',
        { path: '/w/a', view_range: [3, -1], forceReadLargeFiles: true },
      ],
      [run, 'bash', { command: 'ls', description: 'Asked for by the model', initial_wait: 5 }],
      [write, 'bash', { command: written, description: 'Write a file' }],
      [grep, 'grep', { pattern: 'x', paths: '/w', output_mode: 'content', '-n': true }],
      [{ kind: 'glob', pattern: '*.ts', path: '/w' }, 'glob', { pattern: '*.ts', paths: '/w' }],
    ],
  ],
  Goose: [
    goose,
    [
      [run, 'shell', { command: 'ls', timeout_secs: 5 }],
      [write, 'write', { path: '/w/a', content: 'x' }],
      [list, 'shell', { command: listed }],
    ],
  ],
  'Grok Build': [
    grokBuild,
    [
      [part, 'read_file', { target_file: '/w/a', offset: 3, limit: 2 }],
      [run, 'run_terminal_command', { command: 'ls', timeout: 5000, description: 'Asked for by the model' }],
      [write, 'write', { file_path: '/w/a', content: 'x' }],
      [list, 'list_dir', { target_directory: '/w' }],
      [grep, 'grep', { pattern: 'x', path: '/w' }],
    ],
  ],
  'Grok CLI': [
    grokCli,
    [
      [read, 'view_file', { path: '/w/a', start_line: 1, end_line: 1_000_000 }],
      [part, 'view_file', { path: '/w/a', start_line: 3, end_line: 4 }],
      [run, 'bash', { command: 'ls' }],
      [write, 'create_file', { path: '/w/a', content: 'x' }],
      [
        { ...grep, mode: 'files' },
        'search',
        { query: 'x', search_type: 'text', regex: true, case_sensitive: true },
      ],
    ],
  ],
  Kimi: [
    kimi,
    [
      [part, 'Read', { path: '/w/a', line_offset: 3, n_lines: 2 }],
      [run, 'Bash', { command: 'ls', timeout: 5 }],
      [write, 'Write', { path: '/w/a', content: 'x' }],
      [{ ...grep, mode: 'count' }, 'Grep', { pattern: 'x', path: '/w', output_mode: 'count_matches' }],
      [{ kind: 'glob', pattern: '*.ts' }, 'Glob', { pattern: '*.ts' }],
    ],
  ],
  pi: [
    pi,
    [
      [part, 'read', { path: '/w/a', offset: 3, limit: 2 }],
      [run, 'bash', { command: 'ls', timeout: 5 }],
      [write, 'write', { path: '/w/a', content: 'x' }],
    ],
  ],
}

for (const [client, [tools, cases]] of Object.entries(calls))
  describe(client, () => {
    for (const [job, name, input] of cases)
      it(`${JSON.stringify(job)} → ${name}`, () => {
        const found = redirect(job, tools, { workspace: '/w' })
        expect({ tool: found?.tool, input: found?.input }).toEqual({ tool: name, input })
      })
  })

it.each([
  ['Cline (CLI)', clineCli, 'run_commands'],
  ['Grok CLI', grokCli, 'bash'],
])('%s searches in its shell for lines, which its own search does not show', (_client, tools, expected) => {
  expect(redirect(grep, tools, { workspace: '/w' })?.tool).toBe(expected)
  const withoutShell = tools.filter(({ name }) => name !== expected)
  expect(redirect(grep, withoutShell, { workspace: '/w' })).toBeUndefined()
})
