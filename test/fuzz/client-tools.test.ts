// Files and commands with any text in them, shown as each client shows them: what comes back must be what was there, and
// what is called complete must be the file. Commands run in the real shell.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { Tool } from '../../src/core/request.ts'
import {
  clineCli,
  continueCli,
  copilot,
  goose,
  grokBuild,
  grokCli,
  kimi,
  pi,
} from '../../src/protocols/client-tools/agents.fixture.ts'
import {
  claudeCode,
  cline,
  codex,
  demos,
  earlierCodex,
  earlierOpenCode,
  openCode,
  qwenCode,
} from '../../src/protocols/client-tools/clients.fixture.ts'
import { quote } from '../../src/protocols/client-tools/quote.ts'
import { type Job, redirect } from '../../src/protocols/client-tools/redirect.ts'
import { isNightly } from '../depth.ts'
import { fuzz, fuzzShare } from './settings.ts'

const scraps = fc.constantFrom(
  '1: ',
  '2: ',
  '     1→',
  '1\t',
  '00001| ',
  '1 | ',
  'L1: ',
  '</content>',
  '1→',
  '<system>1 line read from file starting from line 1. Total lines in file: 1. End of file reached.</system>',
  '[3 more lines in file. Use offset=4 to continue.]',
  'Command exited with code 3',
  '<shellId: 0 completed with exit code 3>',
  'Content of x:',
  ' [line truncated]',
  '</file>',
  '(End of file - total 2 lines)',
  '<system-reminder>x</system-reminder>',
  'Showing lines 1-2 of 3 total lines.',
  '---',
  'exit 0',
  'begin',
  'Error: ',
  'Output:',
  'Exit Code: 1',
  '(no output)',
  "it's",
  '$(x)',
  '`',
  '\\',
  '"',
  '%s',
  '\t',
  ' ',
  'é😀',
)
const line = fc.oneof(
  { weight: 3, arbitrary: fc.array(scraps, { maxLength: 3 }).map((parts) => parts.join('')) },
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replace(/[\0\r\n\uFEFF]/g, '')),
)
const text = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.boolean())
  .map(([lines, open]) => lines.join('\n') + (open || lines.length === 0 ? '' : '\n'))

const linesOf = (content: string) => content.replace(/\n$/, '').split('\n')
const numbered = (lines: string[], prefix: (due: number) => string) =>
  lines.map((one, at) => `${prefix(at + 1)}${one}`).join('\n')
const ended = (content: string) => (content === '' || content.endsWith('\n') ? content : `${content}\n`)
const path = '/w/some-file'

const inCline = (result: string, more = {}) =>
  JSON.stringify([{ query: 'q', result, success: true, ...more }])

interface Shown {
  tools: Tool[]
  decorate: (content: string) => string
  /** The content as far as the client tells it. */
  told?: (content: string) => string
}

