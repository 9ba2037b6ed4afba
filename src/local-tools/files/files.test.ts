// Read, write, delete and list in ordinary use: exact contents, and helpful errors.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { fuzzShare } from '../../../test/fuzz/settings.ts'
import { ConfinedRoot } from './confined-root.ts'
import { openDescriptors, openWorkspace, put } from './workspace.fixture.ts'

const failed = (error: string | RegExp) => ({
  kind: 'failed',
  error: expect.stringMatching(error),
})

describe('open', () => {
  it.each([
    ['/', 'must not be "/"'],
    ['/usr/..', 'must not be "/"'],
    ['/no/such/folder', 'ENOENT'],
    ['/etc/passwd', 'not a folder'],
    ['/proc/self', 'on a kernel file system'],
    ['', 'no usable name'],
    ['a\0b', 'no usable name'],
  ])('refuses %j', async (path, problem) => {
    await expect(ConfinedRoot.open(path)).rejects.toThrow(problem)
  })

  it('refuses other systems', async () => {
    const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
    await expect(ConfinedRoot.open('/tmp').finally(() => platform.mockRestore())).rejects.toThrow(
      'Linux only',
    )
  })

  it('refuses a root inside a hidden folder', async () => {
    const { root, base } = await openWorkspace()
    await expect(ConfinedRoot.open(root, { hidden: [base] })).rejects.toThrow('own files')
  })

  it('accepts a link, and paths by either name', async () => {
    const { root, base } = await openWorkspace({ 'a.txt': 'a' })
    symlinkSync(root, join(base, 'alias'))
    const confined = await ConfinedRoot.open(join(base, 'alias'))
    expect(confined.path).toBe(root)
    await confined.close()
  })

  it('refuses jobs after close, and waits for running ones', async () => {
    const { confined, root, run } = await openWorkspace({ 'a.txt': `${'x\n'.repeat(2_000_000)}` })
    const running = run({ kind: 'read', path: 'a.txt', offset: -1 })
    const closed = confined.close()
    expect(await running).toMatchObject({ kind: 'read', content: 'x\n' })
    await closed
    expect(await run({ kind: 'read', path: 'a.txt' })).toEqual(failed('shut down'))
    expect(openDescriptors(root)).toBe(0)
  })
})

