// Attacks on the user's next git command by a command in the sandbox: the user works with git afterwards, and no code of the
// attacker may run.

import { existsSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { spread } from '../../../test/depth.ts'
import { describeWithSandbox, sandboxFor } from '../../../test/sandbox.ts'
import { put, putGitDir, workWithGit } from '../../../test/user-git.ts'
import { ConfinedRoot } from '../files/confined-root.ts'
import { runShell } from '../shell/shell.ts'
import {
  evil,
  evilConfig,
  evilHook,
  inRoot,
  never,
  outside,
  ran,
  repositories,
  root,
  setting,
  useAttacks,
  userWorks,
} from './attacks.fixture.ts'

useAttacks()

describeWithSandbox('a command', () => {
  async function run(command: string) {
    const confined = await ConfinedRoot.open(root)
    const limits = { timeoutMs: 20_000, outputBytes: 200_000, maxProcesses: 100, graceMs: 100 }
    const sandbox = await sandboxFor(root)
    const notes: string[] = []
    const ended = await runShell(
      { kind: 'shell', command },
      { root: confined, sandbox, ...limits },
      { signal: never, onNote: (note) => notes.push(note) },
    )
    await confined.close()
    if (ended.kind !== 'shell') throw new Error(JSON.stringify(ended))
    return { ...ended, notes }
  }

  /** The system's git: another one is invisible in the sandbox. */
  const hasGitInside = existsSync('/usr/bin/git')
  const who = 'export GIT_AUTHOR_NAME=u GIT_AUTHOR_EMAIL=u@x GIT_COMMITTER_NAME=u GIT_COMMITTER_EMAIL=u@x;'
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const write = (path: string, content: string) => `printf %s ${quoted(content)} > ${path}; chmod +x ${path};`
  const plantGitDir = (folder: string) =>
    `mkdir -p ${folder}/objects ${folder}/refs ${folder}/hooks; echo "ref: refs/heads/main" > ${folder}/HEAD; ${write(`${folder}/config`, evilConfig)} ${write(`${folder}/hooks/pre-commit`, evilHook)}`

  describe('cannot write', () => {
    it.each(spread(Object.entries(repositories), 4))(
      '%s',
      async (_name, { has, target, content = evilHook }) => {
        has()
        const folder = target.split('/')[0]
        const again = write(target, content)
        for (const command of [
          `${again} rm -f ${target}; ${again}`,
          `mv ${folder} away; mkdir -p $(dirname ${target}); ${again}`,
        ]) {
          await run(command)
          userWorks()
          expect(existsSync(ran)).toBe(false)
        }
      },
    )
  })

  describe('cannot plant', () => {
    const plants: Record<string, { has?(): void; command: string }> = {
      'a repository': { command: plantGitDir('.git') },
      'a repository in a folder': { command: plantGitDir('docs/.git') },
      'a bare repository': { command: plantGitDir('docs') },
      'the root as a bare repository': { command: plantGitDir('.') },
      'a file as .git': { command: `${plantGitDir('docs/.bare')} echo "gitdir: .bare" > docs/.git` },
      'a link as .git': { command: `${plantGitDir('docs/.bare')} ln -s .bare docs/.git` },
      'a repository among the objects of another': {
        has: () => putGitDir(inRoot('.git')),
        command: `${plantGitDir('.git/objects/aa')} mkdir docs; echo "gitdir: ../.git/objects/aa" > docs/.git`,
      },
      'settings elsewhere': {
        command: `${plantGitDir('conf')} mkdir docs; echo "ref: refs/heads/main" > docs/HEAD; echo ../conf > docs/commondir`,
      },
      'a commondir': {
        has: () => putGitDir(inRoot('.git')),
        command: `${plantGitDir('conf')} echo ../conf > .git/commondir`,
      },
      'another .git for a link': {
        has: () => repositories['a link as .git']?.has(),
        command: `rm .git; ${plantGitDir('.git')}`,
      },
      'another link for a link': {
        has: () => repositories['a link as .git']?.has(),
        command: `${plantGitDir('other')} ln -sfn other .git`,
      },
      'other hooks for a link': {
        has: () => repositories['hooks that are a link']?.has(),
        command: `rm .git/hooks; mkdir .git/hooks; ${write('.git/hooks/pre-commit', evilHook)}`,
      },
      'hooks where there were none': {
        has: () => {
          putGitDir(inRoot('libs/one/.git'))
          rmSync(inRoot('libs/one/.git/hooks'), { recursive: true })
        },
        command: `mkdir -p libs/one/.git/hooks; ${write('libs/one/.git/hooks/pre-commit', evilHook)}`,
      },
      'hooks where settings look for them': {
        has: () => putGitDir(inRoot('.git'), setting('hooksPath', '.husky')),
        command: `mkdir .husky; ${write('.husky/pre-commit', evilHook)}`,
      },
      'settings where settings include them': {
        has: () => putGitDir(inRoot('.git'), '[include]\n\tpath = ../team.gitconfig\n'),
        command: write('team.gitconfig', evilConfig),
      },
      'a program where settings name one': {
        has: () => putGitDir(inRoot('.git'), setting('fsmonitor', './tools/monitor')),
        command: `mkdir tools; ${write('tools/monitor', evilHook)}`,
      },
      'settings of one working tree': {
        has: () => putGitDir(inRoot('.git'), '[extensions]\n\tworktreeConfig = true\n'),
        command: write('.git/config.worktree', evilConfig),
      },
      'settings behind a comment that seems to go on': {
        command: `${plantGitDir('.git')} rm .git/hooks/*; printf '# a \\\\\\n%s' ${quoted(evilConfig)} > .git/config`,
      },
      'a repository in the place of a nested one': {
        has: () => putGitDir(inRoot('libs/one/.git')),
        command: `mv libs gone; mv libs/one gone; mv libs/one/.git gone; ${plantGitDir('libs/one/.git')}`,
      },
      'a repository in a folder that is read-only': {
        command: `${plantGitDir('docs/.git')} chmod 555 docs docs/.git`,
      },
      'a repository behind a file that is no folder': {
        has: () => putGitDir(inRoot('.git'), setting('hooksPath', 'tools/hooks')),
        command: `touch tools; ${plantGitDir('docs/.git')}`,
      },
      'a rebase that goes on with a program': {
        has: () => putGitDir(inRoot('.git')),
        command: `mkdir .git/rebase-merge; printf 'pick 1\n x %s\n' ${quoted(evil)} > .git/rebase-merge/git-rebase-todo`,
      },
    }

    it.each(spread(Object.entries(plants), 4))('%s', async (_name, { has, command }) => {
      has?.()
      const { stderr, notes } = await run(command)
      userWorks()
      expect(existsSync(ran)).toBe(false)
      expect(stderr).toMatch(/Read-only|busy|set aside/)
      for (const note of notes) expect(stderr).toContain(note)
    })
  })

  it.runIf(hasGitInside)('stops a rebase that would go on with a program', async () => {
    putGitDir(inRoot('.git'))
    const editor = quoted(`sh -c 'printf "break\\nexec ${evil}\\n" > "$1"' -`)
    const { stderr } = await run(
      `${who} git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR=${editor} git rebase -i HEAD~1`,
    )
    expect(stderr).toContain('git-rebase-todo was set aside')
    userWorks()
    expect(existsSync(ran)).toBe(false)
  })

  it.runIf(hasGitInside)('commits, and makes repositories that run nothing', async () => {
    putGitDir(inRoot('.git'))
    put(inRoot('a.txt'), 'a')
    const { stderr, exitCode, notes } = await run(
      `${who} git add -A && git commit -qm one && git init -q fresh && cd fresh && git remote add origin https://x.test/y.git && echo b > b && git add b && git commit -qm two && git checkout -q -b three`,
    )
    expect({ exitCode, notes, stderr: stderr.replace(/^hint.*\n/gm, '') }).toEqual({
      exitCode: 0,
      notes: [],
      stderr: '',
    })
    expect(workWithGit(outside, [root])).toMatch(/ one\n/)
    expect(workWithGit(outside, [inRoot('fresh')])).toMatch(/^On branch three[\s\S]* two\n/)
    const again = await run('echo "[core]" >> fresh/.git/config; git add -A; git log --oneline')
    expect(again.stderr).toContain('Read-only')
  })
})