const clients: Record<string, Shown> = {
  OpenCode: {
    tools: openCode,
    decorate(content) {
      const lines = content === '' ? [] : linesOf(content)
      const body = numbered(lines, (due) => `${due}: `)
      return `<path>${path}</path>\n<type>file</type>\n<content>\n${body}\n\n(End of file - total ${lines.length} lines)\n</content>`
    },
    told: ended,
  },
  'earlier OpenCode': {
    tools: earlierOpenCode,
    decorate(content) {
      const lines = content === '' ? [] : linesOf(content)
      const body = numbered(lines, (due) => `${String(due).padStart(5, '0')}| `)
      return `<file>\n${body}\n\n(End of file - total ${lines.length} lines)\n</file>`
    },
    told: ended,
  },
  'Claude Code': {
    tools: claudeCode,
    decorate: (content) =>
      content === ''
        ? '<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>'
        : numbered(content.split('\n'), (due) => `${due}\t`),
  },
  'earlier Claude Code': {
    tools: claudeCode,
    decorate: (content) =>
      content === ''
        ? '<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>'
        : `${numbered(content.split('\n'), (due) => `${String(due).padStart(6)}→`)}\n\n<system-reminder>\nx\n</system-reminder>\n`,
  },
  'Qwen Code': { tools: qwenCode, decorate: (content) => content || '(read_file completed with no output)' },
  Cline: {
    tools: cline,
    decorate(content) {
      const lines = linesOf(content)
      return content === ''
        ? ''
        : `${numbered(lines, (due) => `${due} | `)}\n\n(File has ${lines.length} lines total.)`
    },
    // Whether an empty line at the end is one is not told, either.
    told: (content) => (content.endsWith('\n\n') || content === '\n' ? content.slice(0, -1) : ended(content)),
  },
  'Cline (CLI)': {
    tools: clineCli,
    decorate(content) {
      const lines = content === '' ? [] : linesOf(content)
      const width = String(lines.length).length
      return inCline(numbered(lines, (due) => `${String(due).padStart(width)} | `))
    },
    told: ended,
  },
  'Continue (CLI)': { tools: continueCli, decorate: (content) => `Content of ${path}:\n${content}` },
  Copilot: { tools: copilot, decorate: (content) => content },
  'Grok Build': {
    tools: grokBuild,
    decorate: (content) =>
      content === ''
        ? 'File is empty.'
        : numbered(content.split('\n'), (due) => (due === 1 || due % 10 === 0 ? `${due}→` : '')),
  },
  'Grok CLI': {
    tools: grokCli,
    decorate: (content) =>
      `Lines 1-1000000 of ${path}:\n${numbered(content.split('\n'), (due) => `${due}: `)}`,
  },
  Kimi: {
    tools: kimi,
    decorate(content) {
      const lines = content === '' ? [] : linesOf(content)
      const count = lines.length === 0 ? 'No lines' : `${lines.length} line${lines.length === 1 ? '' : 's'}`
      const status = `<system>${count} read from file starting from line 1. Total lines in file: ${lines.length}. Requested range complete. End of file reached.</system>`
      const body = numbered(lines, (due) => `${due}\t`)
      return `${body || '<system>Tool output is empty.</system>'}\n${status}`
    },
    told: ended,
  },
  pi: { tools: pi, decorate: (content) => content || '(see attached image)' },
  'any program': { tools: demos, decorate: (content) => content },
}

/** A file can contain their remark about a part of it. */
const mayDoubt = ['Cline (CLI)', 'pi']

describe('files', () => {
  for (const [name, { tools, decorate, told = (content: string) => content }] of Object.entries(clients)) {
    it(`of ${name} come back as they are`, () => {
      fc.assert(
        fc.property(text, (content) => {
          const outcome = redirect({ kind: 'read', path }, tools)?.read({
            text: decorate(content),
            isError: false,
          })
          if (outcome?.kind !== 'read') expect(outcome?.kind).toBe('failed')
          else if (outcome.complete) expect(outcome.content).toBe(told(content))
          else expect(['Qwen Code', 'any program', 'Cline', ...mayDoubt]).toContain(name)
        }),
        fuzz,
      )
    })
  }
})

interface Sandbox {
  tools: Tool[]
  commandOf: (input: Record<string, unknown>) => string
  show: (output: string, exitCode: number, command: string) => { text: string; isError: boolean }
}
const plain = (value: string) => ({ text: value, isError: false })

const withExit = (output: string, exitCode: number) =>
  `${output || '(no output)'}${exitCode === 0 ? '' : `\n\nCommand exited with code ${exitCode}`}`

