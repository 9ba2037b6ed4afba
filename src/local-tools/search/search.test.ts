// Searches by name and by text, with the same results as ripgrep if that is installed.

import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeWith, findProgram } from '../../../test/debian-program.ts'
import { fuzzShare } from '../../../test/fuzz/settings.ts'
import type { GrepMatch, JobOf, OutcomeOf } from '../../protocols/client-tools/job.ts'
import { openWorkspace, type Workspace } from '../files/workspace.fixture.ts'

const files = {
  'a.ts': 'const foo = 1\nlet bar = 2\n// Foo again\nend\n',
  'b.md': '# foo\r\n\r\nbar foo\r\nlast',
  'src/a.ts': 'import foo\nfoo()\nfoo(bar)\n\n\n\nfoo\n',
  'src/b.test.ts': 'foo\n',
  'src/lib/c.tsx': 'no match\nb\u00e4r\n',
  'src/lib/d.py': 'def foo():\n  pass\n',
  'src.txt': 'foo\n',
  '.env': 'foo=1\n',
  '.git/HEAD': 'foo\n',
  'node_modules/x/index.ts': 'foo\n',
  'src/node_modules/y.ts': 'foo\n',
}

async function searchable(): Promise<Workspace> {
  const workspace = await openWorkspace(files)
  symlinkSync('src', join(workspace.root, 'link'))
  symlinkSync('../outside/secret.txt', join(workspace.root, 'secret.ts'))
  writeFileSync(join(workspace.root, 'blob.bin'), Buffer.from('foo\n\0foo\n'))
  return workspace
}

describe('glob', () => {
  it.each<[Omit<JobOf<'glob'>, 'kind'>, string[]]>([
    [{ pattern: '*.ts' }, ['a.ts', 'src/a.ts', 'src/b.test.ts']],
    [{ pattern: '**/*.ts' }, ['a.ts', 'src/a.ts', 'src/b.test.ts']],
    [{ pattern: './*.ts' }, ['a.ts']],
    [{ pattern: 'src/*.ts' }, ['src/a.ts', 'src/b.test.ts']],
    [{ pattern: 'src/**/*.{tsx,py}' }, ['src/lib/c.tsx', 'src/lib/d.py']],
    [{ pattern: '*.ts', path: 'src' }, ['src/a.ts', 'src/b.test.ts']],
    [{ pattern: 'lib/*', path: 'src/' }, ['src/lib/c.tsx', 'src/lib/d.py']],
    [{ pattern: 'lib/*', path: 'link' }, ['src/lib/c.tsx', 'src/lib/d.py']],
    [{ pattern: '.env' }, ['.env']],
    [{ pattern: 'node_modules/**/*.ts' }, ['node_modules/x/index.ts']],
    [{ pattern: 'x/*', path: 'node_modules' }, ['node_modules/x/index.ts']],
    [{ pattern: 'nothing' }, []],
  ])('%j', async (job, expected) => {
    const { run, root } = await searchable()
    const found = { kind: 'glob', files: expected, truncated: false }
    expect(await run({ kind: 'glob', ...job })).toEqual(found)
    expect(await run({ kind: 'glob', ...job, path: join(root, job.path ?? '.') })).toEqual(found)
  })

  it('accepts an absolute pattern, and reports truncation', async () => {
    const { run, root } = await searchable()
    expect(await run({ kind: 'glob', pattern: `${root}/src/*.ts` })).toMatchObject({
      files: ['src/a.ts', 'src/b.test.ts'],
    })
    expect(await run({ kind: 'glob', pattern: '*.ts' }, { maxEntries: 1 })).toEqual({
      kind: 'glob',
      files: ['a.ts'],
      truncated: true,
    })
    expect(await run({ kind: 'glob', pattern: '*', path: 'a.ts' })).toMatchObject({ kind: 'failed' })
    expect(await run({ kind: 'glob', pattern: '*', path: 'x' })).toMatchObject({ notFound: true })
  })
})

const show = ({ file, line, text, context, count }: GrepMatch) =>
  [
    file,
    ...(line === undefined ? [] : [`${context ? '-' : ':'}${line}:${text}`]),
    ...(count === undefined ? [] : [count]),
  ].join('')

