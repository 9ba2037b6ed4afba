import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import {
  claudeCode,
  cline,
  codex,
  continueDev,
  cursorLike,
  earlierCodex,
  earlierOpenCode,
  openCode,
  openCodeForGpt,
  qwenCode,
} from './clients.fixture.ts'
import type { Job } from './job.ts'
import { redirect } from './redirect.ts'

const workspace = '/w'
type Case = [job: Job, tool: string, input: Record<string, unknown>]

function callsOf(tools: readonly Tool[], cases: readonly Case[]) {
  for (const [job, name, input] of cases) {
    it(`${JSON.stringify(job)} → ${name}`, () => {
      const found = redirect(job, tools, { workspace })
      expect({ tool: found?.tool, input: found?.input }).toEqual({ tool: name, input })
    })
  }
}

const list = (path: string) => `ls -1Ap -- '${path}'; echo "exit $?"`
const cat = (path: string) => `echo begin; cat -- '${path}'; echo "exit $? $(wc -c < '${path}')"`

describe('OpenCode', () => {
  callsOf(openCode, [
    [{ kind: 'shell', command: 'ls', timeoutMs: 5 }, 'bash', { command: 'ls', timeout: 5 }],
    [{ kind: 'shell', command: 'ls', workingDirectory: '/w/a' }, 'bash', { command: 'ls', workdir: '/w/a' }],
    [{ kind: 'shell', command: 'ls', workingDirectory: '/w/' }, 'bash', { command: 'ls' }],
    [{ kind: 'read', path: 'a/../b.ts' }, 'read', { filePath: '/w/b.ts' }],
    [{ kind: 'read', path: '/x', offset: 3, limit: 2 }, 'read', { filePath: '/x', offset: 3, limit: 2 }],
    [{ kind: 'write', path: '/x', content: '' }, 'write', { filePath: '/x', content: '' }],
    [{ kind: 'delete', path: "/w/it's" }, 'bash', { command: "rm -- '/w/it'\\''s'" }],
    [{ kind: 'list', path: '/w' }, 'read', { filePath: '/w' }],
    [{ kind: 'grep', pattern: 'x', mode: 'files', glob: '*.ts' }, 'grep', { pattern: 'x', include: '*.ts' }],
    [{ kind: 'grep', pattern: 'x', mode: 'count', caseInsensitive: true }, 'grep', { pattern: '(?i)x' }],
    [
      { kind: 'grep', pattern: 'x', mode: 'content', fileType: 'py' },
      'grep',
      { pattern: 'x', include: '*.{py,pyi}' },
    ],
    [{ kind: 'glob', pattern: '*.ts', path: 'a' }, 'glob', { pattern: '*.ts', path: 'a' }],
    [{ kind: 'fetch', url: 'http://x' }, 'webfetch', { url: 'http://x' }],
  ])

  it('uses its shell for searches that its grep cannot do', () => {
    for (const more of [{ before: 2 }, { multiline: true }, { path: '/w/a.ts' }, { fileType: 'zig' }]) {
      const found = redirect({ kind: 'grep', pattern: 'x', mode: 'content', ...more }, openCode)
      expect(found?.tool).toBe('bash')
    }
    const withoutShell = openCode.filter(({ name }) => name !== 'bash')
    const found = (more: object) =>
      redirect({ kind: 'grep', pattern: 'x', mode: 'content', ...more }, withoutShell)?.tool
    expect([found({ before: 2 }), found({ path: '/w/a.ts' })]).toEqual(['grep', 'grep'])
    expect([found({ multiline: true }), found({ fileType: 'zig' })]).toEqual([undefined, undefined])
  })

  it('has no route for background commands and diagnostics', () => {
    expect(redirect({ kind: 'shell', command: 'x', background: true }, openCode)).toBeUndefined()
    expect(redirect({ kind: 'diagnostics', path: '/x' }, openCode)).toBeUndefined()
  })

  describe('earlier', () => {
    callsOf(earlierOpenCode, [
      [{ kind: 'shell', command: 'ls' }, 'bash', { command: 'ls', description: 'Asked for by the model' }],
      [{ kind: 'shell', command: 'ls', description: 'd' }, 'bash', { command: 'ls', description: 'd' }],
      [{ kind: 'read', path: '/x', offset: 3 }, 'read', { filePath: '/x', offset: 2 }],
      [{ kind: 'list', path: '/w', ignore: ['*.o'] }, 'list', { path: '/w', ignore: ['*.o'] }],
      [{ kind: 'fetch', url: 'http://x' }, 'webfetch', { url: 'http://x', format: 'markdown' }],
    ])
  })

  describe('for GPT models', () => {
    const patch = (body: string) => ({ patchText: `*** Begin Patch\n*** ${body}\n*** End Patch` })
    callsOf(openCodeForGpt, [
      [
        { kind: 'write', path: '/w/a.ts', content: 'a\n\nb\n' },
        'apply_patch',
        patch('Add File: a.ts\n+a\n+\n+b'),
      ],
      [
        { kind: 'write', path: '/w/a.ts', content: 'open' },
        'bash',
        { command: `mkdir -p -- '/w' && printf '%s' 'open' > '/w/a.ts'; echo "exit $?"` },
      ],
      [{ kind: 'delete', path: '/w/a.ts' }, 'bash', { command: "rm -- '/w/a.ts'" }],
    ])
    it('has no shell', () => {
      const tools = openCodeForGpt.filter(({ name }) => name !== 'bash')
      expect(redirect({ kind: 'delete', path: '/x' }, tools)?.input).toEqual(patch('Delete File: /x'))
      expect(redirect({ kind: 'write', path: '/x', content: 'a\n\n' }, tools)).toBeUndefined()
    })
  })
})

