// Attempts to leave the root or to reach hidden files, with every tool. Nothing outside may be read or changed.

import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atTestEnd } from '../../../test/at-end.ts'
import type { Outcome } from '../../protocols/client-tools/job.ts'
import {
  canary,
  fingerprint,
  hiddenCanary,
  openDescriptors,
  openWorkspace,
  type Workspace,
} from './workspace.fixture.ts'

interface Escape {
  path: string | ((workspace: Workspace) => string)
  prepare?: (workspace: Workspace) => unknown
  /** An ordinary name: a file may be created under it, inside. */
  ordinary?: true
  /** Something inside that can be deleted, such as a link. */
  removable?: true
}

const link =
  (name: string, target: string | ((workspace: Workspace) => string)) => (workspace: Workspace) => {
    const to = typeof target === 'string' ? target : target(workspace)
    mkdirSync(join(workspace.root, name, '..'), { recursive: true })
    symlinkSync(to, join(workspace.root, name))
  }

const all =
  (...steps: ((workspace: Workspace) => unknown)[]) =>
  async (workspace: Workspace) => {
    for (const step of steps) await step(workspace)
  }

const chain = (length: number, end: string) => (workspace: Workspace) => {
  for (let index = 0; index < length; index++)
    symlinkSync(index + 1 === length ? end : `chain${index + 1}`, join(workspace.root, `chain${index}`))
}

const links: Record<string, Escape> = {
  'a relative link to a file': { prepare: link('l', '../outside/secret.txt'), path: 'l', removable: true },
  'an absolute link to a file': {
    prepare: link('l', ({ outside }) => join(outside, 'secret.txt')),
    path: 'l',
    removable: true,
  },
  'a relative link to a folder': { prepare: link('l', '../outside'), path: 'l/secret.txt' },
  'an absolute link to a folder': { prepare: link('l', ({ outside }) => outside), path: 'l/secret.txt' },
  'a link to a folder, itself': { prepare: link('l', '../outside'), path: 'l', removable: true },
  'a link to a folder, with a slash': { prepare: link('l', '../outside'), path: 'l/' },
  'a link to a folder, with a dot': { prepare: link('l', '../outside'), path: 'l/.' },
  'a link to a folder, and a folder in it': { prepare: link('l', '../outside'), path: 'l/folder/secret.txt' },
  'a chain of links': { prepare: chain(5, '../outside/secret.txt'), path: 'chain0', removable: true },
  'a chain of too many links': {
    prepare: chain(45, '../outside/secret.txt'),
    path: 'chain0',
    removable: true,
  },
  'a chain through folders': {
    prepare: all(link('a/b', '../c'), link('c/d', '../../outside')),
    path: 'a/b/d/secret.txt',
  },
  'a link to itself': { prepare: link('l', 'l'), path: 'l/secret.txt' },
  'two links to each other': { prepare: all(link('a', 'b'), link('b', 'a')), path: 'a/secret.txt' },
  'a link that grows': { prepare: link('l', 'l/l'), path: 'l/secret.txt' },
  'a link to the folder above': { prepare: link('l', '..'), path: 'l/outside/secret.txt' },
  'a link to the top': { prepare: link('l', '/'), path: ({ outside }) => `l${outside}/secret.txt` },
  'a link to /proc/self/root': {
    prepare: link('l', '/proc/self/root'),
    path: ({ outside }) => `l${outside}/secret.txt`,
  },
  'a link to /proc/self/cwd': { prepare: link('l', '/proc/self/cwd'), path: 'l/package.json' },
  'a link to /proc/self/environ': { prepare: link('l', '/proc/self/environ'), path: 'l', removable: true },
  'a link to /proc': { prepare: link('l', '/proc'), path: 'l/self/environ' },
  'a link to /dev/stdin': { prepare: link('l', '/dev/stdin'), path: 'l', removable: true },
  'a link to /dev/zero': { prepare: link('l', '/dev/zero'), path: 'l', removable: true },
  'a link from deep inside': { prepare: link('a/b/c', '../../../outside'), path: 'a/b/c/secret.txt' },
  'dots behind a link inside': {
    prepare: all(link('a/b/c/here', '.'), link('l', 'a/b')),
    path: 'l/../../../outside/secret.txt',
  },
  'dots within a link': { prepare: link('l', 'sub/../../outside/secret.txt'), path: 'l', removable: true },
  'a link with the root in front': {
    prepare: link('l', ({ root }) => `${root}/../outside/secret.txt`),
    path: 'l',
    removable: true,
  },
  'a link out and back in and out': {
    prepare: link('l', '../root/../outside/secret.txt'),
    path: 'l',
    removable: true,
  },
  'a link to a neighbour of the same beginning': {
    prepare: link('l', ({ root }) => `${root}-beside`),
    path: 'l/secret.txt',
  },
  'a link to a file that is not there yet': {
    prepare: link('l', '../outside/new.txt'),
    path: 'l',
    removable: true,
  },
  'a link to a folder that is not there yet': {
    prepare: link('l', '../outside/new'),
    path: 'l/deeper/new.txt',
  },
  'a link with blanks': {
    prepare: link('l', ' ../outside/secret.txt'),
    path: 'l',
    ordinary: true,
    removable: true,
  },
}

