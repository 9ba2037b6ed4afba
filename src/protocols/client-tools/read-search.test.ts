import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { claudeCode, cline, demos, earlierOpenCode, openCode, qwenCode } from './clients.fixture.ts'
import type { Job } from './job.ts'
import { redirect } from './redirect.ts'

function reads(tools: readonly Tool[], job: Job, text: string, isError = false) {
  return redirect(job, tools, { workspace: '/w' })?.read({ text, isError })
}

describe('directories', () => {
  const list: Job = { kind: 'list', path: '/w' }
  const entries = [
    { path: 'a.ts', directory: false },
    { path: 'sub', directory: true },
  ]
  it('of OpenCode', () => {
    const shown = (body: string) => `<path>/w</path>\n<type>directory</type>\n<entries>\n${body}\n</entries>`
    expect(reads(openCode, list, shown('a.ts\nsub/\n\n(2 entries)'))).toEqual({
      kind: 'list',
      entries,
      truncated: false,
    })
    expect(reads(openCode, list, shown('\n\n(0 entries)'))).toMatchObject({ entries: [] })
    expect(
      reads(openCode, list, shown('a.ts\nsub/\n\n(Showing 2 of 9 entries. Use offset=3 to continue.)')),
    ).toEqual({
      kind: 'list',
      entries,
      truncated: true,
    })
    const tree = '/w/\n  sub/\n    deep/\n      b.ts\n    c.ts\n  a.ts\n'
    expect(reads(earlierOpenCode, list, tree)).toMatchObject({
      entries: [
        { path: 'sub', directory: true },
        { path: 'sub/deep', directory: true },
        { path: 'sub/deep/b.ts', directory: false },
        { path: 'sub/c.ts', directory: false },
        { path: 'a.ts', directory: false },
      ],
    })
  })

  it('of Qwen Code, Cline, and a shell', () => {
    const qwen = 'Listed 2 item(s) in /w:\n---\n[DIR] sub\na.ts\n\n(2 git-ignored)'
    expect(reads(qwenCode, list, qwen)).toMatchObject({ entries: [entries[1], entries[0]], truncated: false })
    expect(reads(qwenCode, list, 'Directory /w is empty.')).toMatchObject({ entries: [] })
    expect(
      reads(qwenCode, list, 'Listed 9 item(s) in /w:\n---\na.ts\n---\n[8 items truncated] ...'),
    ).toMatchObject({
      entries: [entries[0]],
      truncated: true,
    })
    expect(
      reads(qwenCode, list, "Error listing directory: ENOENT: no such file or directory, stat '/w'"),
    ).toMatchObject({
      kind: 'failed',
      notFound: true,
    })
    expect(
      reads(cline, list, 'a.ts\nsub/\n\n(File list truncated. Use list_files on specific subdirectories.)'),
    ).toMatchObject({ entries, truncated: true })
    expect(reads(claudeCode, list, 'a.ts\nsub/\nexit 0')).toEqual({ kind: 'list', entries, truncated: false })
    expect(
      reads(claudeCode, list, "ls: cannot access '/w/': No such file or directory\nexit 2"),
    ).toMatchObject({
      kind: 'failed',
      notFound: true,
    })
    expect(reads(claudeCode, list, 'a.ts\nsub/')).toMatchObject({ truncated: true })
  })

  it('of custom programs, without ignored entries', () => {
    expect(reads(demos, list, '["a.ts","sub/"]')).toMatchObject({ entries })
    expect(reads(demos, list, '{"files":[{"name":"a.ts"},{"name":"sub","type":"directory"}]}')).toMatchObject(
      { entries },
    )
    expect(reads(demos, { ...list, ignore: ['*.ts'] } as Job, '/w/a.ts\n/w/sub/')).toMatchObject({
      entries: [entries[1]],
    })
  })
})

