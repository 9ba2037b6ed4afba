// A repository can hold commands that the user's own git runs later, outside of any sandbox: hooks, and settings that name
// programs. Of the repository at the root, a command in the sandbox may change what a commit changes, not these.
//
// What this cannot do: a repository that a command makes (`git init` where there was none, or in a folder below) is the
// command's own, as its Makefile is; and what the user runs of that, the user runs.

import { existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Settings, hooks, and the same of submodules and of other working trees. */
const runsPrograms = ['config', 'config.worktree', 'hooks', 'modules', 'worktrees', 'commondir']

/** Arguments for bwrap, after those that show the root. */
export function guardGit(root: string): string[] {
  const git = join(root, '.git')
  const entry = lstatSync(git, { throwIfNoEntry: false })
  // Of a linked working tree it is a file that says where the repository is.
  if (entry?.isFile()) return ['--ro-bind', git, git]
  if (!entry?.isDirectory()) return []
  // Where there are none, none are to be made; git has this folder in most repositories.
  if (existsSync(join(git, 'HEAD'))) mkdirSync(join(git, 'hooks'), { recursive: true })
  const guarded = runsPrograms.map((name) => join(git, name)).filter(isPlain)
  // As a mount of its own the folder cannot be moved away and made anew.
  return ['--bind', git, git, ...guarded.flatMap((path) => ['--ro-bind', path, path])]
}

/** A link cannot be mounted on, and leads to where only the sandbox looks. */
const isPlain = (path: string) => {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  return entry !== undefined && !entry.isSymbolicLink()
}

const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * `.git/commondir` says that settings and hooks are elsewhere. No main repository has one, and where there is none bwrap has
 * nothing to mount on: so it is looked for when the command has ended. True if one was taken away.
 */
export function watchGit(root: string): () => boolean {
  const planted = join(root, '.git', 'commondir')
  const isThere = () =>
    isFolder(join(root, '.git')) && lstatSync(planted, { throwIfNoEntry: false }) !== undefined
  if (isThere()) return () => false
  return () => {
    if (!isThere()) return false
    rmSync(planted, { recursive: true, force: true })
    return true
  }
}
