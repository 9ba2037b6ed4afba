import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { demos, openCode, tool } from './clients.fixture.ts'
import type { Job } from './job.ts'
import { describeTools, redirect } from './redirect.ts'

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

const cat = (path: string) => `echo begin; cat -- '${path}'; echo "exit $? $(wc -c < '${path}')"`

describe('custom programs', () => {
  callsOf(demos, [
    [{ kind: 'read', path: 'a' }, 'get_file', { path: 'a' }],
    [{ kind: 'shell', command: 'a' }, 'bash', { command: 'a' }],
    [{ kind: 'list', path: 'a' }, 'list_files', { path: 'a' }],
    [{ kind: 'grep', pattern: 'x', mode: 'content' }, 'search', { pattern: 'x' }],
  ])

  it('searches the workspace with a tool that takes no path, and other directories in another way', () => {
    const find = tool('find_files', { 'pattern!': 'string' }, 'Finds files by a glob pattern')
    const tools = [find, tool('bash', { 'command!': 'string' }, 'Runs a command in a shell')]
    const glob = (path: string) => redirect({ kind: 'glob', pattern: '**/*.ts', path }, tools, { workspace })
    expect([glob('/w')?.tool, glob('/w/')?.input]).toEqual(['find_files', { pattern: '**/*.ts' }])
    expect(glob('/elsewhere')?.tool).toBe('bash')
  })

  it('fills strict schemas with null, and skips a tool whose parameters it cannot fill', () => {
    const strict = tool('read_file', { 'path!': 'string', 'encoding!': { type: ['string', 'null'] } })
    expect(redirect({ kind: 'read', path: 'a' }, [strict])?.input).toEqual({ path: 'a', encoding: null })
    const short = tool('read_file', { 'path!': { type: 'string', maxLength: 3 } })
    expect(redirect({ kind: 'read', path: '/long' }, [short])).toBeUndefined()
    const impossible = tool('read_file', { 'path!': 'string', 'tenant!': 'string' })
    expect(redirect({ kind: 'read', path: 'a' }, [impossible])).toBeUndefined()
  })

  it('does not use a shell that is not POSIX', () => {
    const powershell = tool('bash', { 'command!': 'string' }, 'Runs a command. Shell: powershell')
    expect(redirect({ kind: 'delete', path: '/x' }, [powershell])).toBeUndefined()
    const onWindows = [{ ...(openCode[0] as Tool), description: 'OS: win32, Shell: powershell' }]
    expect(redirect({ kind: 'shell', command: 'x' }, onWindows)?.tool).toBe('bash')
    expect(redirect({ kind: 'delete', path: '/x' }, onWindows)).toBeUndefined()
    expect(redirect({ kind: 'delete', path: 'C:\\x' }, demos)).toBeUndefined()
  })

  it('protects a path from being taken for an option or for standard input', () => {
    const command = (job: Job) => redirect(job, demos.slice(1, 2))?.input.command
    expect(command({ kind: 'delete', path: '-rf' })).toBe("rm -- './-rf'")
    expect(command({ kind: 'read', path: '-' })).toBe(cat('./-'))
  })

  it('expands the home directory only at the beginning of a path', () => {
    const command = (job: Job) => redirect(job, demos.slice(1, 2), { workspace })?.input.command
    expect(command({ kind: 'write', path: "~/it's/a", content: '' })).toContain(
      `mkdir -p -- ~/'it'\\''s' && printf '%s' '' > ~/'it'\\''s/a';`,
    )
    expect(command({ kind: 'write', path: '~/a', content: '' })).toContain('mkdir -p -- ~ && ')
    expect(command({ kind: 'delete', path: '~/$(x)' })).toBe("rm -- ~/'$(x)'")
    expect(command({ kind: 'delete', path: '~backup' })).toBe("rm -- '/w/~backup'")
  })

  it('sends only values that a referenced schema takes', () => {
    const offered = (mode: unknown): Tool => ({
      name: 'grep',
      schema: {
        type: 'object',
        properties: { pattern: { type: 'string' }, output_mode: mode },
        $defs: { Mode: { enum: ['lines', 'names'] } },
      },
    })
    for (const mode of [
      { anyOf: [{ $ref: '#/$defs/Mode' }, { type: 'null' }] },
      { allOf: [{ $ref: '#/$defs/Mode' }], default: 'names' },
    ]) {
      const job: Job = { kind: 'grep', pattern: 'x', mode: 'content' }
      expect(redirect(job, [offered(mode)])?.input).toEqual({ pattern: 'x', output_mode: 'lines' })
    }
  })

  it('writes by a shell only content that fits into one command', () => {
    const [, bash] = demos
    const write = (content: string) => redirect({ kind: 'write', path: '/x', content }, [bash as Tool])
    expect(write('a')).toBeDefined()
    expect(write('a'.repeat(200_000))).toBeUndefined()
    expect(write('\0')).toBeUndefined()
  })
})

describe('describeTools', () => {
  it('names the tools and their parameters', () => {
    expect(describeTools(demos)).toContain('- list_files(path?)')
    expect(describeTools([])).toContain('no tools')
  })
})
