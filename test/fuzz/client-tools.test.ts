// Files with any text in them, shown as each client shows them: what comes back must be what was there, and what is called complete
// must be the file. Then anything at all as jobs, tools and results: nothing throws.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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
import { type Job, redirect } from '../../src/protocols/client-tools/redirect.ts'
import { isNightly } from '../depth.ts'
import { ended, inCline, line, text } from './client-texts.ts'
import { fuzz } from './settings.ts'

const linesOf = (content: string) => content.replace(/\n$/, '').split('\n')
const numbered = (lines: string[], prefix: (due: number) => string) =>
  lines.map((one, at) => `${prefix(at + 1)}${one}`).join('\n')
const path = '/w/some-file'

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
