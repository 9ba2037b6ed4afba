// The confined root: every name for a file inside works, a moved root stops all tools, and no path of hostile parts leads outside.

import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzzShare } from '../../../test/fuzz/settings.ts'
import {
  canary,
  fingerprint,
  hiddenCanary,
  openDescriptors,
  openWorkspace,
  type Workspace,
} from './workspace.fixture.ts'

const hiddenFile = 'conf/key.txt'
const hiddenFolder = 'private'
const files = {
  'file.txt': 'inside\n',
  'sub/file.txt': 'inside\n',
  'caf\u00e9.txt': 'inside\n',
  [hiddenFile]: `${hiddenCanary}\n`,
  [`${hiddenFolder}/key.txt`]: `${hiddenCanary}\n`,
}

describe('paths that lead inside work under any name', () => {
  it.each<[string, (workspace: Workspace) => string]>([
    ['an absolute path', ({ root }) => `${root}/file.txt`],
    ['an absolute path with slashes and dots', ({ root }) => `/${root}//./sub/../file.txt`],
    ['an absolute path through /proc', ({ root }) => `/proc/self/root${root}/file.txt`],
    ['a path through a link outside', ({ outside }) => `${outside}/way-in/file.txt`],
    ['a path through a link outside to a folder', ({ outside }) => `${outside}/way-in-sub/../file.txt`],
    ['a link inside', () => 'inner'],
    ['an absolute link inside', () => 'absolute'],
    ['a link inside that takes a way round', () => 'round'],
  ])('%s', async (_name, path) => {
    const workspace = await openWorkspace(files)
    const { root, outside, run } = workspace
    symlinkSync(root, join(outside, 'way-in'))
    symlinkSync(join(root, 'sub'), join(outside, 'way-in-sub'))
    symlinkSync('sub/../file.txt', join(root, 'inner'))
    symlinkSync(join(root, 'file.txt'), join(root, 'absolute'))
    symlinkSync(join(outside, 'way-in/file.txt'), join(root, 'round'))
    expect(await run({ kind: 'read', path: path(workspace) })).toMatchObject({ content: 'inside\n' })
    expect(await run({ kind: 'write', path: path(workspace), content: 'new' })).toEqual({ kind: 'write' })
    expect(await run({ kind: 'read', path: 'file.txt' })).toMatchObject({ content: 'new' })
  })
})

describe('the root itself', () => {
  const jobs = [
    { kind: 'read', path: 'secret.txt' },
    { kind: 'write', path: 'new.txt', content: 'x' },
    { kind: 'delete', path: 'secret.txt' },
    { kind: 'list', path: '.' },
    { kind: 'glob', pattern: '**' },
    { kind: 'grep', pattern: '.', mode: 'content' },
  ] as const

  it.each<[string, (workspace: Workspace) => void]>([
    ['is renamed', ({ root, base }) => renameSync(root, join(base, 'elsewhere'))],
    [
      'is replaced by a link to outside',
      ({ root, base, outside }) => {
        renameSync(root, join(base, 'elsewhere'))
        symlinkSync(outside, root)
      },
    ],
    [
      'is replaced by another folder',
      ({ root, base, outside }) => {
        renameSync(root, join(base, 'elsewhere'))
        renameSync(outside, root)
      },
    ],
    ['is deleted', ({ root }) => rmSync(root, { recursive: true })],
  ])('%s', async (_name, change) => {
    const workspace = await openWorkspace(files)
    change(workspace)
    const before = fingerprint(workspace.base)
    for (const job of jobs)
      expect(await workspace.run(job)).toMatchObject({
        kind: 'failed',
        error: expect.stringContaining('moved or deleted'),
      })
    expect(fingerprint(workspace.base)).toBe(before)
  })
})

it('no path of hostile parts leads outside', async () => {
  const workspace = await openWorkspace(files, { hidden: [hiddenFile, hiddenFolder] })
  const { root, outside, run } = workspace
  const targets = [
    '..',
    '.',
    '/',
    outside,
    `${outside}/secret.txt`,
    `${root}/..`,
    'sub',
    'conf',
    '/proc/self/root',
    '/proc/self/cwd',
  ]
  for (const [index, target] of targets.entries()) symlinkSync(target, join(root, `sub/l${index}`))
  const part = fc.constantFrom(
    ...[
      '..',
      '.',
      '',
      'sub',
      'conf',
      'key.txt',
      'private',
      'file.txt',
      'outside',
      'root',
      'secret.txt',
      'new',
      'l',
    ],
    ...targets.map((_target, index) => `sub/l${index}`),
    ...targets.map((_target, index) => `l${index}`),
    ...[
      '..\0',
      '%2e%2e',
      '..\\',
      '~',
      '\u2025',
      '/',
      outside,
      root,
      'proc/self/root',
      'proc/self/environ',
      '.git',
    ],
  )
  const path = fc.tuple(fc.constantFrom('', '/', './', 'sub/'), fc.array(part, { maxLength: 9 }))
  const before = fingerprint(outside)
  await fc.assert(
    fc.asyncProperty(path, async ([start, parts]) => {
      const path = start + parts.join('/')
      const outcomes = [
        await run({ kind: 'read', path }),
        await run({ kind: 'list', path }),
        await run({ kind: 'grep', path, pattern: '-', mode: 'content', limit: 5 }, { maxEntries: 5 }),
        await run({ kind: 'write', path: `${path}x`, content: 'x' }),
        await run({ kind: 'delete', path: `${path}x` }),
      ]
      const said = JSON.stringify(outcomes)
      expect([said.includes(canary), said.includes(hiddenCanary), said.includes('PATH=')]).toEqual([
        false,
        false,
        false,
      ])
    }),
    fuzzShare(0.2),
  )
  expect(fingerprint(outside)).toBe(before)
  expect(openDescriptors(root)).toBe(1)
})