const dots: Record<string, Escape> = Object.fromEntries(
  [
    '..',
    '../',
    './..',
    '../outside/secret.txt',
    '../outside',
    './../outside/secret.txt',
    'sub/../../outside/secret.txt',
    'sub/./../..//outside/secret.txt',
    'sub//..///..//outside/secret.txt',
    'file.txt/../../outside/secret.txt',
    'missing/../../outside/secret.txt',
    '../root/file.txt',
    'Root/../file.txt',
    '../root/../outside/secret.txt',
    `${'../'.repeat(60)}etc/passwd`,
    `${'sub/../'.repeat(60)}../outside/secret.txt`,
  ].map((path) => [path, { path }]),
)

const absolute: Record<string, Escape> = {
  'an absolute path': { path: ({ outside }) => `${outside}/secret.txt` },
  'an absolute folder': { path: ({ outside }) => outside },
  'an absolute path with two slashes': { path: ({ outside }) => `/${outside}/secret.txt` },
  'an absolute path with dots': { path: ({ outside }) => `/../..${outside}/secret.txt` },
  'an absolute path with a dot': { path: ({ outside }) => `/.${outside}/secret.txt` },
  'the root and dots': { path: ({ root }) => `${root}/../outside/secret.txt` },
  'the root, slashes and dots': { path: ({ root }) => `${root}//sub/..//..//outside/secret.txt` },
  'the neighbour of the same beginning': { path: ({ root }) => `${root}-beside/secret.txt` },
  'the top': { path: '/' },
  '/etc/passwd': { path: '/etc/passwd' },
  '/proc/self/environ': { path: '/proc/self/environ' },
  '/proc/thread-self/environ': { path: '/proc/thread-self/environ' },
  '/proc/self/root': { path: ({ outside }) => `/proc/self/root${outside}/secret.txt` },
  '/proc/PID/root': { path: ({ outside }) => `/proc/${process.pid}/root${outside}/secret.txt` },
  '/proc/self/cwd': { path: '/proc/self/cwd/package.json' },
  'the descriptor of the root, and dots': {
    path: ({ confined }) => `/proc/self/fd/${confined.held.descriptor}/../outside/secret.txt`,
  },
  'a descriptor': { path: '/proc/self/fd/0' },
  '/dev/stdin': { path: '/dev/stdin' },
  '/dev/fd/0': { path: '/dev/fd/0' },
  '/dev/zero': { path: '/dev/zero' },
  'an absolute path that is not there': { path: '/no/such/place/secret.txt' },
}

