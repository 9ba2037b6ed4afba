// The playground of the attacks on git: a root for each test, the user's repositories, and the user's work with git.

import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach } from 'vitest'
import { createPlayground } from '../../../test/sandbox.ts'
import { put, putGitDir, script, workWithGit } from '../../../test/user-git.ts'

const playground = createPlayground()
export const { outside } = playground
export const ran = join(outside, 'ran')
export const never = new AbortController().signal
export const evil = `touch ${ran}; :`
export const evilConfig = `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "${evil}"\n`
export const evilHook = script(evil)
const mine = script('exit 0')

let count = 0
let above = '/dev/null'
/** Not a folder until a test has begun: no attack may reach the folder of the tests themselves. */
export let root = '/dev/null'

/** Each test file calls it: files of one worker share this module, and hooks belong to the file that registers them. */
export function useAttacks(): void {
  beforeEach(() => {
    above = join(playground.root, `${++count}`)
    root = join(above, 'root')
    mkdirSync(root, { recursive: true })
    mkdirSync(outside, { recursive: true })
    rmSync(ran, { force: true })
  })
}

/** In every folder where a user might work. */
export function userWorks(): string {
  const folders = readdirSync(above, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && !/\/(?:objects|refs|hooks)$/.test(join(entry.parentPath, entry.name)),
    )
    .map((entry) => join(entry.parentPath, entry.name))
  return workWithGit(outside, [above, ...folders])
}

export const inRoot = (path: string) => join(root, path)
const hook = (path: string) => put(inRoot(path), mine, 0o755)
export const setting = (name: string, value: string) => `[core]\n\t${name} = ${value}\n`

/** The user's repository, and the file that an attacker would write. */
export const repositories: Record<string, { has(): void; target: string; content?: string }> = {
  '.git': { has: () => putGitDir(inRoot('.git')), target: '.git/config', content: evilConfig },
  'a link as .git': {
    has: () => {
      putGitDir(inRoot('store'))
      symlinkSync('store', inRoot('.git'))
    },
    target: 'store/config',
    content: evilConfig,
  },
  'a file as .git': {
    has: () => {
      putGitDir(inRoot('.bare'))
      put(inRoot('.git'), 'gitdir: ./.bare\n')
    },
    target: '.bare/config',
    content: evilConfig,
  },
  'a link to a file as .git': {
    has: () => {
      putGitDir(inRoot('.bare'))
      put(inRoot('where'), `gitdir: ${inRoot('.bare')}\n`)
      symlinkSync('where', inRoot('.git'))
    },
    target: '.bare/config',
    content: evilConfig,
  },
  'hooks that are a link': {
    has: () => {
      putGitDir(inRoot('.git'))
      rmSync(inRoot('.git/hooks'), { recursive: true })
      symlinkSync('../githooks', inRoot('.git/hooks'))
      hook('githooks/pre-commit')
    },
    target: 'githooks/pre-commit',
  },
  'a hook that is a link': {
    has: () => {
      putGitDir(inRoot('.git'))
      hook('scripts/check.sh')
      symlinkSync('../../scripts/check.sh', inRoot('.git/hooks/pre-commit'))
    },
    target: 'scripts/check.sh',
  },
  'settings that are a link': {
    has: () => {
      putGitDir(inRoot('.git'))
      renameSync(inRoot('.git/config'), inRoot('team.gitconfig'))
      symlinkSync('../team.gitconfig', inRoot('.git/config'))
    },
    target: 'team.gitconfig',
    content: evilConfig,
  },
  'core.hooksPath': {
    has: () => {
      putGitDir(inRoot('.git'), setting('hooksPath', '.husky'))
      hook('.husky/pre-commit')
    },
    target: '.husky/pre-commit',
  },
  'core.hooksPath in quotes, in another case': {
    has: () => {
      putGitDir(inRoot('.git'), '[CORE] HooksPATH = "tools/\\\nhooks" # ours\n')
      hook('tools/hooks/pre-commit')
    },
    target: 'tools/hooks/pre-commit',
  },
  'core.hooksPath, absolute': {
    has: () => {
      putGitDir(inRoot('.git'), setting('hooksPath', inRoot('hooks.d')))
      hook('hooks.d/pre-commit')
    },
    target: 'hooks.d/pre-commit',
  },
  'core.hooksPath, the root': {
    has: () => {
      putGitDir(inRoot('.git'), setting('hooksPath', '.'))
      hook('pre-commit')
    },
    target: 'pre-commit',
  },
  'husky, which runs what lies beside its folder': {
    has: () => {
      putGitDir(inRoot('.git'), setting('hooksPath', '.husky/_'))
      put(inRoot('.husky/_/pre-commit'), script('sh "$(dirname "$0")/../pre-commit"'), 0o755)
      hook('.husky/pre-commit')
    },
    target: '.husky/pre-commit',
  },
  'settings that are included': {
    has: () => {
      putGitDir(inRoot('.git'), '[include]\n\tpath = ../team.gitconfig\n')
      put(inRoot('team.gitconfig'), '[include]\n\tpath = more.gitconfig\n')
      put(inRoot('more.gitconfig'), '[include]\n\tpath = team.gitconfig\n')
    },
    target: 'more.gitconfig',
    content: evilConfig,
  },
  'settings that are included under a condition': {
    has: () => {
      putGitDir(inRoot('.git'), `[includeIf "gitdir:${playground.root}/**"]\n\tpath = ../team.gitconfig\n`)
      put(inRoot('team.gitconfig'), '')
    },
    target: 'team.gitconfig',
    content: evilConfig,
  },
  'a program that settings name': {
    has: () => {
      putGitDir(inRoot('.git'), setting('fsmonitor', './tools/monitor --fast'))
      hook('tools/monitor')
    },
    target: 'tools/monitor',
  },
  'a repository above, with hooks in the root': {
    has: () => {
      putGitDir(join(above, '.git'), setting('hooksPath', 'root/.husky'))
      hook('.husky/pre-commit')
    },
    target: '.husky/pre-commit',
  },
  'a repository above, whose files are in the root': {
    has: () => {
      putGitDir(inRoot('store'))
      put(join(above, '.git'), 'gitdir: root/store\n')
    },
    target: 'store/config',
    content: evilConfig,
  },
  'a nested repository': {
    has: () => putGitDir(inRoot('libs/one/.git')),
    target: 'libs/one/.git/config',
    content: evilConfig,
  },
  'a nested file as .git': {
    has: () => {
      putGitDir(inRoot('.git/modules/one'))
      putGitDir(inRoot('.git'))
      putGitDir(inRoot('stores/one'))
      put(inRoot('libs/one/.git'), 'gitdir: ../../stores/one\n')
    },
    target: 'stores/one/config',
    content: evilConfig,
  },
  'a linked working tree': {
    has: () => {
      putGitDir(inRoot('main/.bare'))
      put(inRoot('main/.bare/worktrees/tree/HEAD'), 'ref: refs/heads/main\n')
      put(inRoot('main/.bare/worktrees/tree/commondir'), '../..\n')
      put(inRoot('main/.bare/worktrees/tree/gitdir'), `${inRoot('tree/.git')}\n`)
      put(inRoot('tree/.git'), `gitdir: ${inRoot('main/.bare/worktrees/tree')}\n`)
    },
    target: 'main/.bare/config',
    content: evilConfig,
  },
  'a bare repository': {
    has: () => putGitDir(inRoot('fixtures/one.git')),
    target: 'fixtures/one.git/config',
    content: evilConfig,
  },
}
