// Attacks on the user's next git command with file tools: the user works with git afterwards, in the root and its folders, and no
// code of the attacker may run. command-attacks.test.ts tries the same with commands.

import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { spread } from '../../../test/depth.ts'
import { git, put, putGitDir } from '../../../test/user-git.ts'
import type { Outcome } from '../../protocols/client-tools/job.ts'
import { ConfinedRoot } from '../files/confined-root.ts'
import { runFileJob } from '../run-file-job.ts'
import {
  evilConfig,
  evilHook,
  inRoot,
  never,
  ran,
  repositories,
  root,
  setting,
  useAttacks,
  userWorks,
} from './attacks.fixture.ts'

useAttacks()

const openRoot = async () => {
  const confined = await ConfinedRoot.open(root)
  return {
    confined,
    write: (path: string, content: string): Promise<Outcome> =>
      runFileJob(confined, { kind: 'write', path, content }, { outputBytes: 10_000, signal: never }),
    remove: (path: string): Promise<Outcome> =>
      runFileJob(confined, { kind: 'delete', path }, { outputBytes: 10_000, signal: never }),
  }
}

const refused = { kind: 'failed', denied: true, error: expect.stringMatching(/git/) }

it.runIf(git)('without a guard, such things do run', () => {
  putGitDir(inRoot('.git'), setting('hooksPath', '.husky'))
  put(inRoot('.husky/pre-commit'), evilHook, 0o755)
  userWorks()
  expect(existsSync(ran)).toBe(true)
})

describe('file tools cannot write', () => {
  it.each(spread(Object.entries(repositories), 4))(
    '%s',
    async (_name, { has, target, content = evilHook }) => {
      has()
      const { write, remove, confined } = await openRoot()
      expect(await write(target, content)).toMatchObject(refused)
      expect(await remove(target)).toMatchObject(refused)
      await confined.close()
      userWorks()
      expect(existsSync(ran)).toBe(false)
    },
  )
})

describe('file tools cannot plant', () => {
  const head = 'ref: refs/heads/main\n'
  const plants: Record<string, [path: string, content: string][]> = {
    'a bare repository': [
      ['docs/config', evilConfig],
      ['docs/objects/a', ''],
      ['docs/refs/a', ''],
      ['docs/HEAD', head],
    ],
    'a bare repository, its HEAD first': [
      ['docs/HEAD', head],
      ['docs/config', evilConfig],
      ['docs/refs/a', ''],
      ['docs/objects/a', ''],
    ],
    'a bare repository with its settings elsewhere': [
      ['conf/config', evilConfig],
      ['conf/objects/a', ''],
      ['conf/refs/a', ''],
      ['docs/HEAD', head],
      ['docs/commondir', '../conf\n'],
    ],
    'the root as a bare repository': [
      ['config', evilConfig],
      ['objects/a', ''],
      ['refs/a', ''],
      ['HEAD', head],
    ],
    'a .git': [['docs/.git/config', evilConfig]],
    'a file as .git': [['docs/.git', 'gitdir: ../store\n']],
    'a .GIT': [['docs/.GIT/config', evilConfig]],
  }

  it.each(spread(Object.entries(plants), 4))('%s', async (_name, files) => {
    const { write, confined } = await openRoot()
    const outcomes: Outcome[] = []
    for (const [path, content] of files) outcomes.push(await write(path, content))
    expect(outcomes.at(-1)).toMatchObject(refused)
    expect(outcomes.slice(0, -1)).toEqual(outcomes.slice(0, -1).map(() => ({ kind: 'write' })))
    await confined.close()
    userWorks()
    expect(existsSync(ran)).toBe(false)
  })

  it('hooks where settings look for them', async () => {
    putGitDir(inRoot('.git'), setting('hooksPath', '.husky'))
    const { write, confined } = await openRoot()
    expect(await write('.husky/new/pre-commit', evilHook)).toMatchObject(refused)
    expect(existsSync(inRoot('.husky'))).toBe(false)
    await confined.close()
  })

  it('nothing else is refused', async () => {
    repositories['husky, which runs what lies beside its folder']?.has()
    const { write, confined } = await openRoot()
    for (const path of [
      'HEAD',
      'docs/HEAD',
      'docs/refs/a',
      'objects/HEAD',
      'husky/pre-commit',
      '.gitignore',
      '.github/x',
    ])
      expect(await write(path, '')).toEqual({ kind: 'write' })
    await confined.close()
  })
})