describe('names', () => {
  const glob: Job = { kind: 'glob', pattern: '*.ts', path: '/w' }
  it('are lines, with any text around them', () => {
    for (const text of [
      '/w/a.ts\n/w/b.ts',
      'Found 2 file(s) matching "*.ts" within /w, sorted by modification time (newest first):\n---\n/w/a.ts\n/w/b.ts',
    ])
      expect(reads(qwenCode, glob, text)).toEqual({
        kind: 'glob',
        files: ['/w/a.ts', '/w/b.ts'],
        truncated: false,
      })
    for (const text of [
      '/w/a.ts\n\n(Results are truncated: showing first 100 results. Consider using a more specific path or pattern.)',
      '/w/a.ts\n(Showing 100 of 166 matching files; 66 more are not listed. Narrow the pattern or path to see the rest.)',
      '/w/a.ts\n---\n[68 files truncated] ...',
    ])
      expect(reads(qwenCode, glob, text)).toEqual({ kind: 'glob', files: ['/w/a.ts'], truncated: true })
    for (const text of ['No files found', 'No files found matching pattern "*.ts" within /w'])
      expect(reads(qwenCode, glob, text)).toEqual({ kind: 'glob', files: [], truncated: false })
    for (const text of ['NotFound.tsx\nb.ts', 'Invalid.ts\nb.ts', 'Cannot.ts\nb.ts'])
      expect(reads(qwenCode, glob, text)).toMatchObject({ kind: 'glob' })
    expect(reads(qwenCode, glob, 'Path does not exist: /w')).toMatchObject({ kind: 'failed', notFound: true })
  })

  it('found by a shell are filtered by the gateway', () => {
    const bash = demos.filter(({ name }) => name === 'bash')
    const deep: Job = { kind: 'glob', pattern: 'src/**/*.{ts,js}', path: '/w' }
    expect(reads(bash, deep, './src/a.ts\n./src/x/b.js\n./c.ts\nexit 0')).toEqual({
      kind: 'glob',
      files: ['/w/src/a.ts', '/w/src/x/b.js'],
      truncated: false,
    })
    expect(reads(bash, deep, 'exit 1')).toMatchObject({ kind: 'glob', files: [] })
    expect(reads(bash, deep, 'sh: cd: /w: No such file or directory\nexit 2')).toMatchObject({
      kind: 'failed',
    })
  })
})