/** How the clients hand on what a command printed. */
const shells: Record<string, Sandbox> = {
  OpenCode: {
    tools: openCode.filter(({ name }) => name === 'bash'),
    commandOf: ({ command }) => String(command),
    show: (output) => plain(output || '(no output)'),
  },
  'Claude Code': {
    tools: claudeCode.filter(({ name }) => name === 'Bash'),
    commandOf: ({ command }) => String(command),
    show(output, exitCode) {
      const trimmed = output.replace(/^\n+/, '').trimEnd()
      return exitCode === 0
        ? plain(trimmed || '(Bash completed with no output)')
        : { text: `Exit code ${exitCode}\n${trimmed}`, isError: true }
    },
  },
  Codex: {
    tools: codex,
    commandOf: ({ cmd }) => String(cmd),
    show: (output, exitCode) =>
      plain(
        `Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code ${exitCode}\nOriginal token count: 1\nOutput:\n${output}`,
      ),
  },
  'earlier Codex': {
    tools: earlierCodex,
    commandOf: ({ command }) => String((command as string[])[2]),
    show: (output, exitCode) => plain(JSON.stringify({ output, metadata: { exit_code: exitCode } })),
  },
  'Qwen Code': {
    tools: qwenCode.filter(({ name }) => name === 'run_shell_command'),
    commandOf: ({ command }) => String(command),
    show: (output, exitCode, command) =>
      plain(
        `Command: ${command}\nDirectory: (root)\nOutput: ${output.trim() || '(empty)'}\nError: (none)\nExit Code: ${exitCode}\nSignal: (none)\nProcess Group PGID: (none)`,
      ),
  },
  Cline: {
    tools: cline.filter(({ name }) => name === 'execute_command'),
    commandOf: ({ command }) => String(command),
    show: (output) => plain(`Command executed.${output.trim() === '' ? '' : `\nOutput:\n${output.trim()}`}`),
  },
  'Cline (CLI)': {
    tools: clineCli.filter(({ name }) => name === 'run_commands'),
    commandOf: ({ commands }) => (commands as string[]).join('\n'),
    show: (output, exitCode) =>
      plain(
        exitCode === 0
          ? inCline(output)
          : inCline(`[Command exited with code ${exitCode}]\n${output}`, { success: false, error: 'failed' }),
      ),
  },
  'Continue (CLI)': {
    tools: continueCli.filter(({ name }) => name === 'Bash'),
    commandOf: ({ command }) => String(command),
    show: plain,
  },
  Copilot: {
    tools: copilot.filter(({ name }) => name === 'bash'),
    commandOf: ({ command }) => String(command),
    show: (output, exitCode) => plain(`${output.trim()}\n<shellId: 0 completed with exit code ${exitCode}>`),
  },
  Goose: {
    tools: goose.filter(({ name }) => name === 'shell'),
    commandOf: ({ command }) => String(command),
    show: (output, exitCode) => plain(withExit(output.replace(/\n$/, ''), exitCode)),
  },
  'Grok Build': {
    tools: grokBuild.filter(({ name }) => name === 'run_terminal_command'),
    commandOf: ({ command }) => String(command),
    show: (output, exitCode) => plain(`exit: ${exitCode}\n${output}`),
  },
  'Grok CLI': {
    tools: grokCli.filter(({ name }) => name === 'bash'),
    commandOf: ({ command }) => String(command),
    show: (output, exitCode, command) =>
      plain(
        exitCode === 0
          ? output.trim() || 'Command executed successfully (no output)'
          : `Command failed: Command failed: ${command}\n${output}`,
      ),
  },
  Kimi: {
    tools: kimi.filter(({ name }) => name === 'Bash'),
    commandOf: ({ command }) => String(command),
    show: (output, exitCode) =>
      plain(
        exitCode === 0
          ? `Wall time: 0.1 seconds\n${output || 'Command executed successfully.'}`
          : `Wall time: 0.1 seconds\n<system>ERROR: Tool execution failed.</system>\n${output.replace(/\n$/, '')}\nCommand failed with exit code: ${exitCode}.`,
      ),
  },
  pi: {
    tools: pi.filter(({ name }) => name === 'bash'),
    commandOf: ({ command }) => String(command),
    show: (output, exitCode) => plain(withExit(output, exitCode)),
  },
  'any program': {
    tools: demos.filter(({ name }) => name === 'bash'),
    commandOf: ({ command }) => String(command),
    show: plain,
  },
}

const directory = mkdtempSync(join(tmpdir(), 'client-tools-'))
afterAll(() => rmSync(directory, { recursive: true }))

function run({ tools, commandOf, show }: Sandbox, job: Job) {
  const found = redirect(job, tools)
  if (found === undefined) return undefined
  const command = commandOf(found.input)
  const { stdout, status } = spawnSync('/bin/sh', ['-c', `exec 2>&1\n${command}`], {
    cwd: directory,
    encoding: 'utf8',
  })
  return found.read(show(stdout, status ?? 1, command))
}

