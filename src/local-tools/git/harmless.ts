// Proves that something made by a command lets git run nothing. Such a repository, as from `git init`, may stay.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isIdleConfig } from './git-config.ts'
import { linkOrNot, type Role, readRepository, textOf } from './repository.ts'

export function isHarmlessControl(path: string, role: Role): boolean {
  if (role === 'settings') return isIdleFile(path)
  if (role === 'hooks') return hasNoHooks(path)
  // They matter only through the `.git` that refers to them, which is checked separately.
  return role === 'repositories'
}

/** `git init` never creates links or `commondir`, whose targets could change later. */
export function isHarmlessRepository(entry: string): boolean {
  const repository = readRepository(entry)
  if (repository === undefined || linkOrNot(entry)?.isSymbolicLink()) return false
  const { gitDir, commonDir } = repository
  if (gitDir !== commonDir) return false
  const links = ['config', 'config.worktree', 'hooks', 'HEAD'].map((name) => join(gitDir, name))
  return (
    links.every((path) => !linkOrNot(path)?.isSymbolicLink()) &&
    isIdleFile(join(gitDir, 'config')) &&
    isIdleFile(join(gitDir, 'config.worktree')) &&
    hasNoHooks(join(gitDir, 'hooks')) &&
    !runsPrograms(textOf(todoOf(gitDir)))
  )
}

/** The rest of a rebase, which `git rebase --continue` runs. */
export const todoOf = (gitDir: string) => join(gitDir, 'rebase-merge', 'git-rebase-todo')

export const runsPrograms = (todo = '') =>
  todo.split('\n').some((line) => /^\s*(?:x|exec)(?:\s|$)/.test(line))

const isIdleFile = (path: string) => linkOrNot(path) === undefined || isIdleConfig(textOf(path) ?? '"')

function hasNoHooks(folder: string): boolean {
  const entry = linkOrNot(folder)
  if (entry === undefined) return true
  if (!entry.isDirectory()) return false
  try {
    return readdirSync(folder).every((name) => name.endsWith('.sample'))
  } catch {
    return false
  }
}