describe('Claude Code', () => {
  callsOf(claudeCode, [
    [
      { kind: 'shell', command: 'a; b', workingDirectory: '/v' },
      'Bash',
      { command: "(cd -- '/v' && {\na; b\n})" },
    ],
    [{ kind: 'shell', command: 'a', workingDirectory: '/v' }, 'Bash', { command: "(cd -- '/v' && a)" }],
    [{ kind: 'shell', command: 'a', workingDirectory: '/w' }, 'Bash', { command: "cd -- '/w' && a" }],
    [{ kind: 'glob', pattern: '*' }, 'Glob', { pattern: '*', path: '/w' }],
    [{ kind: 'shell', command: 'a', background: true }, 'Bash', { command: 'a', run_in_background: true }],
    [{ kind: 'shell', command: 'a', timeoutMs: 9e6 }, 'Bash', { command: 'a', timeout: 600_000 }],
    [{ kind: 'read', path: 'a', limit: 2 }, 'Read', { file_path: '/w/a', limit: 2 }],
    [{ kind: 'list', path: '/w' }, 'Bash', { command: list('/w/'), description: 'List a directory' }],
    [
      { kind: 'grep', pattern: 'x', mode: 'files', caseInsensitive: true, limit: 3 },
      'Grep',
      { pattern: 'x', path: '/w', output_mode: 'files_with_matches', '-i': true, head_limit: 3 },
    ],
    [
      { kind: 'grep', pattern: 'x', mode: 'content', before: 1, after: 2, multiline: true, fileType: 'ts' },
      'Grep',
      { pattern: 'x', path: '/w', output_mode: 'content', '-B': 1, '-A': 2, multiline: true, type: 'ts' },
    ],
    [{ kind: 'write', path: 'a', content: 'x' }, 'Write', { file_path: '/w/a', content: 'x' }],
  ])
  it('asks for the whole page', () => {
    const found = redirect({ kind: 'fetch', url: 'http://x' }, claudeCode)
    expect(found?.input).toMatchObject({ url: 'http://x', prompt: expect.stringContaining('as it is') })
  })
})

describe('Codex', () => {
  const wait = { yield_time_ms: 30_000 }
  callsOf(codex, [
    [
      { kind: 'shell', command: 'a', workingDirectory: '/v' },
      'exec_command',
      { cmd: 'a', workdir: '/v', ...wait },
    ],
    [{ kind: 'shell', command: 'a', timeoutMs: 9e6 }, 'exec_command', { cmd: 'a', ...wait }],
    [{ kind: 'read', path: '-n' }, 'exec_command', { cmd: cat('/w/-n'), ...wait }],
  ])
  callsOf(earlierCodex, [
    [
      { kind: 'shell', command: 'a', timeoutMs: 5 },
      'shell',
      { command: ['bash', '-lc', 'a'], timeout_ms: 5 },
    ],
    [{ kind: 'list', path: '/w' }, 'shell', { command: ['bash', '-lc', list('/w/')] }],
  ])
})

describe('Qwen Code', () => {
  callsOf(qwenCode, [
    [
      { kind: 'shell', command: 'a', workingDirectory: 'v' },
      'run_shell_command',
      { command: 'a', directory: '/w/v' },
    ],
    [{ kind: 'read', path: 'a' }, 'read_file', { file_path: '/w/a', offset: 0, limit: 100_000 }],
    [{ kind: 'read', path: 'a', offset: 3 }, 'read_file', { file_path: '/w/a', offset: 2, limit: 100_000 }],
    [
      { kind: 'read', path: 'a', offset: 3, limit: 1 },
      'read_file',
      { file_path: '/w/a', offset: 2, limit: 1 },
    ],
    [{ kind: 'list', path: 'a' }, 'list_directory', { path: '/w/a' }],
    [{ kind: 'grep', pattern: 'x', mode: 'content', caseInsensitive: true }, 'grep_search', { pattern: 'x' }],
  ])
})

describe('Cline, Cursor, Continue', () => {
  callsOf(cline, [
    [
      { kind: 'shell', command: 'a', timeoutMs: 1500 },
      'execute_command',
      { command: 'a', requires_approval: true, timeout: 2 },
    ],
    [{ kind: 'read', path: 'a', offset: 2 }, 'read_file', { path: 'a' }],
    [{ kind: 'write', path: 'a', content: 'x' }, 'write_to_file', { path: 'a', content: 'x' }],
    [{ kind: 'list', path: 'a' }, 'list_files', { path: 'a' }],
    [{ kind: 'grep', pattern: 'x', mode: 'content', path: 'a' }, 'search_files', { regex: 'x', path: 'a' }],
  ])
  callsOf(cursorLike, [
    [{ kind: 'shell', command: 'a' }, 'run_terminal_cmd', { command: 'a', is_background: false }],
    [{ kind: 'delete', path: 'a' }, 'delete_file', { target_file: 'a' }],
    [
      { kind: 'grep', pattern: 'x', mode: 'content', caseInsensitive: true },
      'grep_search',
      { query: 'x', case_sensitive: false },
    ],
    [
      { kind: 'read', path: 'a', offset: 2, limit: 3 },
      'read_file',
      {
        target_file: 'a',
        should_read_entire_file: false,
        start_line_one_indexed: 2,
        end_line_one_indexed_inclusive: 4,
      },
    ],
  ])
  callsOf(continueDev, [
    [{ kind: 'read', path: 'a' }, 'builtin_read_file', { filepath: 'a' }],
    [{ kind: 'list', path: 'a' }, 'builtin_ls', { dirPath: 'a' }],
    [{ kind: 'glob', pattern: '*' }, 'builtin_file_glob_search', { pattern: '*' }],
  ])
})