describe('read', () => {
  const five = 'one\ntwo\nthree\nfour\nfive\n'

  it.each([
    [{}, { content: five, complete: true, totalLines: 5 }],
    [{ offset: 0 }, { content: five, complete: true, totalLines: 5 }],
    [
      { offset: 1, limit: 0 },
      { content: five, complete: true, totalLines: 5 },
    ],
    [{ offset: 2 }, { content: 'two\nthree\nfour\nfive\n', complete: false, totalLines: 5 }],
    [
      { offset: 2, limit: 2 },
      { content: 'two\nthree\n', complete: false, totalLines: 5 },
    ],
    [{ limit: 2 }, { content: 'one\ntwo\n', complete: false, totalLines: 5 }],
    [{ limit: 5 }, { content: five, complete: true, totalLines: 5 }],
    [{ limit: 500 }, { content: five, complete: true, totalLines: 5 }],
    [{ offset: -2 }, { content: 'four\nfive\n', complete: false, totalLines: 5 }],
    [
      { offset: -4, limit: 2 },
      { content: 'two\nthree\n', complete: false, totalLines: 5 },
    ],
    [{ offset: -50 }, { content: five, complete: true, totalLines: 5 }],
  ])('%j', async (part, expected) => {
    const { run } = await openWorkspace({ 'a.txt': five })
    expect(await run({ kind: 'read', path: 'a.txt', ...part })).toEqual({ kind: 'read', ...expected })
  })

  it.each([
    ['', 0],
    ['no end', 1],
    ['\n', 1],
    ['a\r\nb\r\n', 2],
    ['\uFEFFmark\n', 1],
    ['a\n\n\nb', 4],
    ['\u{1F600}\u2028\u0085x', 1],
  ])('reads %j unchanged', async (content, totalLines) => {
    const { run } = await openWorkspace({ 'a.txt': content })
    expect(await run({ kind: 'read', path: 'a.txt' })).toEqual({
      kind: 'read',
      content,
      complete: true,
      totalLines,
    })
  })

  it('names the existing lines', async () => {
    const { run } = await openWorkspace({ 'a.txt': five })
    expect(await run({ kind: 'read', path: 'a.txt', offset: 6 })).toEqual(failed('has 5 lines'))
  })

  it('cuts at a line end, visibly, and can continue from there', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`)
    const { run } = await openWorkspace({ 'a.txt': lines.join('') })
    const first = await run({ kind: 'read', path: 'a.txt' }, { outputBytes: 100 })
    expect(first).toMatchObject({ complete: false, totalLines: 100 })
    const { content } = first as { content: string }
    expect(content).toBe(
      `${lines.slice(0, 13).join('')}[Cut here: lines 1 to 13 of 100 are shown, as 100 bytes are shown at once. Go on with offset 14.]`,
    )
    const next = await run({ kind: 'read', path: 'a.txt', offset: 14, limit: 5 }, { outputBytes: 100 })
    expect(next).toMatchObject({ content: lines.slice(13, 18).join('') })
  })

  it('cuts a long line after a whole character', async () => {
    const { run } = await openWorkspace({ 'a.txt': '\u20ac'.repeat(100) })
    const outcome = await run({ kind: 'read', path: 'a.txt' }, { outputBytes: 100 })
    expect(outcome).toMatchObject({
      content: expect.stringMatching(/^\u20ac{33}\n\[Cut here: line 1 is longer/),
      complete: false,
    })
  })

  it('never calls bytes complete that are not text', async () => {
    const { run, root } = await openWorkspace()
    writeFileSync(join(root, 'latin1.txt'), Buffer.from('caf\xe9\n', 'latin1'))
    expect(await run({ kind: 'read', path: 'latin1.txt' })).toMatchObject({
      content: 'caf\uFFFD\n',
      complete: false,
    })
    expect(await run({ kind: 'read', path: 'latin1.txt', limit: 1 })).toMatchObject({ complete: false })
  })

  it('reports binary files, folders and missing files', async () => {
    const { run, root } = await openWorkspace({ 'src/a.txt': 'a' })
    writeFileSync(join(root, 'a.bin'), Buffer.from([1, 2, 0, 3]))
    expect(await run({ kind: 'read', path: 'a.bin' })).toEqual(failed('binary'))
    expect(await run({ kind: 'read', path: 'src' })).toEqual(failed('is a folder. List it'))
    expect(await run({ kind: 'read', path: 'src/b.txt' })).toMatchObject({ notFound: true })
    expect(await run({ kind: 'read', path: 'src/b/c.txt' })).toMatchObject({ notFound: true })
  })

  it('does not read a file without an end', async () => {
    const { run, root } = await openWorkspace({ huge: 'text\n'.repeat(2000) })
    truncateSync(join(root, 'huge'), 2 ** 40)
    const outcome = await run({ kind: 'read', path: 'huge', limit: 2 })
    expect(outcome).toEqual({ kind: 'read', content: 'text\ntext\n', complete: false })
    expect(await run({ kind: 'read', path: 'huge', offset: -1 })).toEqual(failed('too large to count'))
  })
})

describe('write', () => {
  it('creates folders, replaces the whole file, and leaves no other files', async () => {
    const { run, root } = await openWorkspace()
    expect(await run({ kind: 'write', path: 'a/b/c.txt', content: 'long content' })).toEqual({
      kind: 'write',
    })
    expect(await run({ kind: 'write', path: 'a/b/c.txt', content: 'short' })).toEqual({ kind: 'write' })
    expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('short')
    expect(readdirSync(join(root, 'a/b'))).toEqual(['c.txt'])
    expect(statSync(join(root, 'a/b/c.txt')).mode & 0o777).toBe(0o666 & ~process.umask())
  })

  it.each([0o600, 0o755, 0o640])('keeps the mode %o', async (mode) => {
    const { run, root } = await openWorkspace({ 'a.sh': '' })
    chmodSync(join(root, 'a.sh'), mode)
    await run({ kind: 'write', path: 'a.sh', content: 'x' })
    expect(statSync(join(root, 'a.sh')).mode & 0o777).toBe(mode)
  })

  it('writes to the target of a link, even a missing one', async () => {
    const { run, root } = await openWorkspace({ 'real.txt': 'old' })
    symlinkSync('real.txt', join(root, 'link'))
    symlinkSync('sub/new.txt', join(root, 'wish'))
    await run({ kind: 'write', path: 'link', content: 'new' })
    await run({ kind: 'write', path: 'wish', content: 'wished' })
    expect(readFileSync(join(root, 'real.txt'), 'utf8')).toBe('new')
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(root, 'sub/new.txt'), 'utf8')).toBe('wished')
  })

  it.each(['src', 'src/', 'new/', '', '.', '/'])('does not write over the folder %j', async (path) => {
    const { run, root } = await openWorkspace({ 'src/a.txt': 'a' })
    expect(await run({ kind: 'write', path, content: 'x' })).toMatchObject({ kind: 'failed' })
    expect(readdirSync(root)).toEqual(['src'])
  })

  it('refuses half a surrogate pair', async () => {
    const { run } = await openWorkspace()
    expect(await run({ kind: 'write', path: 'a', content: 'x\ud800' })).toEqual(failed('surrogate'))
  })

  it('leaves no files after a failure', async () => {
    const { run, root } = await openWorkspace({ 'a.txt': 'a' })
    const aborted = AbortSignal.abort()
    expect(await run({ kind: 'write', path: 'a.txt', content: 'x' }, { signal: aborted })).toEqual(
      failed('stopped'),
    )
    expect(readdirSync(root)).toEqual(['a.txt'])
  })
})

describe("git's own files", () => {
  const paths = [
    '.git/hooks/pre-commit',
    '.git/hooks/new/deep',
    '.git/config',
    'sub/.git/config',
    '.git/modules/x/hooks/post-checkout',
    '.git/commondir',
    '.GIT/config',
    'hooks/pre-commit',
    'new/.git',
    '.git',
  ]

  it.each(paths)('%s is neither written nor deleted', async (path) => {
    const { run, root } = await openWorkspace({
      '.git/config': 'theirs',
      '.git/hooks/pre-commit': 'theirs',
      'sub/a.txt': '',
    })
    symlinkSync('.git/hooks', join(root, 'hooks'))
    expect(await run({ kind: 'write', path, content: 'evil' })).toMatchObject({ kind: 'failed' })
    expect(await run({ kind: 'delete', path })).toMatchObject({ kind: 'failed' })
    expect(readFileSync(join(root, '.git/hooks/pre-commit'), 'utf8')).toBe('theirs')
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe('theirs')
    expect(existsSync(join(root, 'new'))).toBe(false)
    expect(readdirSync(join(root, '.git/hooks'))).toEqual(['pre-commit'])
  })

  it('can be read, and similar names are allowed', async () => {
    const { run } = await openWorkspace({ '.git/config': 'theirs' })
    expect(await run({ kind: 'read', path: '.git/config' })).toMatchObject({ content: 'theirs' })
    for (const path of ['.gitignore', '.github/config', 'git/hooks/x'])
      expect(await run({ kind: 'write', path, content: 'x' })).toEqual({ kind: 'write' })
  })
})

describe('delete', () => {
  it('deletes files and links, but no folders and no targets of links', async () => {
    const { run, root } = await openWorkspace({ 'a.txt': 'a', 'b.txt': 'b', 'src/c.txt': 'c' })
    symlinkSync('b.txt', join(root, 'link'))
    symlinkSync('nowhere', join(root, 'dangling'))
    symlinkSync('src', join(root, 'folder-link'))
    for (const path of ['a.txt', 'link', 'dangling', 'folder-link'])
      expect(await run({ kind: 'delete', path })).toEqual({ kind: 'delete' })
    expect(readdirSync(root).sort()).toEqual(['b.txt', 'src'])
    expect(await run({ kind: 'delete', path: 'src' })).toEqual(failed('is a folder'))
    expect(await run({ kind: 'delete', path: 'a.txt' })).toMatchObject({ notFound: true })
    expect(await run({ kind: 'delete', path: '.' })).toEqual(failed('is a folder'))
  })
})

describe('list', () => {
  it('shows one level, sorted, with folders marked', async () => {
    const { run, root } = await openWorkspace({ 'b.txt': '', 'src/c.txt': '', '.env': '', 'a.txt': '' })
    symlinkSync('src', join(root, 'to-src'))
    symlinkSync('../outside', join(root, 'to-outside'))
    symlinkSync('nowhere', join(root, 'to-nowhere'))
    const file = (path: string) => ({ path, directory: false })
    const folder = (path: string) => ({ path, directory: true })
    expect(await run({ kind: 'list', path: '.' })).toEqual({
      kind: 'list',
      truncated: false,
      entries: [
        file('.env'),
        file('a.txt'),
        file('b.txt'),
        folder('src'),
        file('to-nowhere'),
        file('to-outside'),
        folder('to-src'),
      ],
    })
    expect(await run({ kind: 'list', path: 'to-src' })).toMatchObject({ entries: [file('c.txt')] })
    expect(await run({ kind: 'list', path: 'a.txt' })).toEqual(failed('a folder that is none'))
    expect(await run({ kind: 'list', path: 'x' })).toMatchObject({ notFound: true })
  })

  it('leaves out ignored entries', async () => {
    const { run } = await openWorkspace({ 'a.log': '', 'a.ts': '', 'node_modules/x/y': '', 'dist/a.js': '' })
    expect(
      await run({ kind: 'list', path: '', ignore: ['*.log', '**/node_modules/**', 'dist/'] }),
    ).toMatchObject({ entries: [{ path: 'a.ts' }], truncated: false })
  })

  it('reports truncation', async () => {
    const { run, root } = await openWorkspace()
    mkdirSync(join(root, 'many'))
    for (let count = 0; count < 30; count++) writeFileSync(join(root, `many/f${count}`), '')
    const few = await run({ kind: 'list', path: 'many' }, { maxEntries: 10 })
    expect(few).toMatchObject({ truncated: true, entries: { length: 10 } })
    const short = await run({ kind: 'list', path: 'many' }, { outputBytes: 20 })
    expect(short).toMatchObject({ truncated: true })
  })
})

describe('any content', () => {
  it('is read as written', async () => {
    const { run } = await openWorkspace()
    const codePoint = fc.nat(0x10ffff).filter((point) => point < 0xd800 || point > 0xdfff)
    const content = fc.oneof(
      fc.array(codePoint).map((points) => String.fromCodePoint(...points)),
      fc.string({
        unit: fc.constantFrom('a', '\n', '\r', '\r\n', '\uFEFF', '\uFFFD', '\u20ac', '\u{1F600}', ' '),
      }),
    )
    await fc.assert(
      fc.asyncProperty(content, async (text) => {
        expect(await run({ kind: 'write', path: 'x/y.txt', content: text })).toEqual({ kind: 'write' })
        const outcome = await run({ kind: 'read', path: 'x/y.txt' })
        if (text.slice(0, 8192).includes('\0')) expect(outcome).toEqual(failed('binary'))
        else expect(outcome).toMatchObject({ content: text, complete: true })
      }),
      fuzzShare(0.3),
    )
  })

  it('has the lines of a plain split', async () => {
    const { run } = await openWorkspace()
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '\u20ac'), maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: -9, max: 9 }),
        fc.integer({ min: 0, max: 9 }),
        async (content, offset, limit) => {
          await run({ kind: 'write', path: 'a.txt', content })
          const lines = content.match(/[^\n]*\n|[^\n]+$/g) ?? []
          const from = offset < 0 ? Math.max(0, lines.length + offset) : Math.max(0, offset - 1)
          const outcome = await run({ kind: 'read', path: 'a.txt', offset, limit })
          if (from >= Math.max(1, lines.length)) expect(outcome).toEqual(failed('so there is no line'))
          else
            expect(outcome).toMatchObject({
              content: lines.slice(from, limit === 0 ? undefined : from + limit).join(''),
              totalLines: lines.length,
            })
        },
      ),
      fuzzShare(0.3),
    )
  })
})

it('holds no descriptor after success, cancellation or refusal', async () => {
  const { run, root } = await openWorkspace({ 'a/b/c.txt': 'x', 'a/b/d.txt': 'x' })
  put(join(root, 'a/e.txt'), 'x')
  symlinkSync('loop', join(root, 'loop'))
  const stopping = new AbortController()
  const pending = [
    run({ kind: 'grep', pattern: 'x', mode: 'content' }, { signal: stopping.signal }),
    run({ kind: 'glob', pattern: '**' }, { signal: stopping.signal }),
  ]
  stopping.abort()
  await Promise.all(pending)
  for (const path of ['a/b/c.txt', 'a/b', 'a/b/../../..', 'loop/x', 'a/b/c.txt/x', 'a/none/x', 'a\0'])
    for (const job of [
      { kind: 'read', path },
      { kind: 'write', path: `${path}/x`, content: 'x' },
      { kind: 'delete', path },
      { kind: 'list', path },
      { kind: 'glob', path, pattern: '**' },
      { kind: 'grep', path, pattern: 'x', mode: 'content', limit: 1 },
      { kind: 'grep', path, pattern: '(', mode: 'content' },
    ] as const)
      await run(job)
  expect(openDescriptors(root)).toBe(1)
})
