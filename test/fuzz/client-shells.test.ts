// Commands with any text in them, run in the real shell and shown as each client shows them: output and exit code come back.

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
  openCode,
  qwenCode,
} from '../../src/protocols/client-tools/clients.fixture.ts'
import { quote } from '../../src/protocols/client-tools/quote.ts'
import { type Job, redirect } from '../../src/protocols/client-tools/redirect.ts'
import { inCline, line, text } from './client-texts.ts'
import { fuzz, fuzzShare } from './settings.ts'

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
