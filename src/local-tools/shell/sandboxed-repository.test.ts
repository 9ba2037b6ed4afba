// A git repository in the sandbox: its hooks and settings are read-only, its data is writable.

import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { createPlayground, describeWithSandbox, sandboxFor } from '../../../test/sandbox.ts'
import type { Outcome, OutcomeOf } from '../../protocols/client-tools/job.ts'
import { ConfinedRoot } from '../files/confined-root.ts'
import type { Sandbox } from './sandbox.ts'
import { runShell } from './shell.ts'

const { root } = createPlayground()
const confined = await ConfinedRoot.open(root)
const limits = { timeoutMs: 20_000, outputBytes: 200_000, maxProcesses: 100, graceMs: 100 }
const never = new AbortController().signal

async function run(command: string, sandbox: Sandbox): Promise<OutcomeOf<'shell'>> {
  const ended: Outcome = await runShell(
    { kind: 'shell', command },
    { root: confined, sandbox, ...limits },
    { signal: never },
  )
  if (ended.kind !== 'shell') throw new Error(JSON.stringify(ended))
  return ended
}

describeWithSandbox('a repository in the sandbox', () => {
  const hook = '#!/bin/sh\necho mine\n'
  const git = join(root, '.git')
  let sandbox: Sandbox

  beforeAll(async () => {
    sandbox = await sandboxFor(root)
  })
  afterEach(() => rmSync(git, { recursive: true, force: true }))

  function createRepository() {
    for (const folder of ['hooks', 'objects', 'refs', 'modules/sub', 'worktrees/tree'])
      mkdirSync(join(git, folder), { recursive: true })
    writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(git, 'config'), '[core]\n\tbare = false\n')
    writeFileSync(join(git, 'hooks', 'pre-commit'), hook)
    linkSync(join(git, 'config'), join(git, 'modules/sub/config'))
  }

  it.each([
    [
      'hooks',
      'echo evil > .git/hooks/pre-commit; echo evil > .git/hooks/post-checkout; rm .git/hooks/pre-commit',
    ],
    [
      'settings',
      'git config core.fsmonitor evil; echo evil >> .git/config; mv .git/config .git/config2; ln -sf /tmp/x .git/config',
    ],
    ['settings elsewhere', 'echo evil > .git/modules/sub/config; echo /evil > .git/worktrees/tree/commondir'],
    ['the whole repository', 'mv .git away; rm -rf .git/hooks; rm -rf .git/config; mv .git/hooks .git/h'],
    ['where settings are', 'mkdir evil; echo ../evil > .git/commondir'],
  ])('keeps %s', async (_, command) => {
    createRepository()
    const { stderr } = await run(command, sandbox)
    expect(stderr).toMatch(/Read-only|busy|commondir was set aside/)
    expect(readdirSync(join(git, 'hooks'))).toEqual(['pre-commit'])
    expect(readFileSync(join(git, 'hooks/pre-commit'), 'utf8')).toBe(hook)
    for (const config of ['config', 'modules/sub/config'])
      expect(readFileSync(join(git, config), 'utf8')).toBe('[core]\n\tbare = false\n')
    for (const path of ['commondir', 'worktrees/tree/commondir'])
      expect(existsSync(join(git, path))).toBe(false)
  })

  it('allows the writes of a commit', async () => {
    createRepository()
    const command = 'echo x > .git/index && mkdir .git/objects/ab && echo y > .git/refs/main && echo ok'
    expect(await run(command, sandbox)).toMatchObject({ stdout: 'ok\n', stderr: '' })
  })

  it('prevents new hooks', async () => {
    createRepository()
    rmSync(join(git, 'hooks'), { recursive: true })
    const { stderr } = await run('mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit', sandbox)
    expect(stderr).toContain('Read-only')
    expect(readdirSync(join(git, 'hooks'))).toEqual([])
  })

  it('protects the pointer of a linked working tree', async () => {
    writeFileSync(git, 'gitdir: /elsewhere\n')
    const { stderr } = await run('echo "gitdir: evil" > .git; rm -f .git; mv .git away', sandbox)
    expect(stderr).toMatch(/Read-only[\s\S]*busy/)
    expect(readFileSync(git, 'utf8')).toBe('gitdir: /elsewhere\n')
  })

  it('protects the repository of one command from the next', async () => {
    const made = '[core]\n\tbare = false\n'
    await run(`mkdir -p .git/hooks && echo ref > .git/HEAD && printf '${made}' > .git/config`, sandbox)
    expect(readFileSync(join(git, 'config'), 'utf8')).toBe(made)
    const { stderr } = await run('echo evil > .git/config', sandbox)
    expect(stderr).toContain('Read-only')
  })
})