const fileName = fc
  .oneof(fc.constantFrom('-', '-n', '--', "it's", 'a b', '$x', '*', 'exit 0', '~x', '[DIR] x', 'ü'), line)
  .map((name) => name.replace(/\//g, '').trim().slice(0, 40))
  // `~` is the home folder, as it is to every shell.
  .filter((name) => name !== '' && !/^(?:\.{1,2}|~)$/.test(name) && Buffer.byteLength(name) < 200)

describe('shells', () => {
  it('hand on any word as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(line, text), { minLength: 40, maxLength: 40 }), (words) => {
        const command = `printf '%s\\0' ${words.map(quote).join(' ')}`
        const { stdout } = spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' })
        expect(stdout.split('\0').slice(0, -1)).toEqual(words)
      }),
      fuzzShare(0.03),
    )
    expect(quote('a\0b')).toBeUndefined()
  })

  for (const [name, sandbox] of Object.entries(shells)) {
    it(`of ${name} write, show, list and delete`, () => {
      fc.assert(
        fc.property(fileName, text, (file, content) => {
          expect(run(sandbox, { kind: 'write', path: file, content })).toEqual({ kind: 'write' })
          expect(readFileSync(join(directory, file), 'utf8')).toBe(content)
          expect(run(sandbox, { kind: 'read', path: file })).toMatchObject({
            kind: 'read',
            content,
            complete: true,
          })
          const listed = run(sandbox, { kind: 'list', path: '.' })
          expect(listed).toEqual({
            kind: 'list',
            entries: [{ path: file, directory: false }],
            truncated: false,
          })
          expect(run(sandbox, { kind: 'delete', path: file })).toEqual({ kind: 'delete' })
          expect(run(sandbox, { kind: 'read', path: file })).toMatchObject({ kind: 'failed' })
          expect(run(sandbox, { kind: 'delete', path: file })).toMatchObject({
            kind: 'failed',
            notFound: true,
          })
        }),
        fuzzShare(0.012),
      )
    })
  }

  const stating = [
    ...[
      'Claude Code',
      'Codex',
      'earlier Codex',
      'Qwen Code',
      'Cline (CLI)',
      'Copilot',
      'Goose',
      'Grok Build',
    ],
    ...['Kimi', 'pi'],
  ]
  it.each(stating)('of %s tell how any failed command ended', (name) => {
    const { tools, show } = shells[name] as Sandbox
    const command = 'x'
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 255 }), (output, exitCode) => {
        const outcome = redirect({ kind: 'shell', command }, tools)?.read(show(output, exitCode, command))
        expect(outcome).toMatchObject({ kind: 'shell', exitCode })
      }),
      fuzz,
    )
  })

  it('search and find', () => {
    const [sandbox] = Object.values(shells) as [Sandbox]
    run(sandbox, { kind: 'write', path: 'src/deep/a.ts', content: 'one\nfoo\nthree\n' })
    run(sandbox, { kind: 'write', path: 'src/b.js', content: 'FOO\n' })
    const grep = (more: object) =>
      run(sandbox, { kind: 'grep', pattern: 'fo+', mode: 'content', path: 'src', ...more })
    expect(grep({})).toMatchObject({ matches: [{ file: 'src/deep/a.ts', line: 2, text: 'foo' }] })
    expect(grep({ before: 1, after: 1 })).toMatchObject({
      matches: [{ line: 1, text: 'one', context: true }, { line: 2 }, { line: 3, context: true }],
    })
    expect(grep({ caseInsensitive: true, glob: '*.js' })).toMatchObject({
      matches: [{ file: 'src/b.js', line: 1 }],
    })
    expect(grep({ mode: 'count' })).toMatchObject({ matches: [{ file: 'src/deep/a.ts', count: 1 }] })
    expect(grep({ mode: 'files' })).toEqual({
      kind: 'grep',
      matches: [{ file: 'src/deep/a.ts' }],
      truncated: false,
    })
    expect(grep({ pattern: 'absent' })).toEqual({ kind: 'grep', matches: [], truncated: false })
    expect(run(sandbox, { kind: 'glob', pattern: '**/*.{ts,tsx}', path: 'src' })).toEqual({
      kind: 'glob',
      files: ['src/deep/a.ts'],
      truncated: false,
    })
    expect(run(sandbox, { kind: 'read', path: 'src/deep/a.ts', offset: 2, limit: 1 })).toEqual({
      kind: 'read',
      content: 'foo\n',
      complete: false,
      totalLines: 3,
    })
    expect(run(sandbox, { kind: 'read', path: 'src/deep/a.ts', offset: -2, limit: 1 })).toMatchObject({
      content: 'foo\n',
    })
    expect(run(sandbox, { kind: 'list', path: 'src/b.js' })).toMatchObject({ kind: 'failed' })
    run(sandbox, { kind: 'shell', command: 'rm -r src' })
  })
})