describe('grep', () => {
  it.each<[Partial<JobOf<'grep'>>, string[]]>([
    [
      { pattern: 'foo', mode: 'files' },
      ['.env', 'a.ts', 'b.md', 'src/a.ts', 'src/b.test.ts', 'src/lib/d.py', 'src.txt'],
    ],
    [{ pattern: 'foo', mode: 'count', glob: '*.ts' }, ['a.ts1', 'src/a.ts4', 'src/b.test.ts1']],
    [{ pattern: 'foo', caseInsensitive: true, mode: 'count', path: 'a.ts' }, ['a.ts2']],
    [{ pattern: '^foo$', path: 'src' }, ['src/a.ts:7:foo', 'src/b.test.ts:1:foo']],
    [{ pattern: 'foo$', glob: 'b.md' }, ['b.md:1:# foo', 'b.md:3:bar foo']],
    [
      { pattern: 'bar', path: 'src/a.ts', before: 1, after: 2 },
      ['src/a.ts-2:foo()', 'src/a.ts:3:foo(bar)', 'src/a.ts-4:', 'src/a.ts-5:'],
    ],
    [
      { pattern: 'foo', path: 'src/a.ts', before: 1, after: 1, limit: 6 },
      [
        'src/a.ts:1:import foo',
        'src/a.ts:2:foo()',
        'src/a.ts:3:foo(bar)',
        'src/a.ts-4:',
        'src/a.ts-6:',
        'src/a.ts:7:foo',
      ],
    ],
    [{ pattern: 'foo', fileType: 'py' }, ['src/lib/d.py:1:def foo():']],
    [{ pattern: 'foo', mode: 'files', glob: '!*.ts' }, ['.env', 'b.md', 'src/lib/d.py', 'src.txt']],
    [{ pattern: 'foo', mode: 'files', glob: '!src' }, ['.env', 'a.ts', 'b.md', 'src.txt']],
    [{ pattern: 'foo', mode: 'files', glob: 'lib/*', path: 'src' }, ['src/lib/d.py']],
    [{ pattern: 'foo', mode: 'files', glob: 'src/lib/*', path: 'src' }, ['src/lib/d.py']],
    [{ pattern: 'b\\wr$', mode: 'files' }, ['src/lib/c.tsx']],
    [{ pattern: 'foo\\(\\)\\nfoo', multiline: true }, ['src/a.ts:2:foo()', 'src/a.ts:3:foo(bar)']],
    [{ pattern: 'let.*again', multiline: true, mode: 'count' }, ['a.ts2']],
    [{ pattern: 'foo\\(\\)\\nfoo' }, []],
    [{ pattern: 'foo', mode: 'files', path: 'node_modules' }, ['node_modules/x/index.ts']],
    [{ pattern: 'CANARY', mode: 'files' }, []],
    [{ pattern: 'x', path: '.git' }, []],
    [{ pattern: 'foo', path: '.git' }, ['.git/HEAD:1:foo']],
  ])('%j', async (job, expected) => {
    const { run } = await searchable()
    const outcome = await run({ kind: 'grep', pattern: '', mode: 'content', ...job })
    expect(outcome).toMatchObject({ kind: 'grep', truncated: false })
    expect((outcome as OutcomeOf<'grep'>).matches.map(show)).toEqual(expected)
  })

  it('stops at the limit, and reports it', async () => {
    const { run } = await searchable()
    for (const mode of ['content', 'files', 'count'] as const)
      expect(await run({ kind: 'grep', pattern: 'foo', mode, limit: 2 })).toMatchObject({
        matches: { length: 2 },
        truncated: true,
      })
    expect(await run({ kind: 'grep', pattern: 'foo', mode: 'content' }, { outputBytes: 40 })).toMatchObject({
      matches: { length: 1 },
      truncated: true,
    })
  })

  it('shortens long lines', async () => {
    const { run, root } = await searchable()
    writeFileSync(join(root, 'min.js'), `needle${'x'.repeat(5000)}\n`)
    const outcome = await run({ kind: 'grep', pattern: 'needle', mode: 'content' })
    expect((outcome as OutcomeOf<'grep'>).matches[0]?.text).toMatch(/^needlex+ \[… 3006 more\]$/)
  })

  it('explains errors', async () => {
    const { run } = await searchable()
    const grep = (job: Partial<JobOf<'grep'>>) => run({ kind: 'grep', pattern: 'x', mode: 'files', ...job })
    expect(await grep({ pattern: '(' })).toMatchObject({
      error: expect.stringContaining('Unterminated group'),
    })
    expect(await grep({ fileType: 'nonsense' })).toMatchObject({ error: expect.stringContaining('"*.ext"') })
    expect(await grep({ path: 'none' })).toMatchObject({ notFound: true })
    expect(await grep({ path: 'blob.bin' })).toMatchObject({ error: expect.stringContaining('binary') })
  })

  it('stops a pattern that takes forever', async () => {
    const { run, root } = await searchable()
    writeFileSync(join(root, 'trap.txt'), `${'a'.repeat(60)}!\n`)
    expect(await run({ kind: 'grep', pattern: '^(a+)+$', mode: 'files' })).toEqual({
      kind: 'failed',
      error: expect.stringMatching(/takes too long \(in "trap.txt"\)\. Make it simpler/),
    })
    expect(await run({ kind: 'grep', pattern: 'aa!', mode: 'files' })).toMatchObject({
      matches: [{ file: 'trap.txt' }],
    })
  })
})