describe('matches', () => {
  const grep: Job = { kind: 'grep', pattern: 'foo', mode: 'content' }
  const two = [
    { file: '/w/g.txt', line: 2, text: 'foo one' },
    { file: '/w/g.txt', line: 4, text: 'foo: two:3:x' },
  ]
  const openCodeText = 'Found 2 matches\n/w/g.txt:\n  Line 2: foo one\n\n  Line 4: foo: two:3:x\n'

  it('of OpenCode in every mode', () => {
    expect(reads(openCode, grep, openCodeText)).toEqual({ kind: 'grep', matches: two, truncated: false })
    expect(reads(openCode, { ...grep, mode: 'files' } as Job, openCodeText)).toMatchObject({
      matches: [{ file: '/w/g.txt' }],
    })
    expect(reads(openCode, { ...grep, mode: 'count' } as Job, openCodeText)).toMatchObject({
      matches: [{ file: '/w/g.txt', count: 2 }],
    })
    expect(reads(openCode, { ...grep, limit: 1 } as Job, openCodeText)).toMatchObject({
      matches: [two[0]],
      truncated: true,
    })
    const more = `Found 100 matches (more matches available)\n${openCodeText.slice(16)}\n(Results truncated. Consider using a more specific path or pattern.)`
    expect(reads(openCode, grep, more)).toEqual({ kind: 'grep', matches: two, truncated: true })
    expect(reads(openCode, grep, 'No files found')).toEqual({ kind: 'grep', matches: [], truncated: false })
    expect(reads(openCode, grep, 'ripgrep execution failed')).toMatchObject({ kind: 'failed' })
    expect(reads(openCode, { ...grep, path: '/w/sub' } as Job, openCodeText)).toMatchObject({ matches: [] })
  })

  it('of Claude Code in the requested mode', () => {
    const lines = 'a-1-b.ts-1-before\na-1-b.ts:2:foo\n--\nc.ts:9:foo'
    expect(reads(claudeCode, { ...grep, before: 1 } as Job, lines)).toEqual({
      kind: 'grep',
      matches: [
        { file: 'a-1-b.ts', line: 1, text: 'before', context: true },
        { file: 'a-1-b.ts', line: 2, text: 'foo' },
        { file: 'c.ts', line: 9, text: 'foo' },
      ],
      truncated: false,
    })
    const counts = 'a.ts:3\nb.ts:1\n\nFound 4 total occurrences across 2 files.'
    expect(reads(claudeCode, { ...grep, mode: 'count' } as Job, counts)).toEqual({
      kind: 'grep',
      matches: [
        { file: 'a.ts', count: 3 },
        { file: 'b.ts', count: 1 },
      ],
      truncated: false,
    })
    expect(reads(claudeCode, { ...grep, mode: 'files' } as Job, 'Found 2 files\na.ts\nb.ts')).toMatchObject({
      matches: [{ file: 'a.ts' }, { file: 'b.ts' }],
    })
    expect(
      reads(claudeCode, { ...grep, path: '/w/g.txt' } as Job, '2:foo one\n4:foo: two:3:x'),
    ).toMatchObject({
      matches: two,
    })
    expect(
      reads(claudeCode, grep, 'a:1:foo\n\n[Showing results with pagination = limit: 250]'),
    ).toMatchObject({
      truncated: true,
    })
  })

  it('in files whose names begin with a number, and in long lines', () => {
    const search: Job = { kind: 'grep', pattern: 'x', mode: 'content', before: 1 }
    expect(reads(claudeCode, search, '2024-01-02.md-4-a\n2024-01-02.md:5:x')).toMatchObject({
      matches: [
        { file: '2024-01-02.md', line: 4, context: true },
        { file: '2024-01-02.md', line: 5 },
      ],
    })
    const dates = '2024-01-02,'.repeat(100_000)
    expect(reads(claudeCode, search, `a.ts:1:x\nb.ts-2-${dates}`)).toMatchObject({
      matches: [{ file: 'a.ts' }],
      truncated: true,
    })
  })

  it('are not filtered by a pattern that may take long', () => {
    const found = `File: b.ts\nL3: ${'a'.repeat(60)}`
    for (const pattern of [`${'a?'.repeat(60)}${'a'.repeat(60)}b`, `${'(a|a)'.repeat(60)}b`])
      expect(reads(qwenCode, { kind: 'grep', pattern, mode: 'content' }, found)).toMatchObject({
        matches: [{ file: 'b.ts', line: 3 }],
      })
  })

  it('of Qwen Code, which ignores case', () => {
    const head = 'Found 2 matches for pattern "foo" in the workspace directory:\n---\n'
    const grouped = `${head}File: /w/g.txt\nL2: foo one\nL3: FOO\nL4: foo: two:3:x\n---`
    expect(reads(qwenCode, grep, grouped)).toEqual({ kind: 'grep', matches: two, truncated: false })
    const lines = `${head}/w/g.txt:2:foo one\n/w/g.txt:4:foo: two:3:x\n---\n[150 lines truncated] ...`
    expect(reads(qwenCode, grep, lines)).toEqual({ kind: 'grep', matches: two, truncated: true })
    expect(reads(qwenCode, grep, `${head}/w/g.txt:2:foo one`)).toEqual({
      kind: 'grep',
      matches: [two[0]],
      truncated: false,
    })
    expect(reads(qwenCode, grep, `${head}File: a\nL1- before\nL2: foo\n---`)).toMatchObject({
      matches: [{ line: 1, text: 'before', context: true }, { line: 2 }],
    })
    expect(reads(qwenCode, { ...grep, caseInsensitive: true } as Job, grouped)).toMatchObject({
      matches: { length: 3 },
    })
  })

  it('of Roo Code, a shell, and unknown shapes', () => {
    const roo = 'Found 1 result.\n\n# /w/g.txt\n  2 | foo one\n----\n'
    expect(reads(cline, { ...grep, path: '/w' } as Job, roo)).toMatchObject({ matches: [two[0]] })
    const bash = demos.filter(({ name }) => name === 'bash')
    expect(reads(bash, grep, '/w/g.txt:2:foo one\n/w/g.txt:4:foo: two:3:x\nexit 0')).toEqual({
      kind: 'grep',
      matches: two,
      truncated: false,
    })
    expect(reads(bash, grep, '')).toMatchObject({ kind: 'failed' })
    expect(reads(bash, grep, 'exit 1')).toEqual({ kind: 'grep', matches: [], truncated: false })
    expect(reads(bash, grep, 'regex parse error: unclosed group\nexit 2')).toMatchObject({ kind: 'failed' })
    expect(reads(demos, grep, 'it is everywhere')).toEqual({
      kind: 'grep',
      matches: [{ file: '.', text: 'it is everywhere' }],
      truncated: true,
    })
  })
})