const spellings: Record<string, Escape> = Object.fromEntries([
  ...[
    '..%2foutside%2fsecret.txt',
    '%2e%2e/outside/secret.txt',
    '..\\outside\\secret.txt',
    '..;/outside/secret.txt',
    '.../outside/secret.txt',
    '.. /outside/secret.txt',
    ' ../outside/secret.txt',
    '..\t/outside/secret.txt',
    '..\n/outside/secret.txt',
    '..\u2215outside\u2215secret.txt',
    '\u2025/outside/secret.txt',
    '\uff0e\uff0e/outside/secret.txt',
    '..\u200b/outside/secret.txt',
    '\u202e../outside/secret.txt',
    '~/secret.txt',
    '~root/secret.txt',
    '$HOME/secret.txt',
    `\${HOME}/secret.txt`,
    '$(cat ../outside/secret.txt)',
    '-rf',
    'file:///etc/passwd',
    'file:..',
    'C:\\secret.txt',
    '\\\\?\\etc\\passwd',
    'FILE.TXT',
    'cafe\u0301.txt',
    'file.txt ',
    'file.txt:stream',
  ].map((path) => [`${JSON.stringify(path)} is a name like any other`, { path, ordinary: true as const }]),
  ...['file.txt\0', '../outside/secret.txt\0.md', '\0', 'sub\0/../../outside'].map((path) => [
    `${JSON.stringify(path)} holds NUL`,
    { path },
  ]),
  ['half a character', { path: 'file\ud800.txt' }],
  ['a name of 256 bytes', { path: 'n'.repeat(256) }],
  ['a name of 255 bytes in 86 characters', { path: `sub/${'\u20ac'.repeat(86)}` }],
  ['a path of 5000 bytes', { path: `${'sub/'.repeat(1250)}x` }],
  ['very many dots', { path: '../'.repeat(5000) }],
  ['120 folders', { path: `${'d/'.repeat(120)}secret.txt` }],
  ['a file as a folder', { path: 'file.txt/' }],
  ['a file as a folder, with a dot', { path: 'file.txt/.' }],
  ['something in a file', { path: 'file.txt/secret.txt' }],
])

const special: Record<string, Escape> = {
  'a pipe': { prepare: ({ root }) => execFileSync('mkfifo', [join(root, 'pipe')]), path: 'pipe' },
  'a pipe behind a link': {
    prepare: all(({ root }) => execFileSync('mkfifo', [join(root, 'pipe')]), link('l', 'pipe')),
    path: 'l',
    removable: true,
  },
  'a socket': {
    prepare: async ({ root }) => {
      const server = createServer()
      await new Promise<void>((done) => server.listen(join(root, 'socket'), done))
      atTestEnd(() => new Promise((done) => server.close(done)))
    },
    path: 'socket',
  },
}

const hiddenFile = 'conf/key.txt'
const hiddenFolder = 'private'
const hiddenRoutes: Record<string, Escape> = {
  'a hidden file': { path: hiddenFile },
  'a hidden file, with dots': { path: 'sub/.././conf//key.txt' },
  'a hidden file, absolute': { path: ({ root }) => join(root, hiddenFile) },
  'a hidden file, by a link': { prepare: link('l', hiddenFile), path: 'l', removable: true },
  'a hidden file, by an absolute link': {
    prepare: link('l', ({ root }) => join(root, hiddenFile)),
    path: 'l',
    removable: true,
  },
  'a hidden file, by a link to its folder': { prepare: link('l', 'conf'), path: 'l/key.txt' },
  'a hidden file, by a hard link': {
    prepare: ({ root }) => linkSync(join(root, hiddenFile), join(root, 'other')),
    path: 'other',
  },
  'a hidden file, its folder renamed': {
    prepare: ({ root }) => renameSync(join(root, 'conf'), join(root, 'conf2')),
    path: 'conf2/key.txt',
  },
  'a hidden folder': { path: hiddenFolder },
  'a hidden folder, with a slash': { path: `${hiddenFolder}/` },
  'in a hidden folder': { path: `${hiddenFolder}/key.txt` },
  'in a hidden folder, by a link': { prepare: link('l', hiddenFolder), path: 'l/key.txt' },
  'in a hidden folder, and out again': { path: `${hiddenFolder}/../${hiddenFile}` },
  'in a hidden folder, renamed': {
    prepare: ({ root }) => renameSync(join(root, hiddenFolder), join(root, 'p2')),
    path: 'p2/key.txt',
  },
  'something new in a hidden folder': { path: `${hiddenFolder}/new.txt` },
}

const files = {
  'file.txt': 'inside\n',
  'sub/file.txt': 'inside\n',
  'caf\u00e9.txt': 'inside\n',
  [hiddenFile]: `${hiddenCanary}\n`,
  [`${hiddenFolder}/key.txt`]: `${hiddenCanary}\n`,
}