const ripgrep = { program: 'rg', variable: 'DRAGOMAN_RG' }

describeWith([ripgrep], 'with ripgrep', () => {
  const command = findProgram(ripgrep) ?? ''
  const ripgrepIn = (root: string) => async (args: string[]) => {
    const { stdout, status } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
    return { stdout, code: status ?? 2 }
  }

  it('finds the same with and without ripgrep', async () => {
    const { run, root } = await searchable()
    const search = ripgrepIn(root)
    const scrap = fc.constantFrom(
      'foo',
      'b',
      '\\w',
      '.',
      '^',
      '$',
      'o+',
      '\\(',
      '(?:a|f)',
      '[[:alpha:]]',
      '\\b',
      ' ',
      '[^f]',
      '\\n',
      '\u00e4',
    )
    const job = fc.record<Omit<JobOf<'grep'>, 'kind'>, 'pattern' | 'mode'>(
      {
        pattern: fc.oneof(
          scrap,
          fc.array(scrap, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
        ),
        mode: fc.constantFrom('content', 'files', 'count'),
        caseInsensitive: fc.boolean(),
        multiline: fc.boolean(),
        before: fc.nat(2),
        after: fc.nat(2),
        limit: fc.nat(9),
        glob: fc.constantFrom('*.ts', '!*.ts', 'src/**', '*.{md,py}'),
        fileType: fc.constantFrom('ts', 'py', 'md'),
        path: fc.constantFrom('.', 'src', 'src/a.ts', 'src/lib'),
      },
      { requiredKeys: ['pattern', 'mode'] },
    )
    await fc.assert(
      fc.asyncProperty(job, async (asked) => {
        expect(await run({ kind: 'grep', ...asked }, { search })).toEqual(
          await run({ kind: 'grep', ...asked }),
        )
      }),
      fuzzShare(0.06),
    )
  })

  it('shows the same as ripgrep itself', async () => {
    const { run, root } = await searchable()
    for (const pattern of ['foo', '^foo', 'foo$', '\\bbar\\b', '[[:upper:]]', 'b\\wr']) {
      const { stdout } = await ripgrepIn(root)([
        '-n',
        '--no-heading',
        '--hidden',
        '--sort=path',
        '-g!.git',
        '-g!node_modules',
        '--crlf',
        pattern,
        './',
      ])
      const outcome = (await run({ kind: 'grep', pattern, mode: 'content' })) as OutcomeOf<'grep'>
      const shown = outcome.matches.map(({ file, line, text }) => `./${file}:${line}:${text}`)
      const lines = stdout.split('\n').map((line) => line.replace(/\r$/, ''))
      expect(shown).toEqual(lines.filter((line) => line !== '' && !line.includes('blob.bin')))
    }
  })
})

describe('a misleading ripgrep', () => {
  it.each([
    [
      'nothing that is outside is shown',
      '../outside/secret.txt\0./../outside/secret.txt\0secret.ts\0link/a.ts\0',
    ],
    ['what is gone is passed over', './gone.txt\0./a.ts/x\0\0.\0'],
  ])('%s', async (_name, stdout) => {
    const { run } = await searchable()
    const outcome = await run(
      { kind: 'grep', pattern: '.', mode: 'content' },
      { search: async () => ({ stdout, code: 0 }) },
    )
    expect(outcome).toEqual({ kind: 'grep', matches: [], truncated: false })
  })

  it('a truncated answer is marked as truncated', async () => {
    const { run } = await searchable()
    const search = async () => ({ stdout: './a.ts\0./src/a', code: 0 })
    expect(await run({ kind: 'grep', pattern: 'bar', mode: 'files' }, { search })).toEqual({
      kind: 'grep',
      matches: [{ file: 'a.ts' }],
      truncated: true,
    })
  })

  it.each([
    ['where it does not take the pattern', async () => ({ stdout: '', code: 2 })],
    ['where it does not run', () => Promise.reject(new Error('no ripgrep'))],
  ])('%s: the gateway searches itself', async (_name, search) => {
    const { run } = await searchable()
    expect(await run({ kind: 'grep', pattern: 'foo(?=\\(b)', mode: 'files' }, { search })).toMatchObject({
      matches: [{ file: 'src/a.ts' }],
    })
  })

  it('cancellation does not wait for it', async () => {
    const { run } = await searchable()
    const stopping = new AbortController()
    const search = () => {
      setImmediate(() => stopping.abort())
      return new Promise<never>(() => undefined)
    }
    expect(
      await run({ kind: 'grep', pattern: 'foo', mode: 'files' }, { search, signal: stopping.signal }),
    ).toMatchObject({ error: expect.stringContaining('stopped') })
  })
})