describe('anything at all', () => {
  const job: fc.Arbitrary<Job> = fc.oneof(
    fc.record({ kind: fc.constant('shell' as const), command: text, workingDirectory: line }),
    fc.record({ kind: fc.constant('read' as const), path: line, offset: fc.nat(), limit: fc.nat() }),
    fc.record({ kind: fc.constant('write' as const), path: line, content: text }),
    fc.record({ kind: fc.constant('list' as const), path: line, ignore: fc.array(line) }),
    fc.record({
      kind: fc.constant('grep' as const),
      pattern: line,
      mode: fc.constantFrom('content', 'files', 'count'),
      glob: line,
    }),
    fc.record({ kind: fc.constant('glob' as const), pattern: line, path: line }),
    fc.record({ kind: fc.constant('diagnostics' as const), path: line }),
  )
  const all = [
    ...[openCode, earlierOpenCode, claudeCode, codex, earlierCodex, qwenCode, cline, demos],
    ...[clineCli, continueCli, copilot, goose, grokBuild, grokCli, kimi, pi],
  ]
  const schema = fc.oneof(
    fc.constantFrom(
      {},
      true,
      null,
      { type: 'string' },
      { $ref: '#/properties/path' },
      { anyOf: [{ type: 'null' }] },
    ),
    fc.jsonValue(),
  )
  const anyTool = fc.record({
    name: fc.constantFrom('read', 'bash', 'read_file', 'shell', 'list_files', '__proto__', 'grep'),
    description: line,
    schema: fc.record({
      properties: fc.dictionary(
        fc.constantFrom('path', 'command', 'filePath', 'pattern', '__proto__', 'toString'),
        schema,
      ),
      required: schema,
    }),
  }) as fc.Arbitrary<Tool>

  it('is read without a throw', () => {
    fc.assert(
      fc.property(
        job,
        fc.constantFrom(...all),
        fc.oneof(text, line),
        fc.boolean(),
        (one, tools, result, isError) => {
          expect(redirect(one, tools)?.read({ text: result, isError }).kind).not.toBe('nothing')
        },
      ),
      fuzz,
    )
  })
  it.runIf(isNightly)('is read in time that grows with its length', () => {
    const often = [
      '\n',
      '(truncated ',
      '<system-reminder>',
      '</system-reminder>',
      '<shell_metadata>\n',
      '\nError: ',
      '\nExit Code: 1',
      'exit 1 ',
      'a-1-\n',
      'a:1:',
      '1: x\n',
      'Command executed\n',
      '\n\nCommand exited with code 3',
      '\n<shellId: 0 completed with exit code 3>',
      '<system>1 line read from file',
      '\nShell cwd was reset to ',
    ]
    const kinds: Job[] = [
      { kind: 'shell', command: 'x' },
      { kind: 'read', path },
      { kind: 'list', path },
      { kind: 'grep', pattern: 'x', mode: 'content' },
      { kind: 'glob', pattern: '*' },
    ]
    for (const tools of all)
      for (const one of kinds)
        for (const scrap of often) {
          const started = performance.now()
          redirect(one, tools)?.read({ text: scrap.repeat(20_000), isError: false })
          expect([one.kind, scrap, performance.now() - started < 1500]).toEqual([one.kind, scrap, true])
        }
  })
  it('is offered without a throw', () => {
    fc.assert(
      fc.property(job, fc.array(anyTool, { maxLength: 3 }), (one, tools) => {
        const found = redirect(one, tools, { workspace: '/w' })
        if (found !== undefined) expect(tools.map(({ name }) => name)).toContain(found.tool)
      }),
      fuzz,
    )
  })
})