const shows = (outcome: Outcome) => JSON.stringify(outcome)
const isRefused = (outcome: Outcome) => outcome.kind === 'failed'

async function tryEscape({ path: place, prepare, ordinary, removable }: Escape): Promise<void> {
  const workspace = await openWorkspace(files, { hidden: [hiddenFile, hiddenFolder] })
  await prepare?.(workspace)
  const path = typeof place === 'string' ? place : place(workspace)
  const before = fingerprint(workspace.outside)
  const { run, root, base, outside } = workspace

  const looks = [
    await run({ kind: 'read', path }),
    await run({ kind: 'list', path }),
    await run({ kind: 'glob', path, pattern: '**' }),
    await run({ kind: 'grep', path, pattern: '.', mode: 'content' }),
  ]
  expect(looks.map(isRefused)).toEqual([true, true, true, true])
  const around = [
    await run({ kind: 'list', path: '.' }),
    await run({ kind: 'glob', pattern: '**' }),
    await run({ kind: 'grep', pattern: '.', mode: 'content' }),
  ]
  const written = await run({ kind: 'write', path, content: 'written' })
  expect(isRefused(written)).toBe(!ordinary)
  if (ordinary)
    expect(await run({ kind: 'read', path })).toMatchObject({ content: 'written', complete: true })
  const deleted = await run({ kind: 'delete', path })
  expect(isRefused(deleted)).toBe(!removable && !ordinary)

  const said = [...looks, ...around, deleted, written].map(shows).join('\n')
  expect(said).not.toContain(canary)
  expect(said).not.toContain(hiddenCanary)
  expect(said).not.toContain('root:x:')
  expect(said).not.toContain('PATH=')
  // No message reveals outside paths, unless the model wrote them.
  if (!path.includes(outside)) expect(said.replaceAll(root, '')).not.toContain(base)
  expect(fingerprint(outside)).toBe(before)
  expect(openDescriptors(root)).toBe(1)
}

const tables = { links, dots, absolute, spellings, special, hiddenRoutes }

describe.each(Object.entries(tables))('%s', (_table, escapes) => {
  it.each(Object.entries(escapes))('%s', (_name, way) => tryEscape(way))
})

it('has enough cases', () => {
  expect(Object.values(tables).flatMap((table) => Object.keys(table)).length).toBeGreaterThanOrEqual(60)
})

it('does not open a device', async ({ skip }) => {
  const workspace = await openWorkspace(files)
  try {
    execFileSync('mknod', [join(workspace.root, 'zero'), 'c', '1', '5'], { stdio: 'ignore' })
  } catch {
    skip('only root may make devices')
  }
  for (const kind of ['read', 'list', 'delete'] as const)
    expect(await workspace.run({ kind, path: 'zero' })).toMatchObject({ kind: 'failed' })
  expect(await workspace.run({ kind: 'write', path: 'zero', content: 'x' })).toMatchObject({ denied: true })
  expect(await workspace.run({ kind: 'grep', path: 'zero', pattern: 'x', mode: 'files' })).toMatchObject({
    denied: true,
  })
})

it.each(['../**', '/etc/*', '{..,sub}/outside/*', '**/../../outside/*', '..'])(
  'the glob %s finds nothing outside',
  async (pattern) => {
    const { run } = await openWorkspace(files)
    const outcomes = [
      await run({ kind: 'glob', pattern }),
      await run({ kind: 'grep', pattern: '.', glob: pattern, mode: 'content' }),
    ]
    expect(outcomes.map(shows).join()).not.toMatch(new RegExp(`${canary}|secret|passwd`))
  },
)

it('does not name hidden files', async () => {
  const { run } = await openWorkspace(files, { hidden: [hiddenFile, hiddenFolder] })
  const outcomes = [
    await run({ kind: 'list', path: '.' }),
    await run({ kind: 'list', path: 'conf' }),
    await run({ kind: 'glob', pattern: '**' }),
    await run({ kind: 'glob', pattern: '**', path: 'conf' }),
    await run({ kind: 'grep', pattern: '', mode: 'files' }),
  ]
  expect(outcomes.map(shows).join()).not.toMatch(/key|private/)
})
