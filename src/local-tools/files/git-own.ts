// Guards git's files against file tools: the user's next git command would run hooks and settings without any confinement. So
// only git writes below `.git`, and file tools create nothing that git would take for a repository.

import { ofGit } from '../git/git-guard.ts'
import { looksLikeGitDir } from '../git/repository.ts'
import type { ConfinedRoot } from './confined-root.ts'
import { Held } from './held.ts'
import { Refusal, shown } from './refusal.ts'

/** `names` is the path from the root, without links. Call `root.git.refresh()` first. */
export function checkWritable(root: ConfinedRoot, names: readonly string[], asked: string): void {
  const reason = isGitsOwn(names) ? ofGit : root.git.refusal([root.path, ...names].join('/'))
  if (reason !== undefined) throw new Refusal(`${shown(asked)} ${reason}`, 'denied')
}

/** Some file systems ignore case. */
const isGitsOwn = (names: readonly string[]) => names.some((name) => name.toLowerCase() === '.git')

const parts = ['HEAD', 'objects', 'refs', 'commondir']

/** Refuses the last missing part of a repository. */
export function checkNoRepository(folder: Held, name: string, asked: string): void {
  const made = parts.find((part) => part.toLowerCase() === name.toLowerCase())
  if (made === undefined || !looksLikeGitDir({ has: (part) => part === made || isIn(folder, part) })) return
  throw new Refusal(
    `${shown(asked)} would make its folder a git repository (HEAD with objects and refs, or with commondir). Choose another name.`,
    'denied',
  )
}

function isIn(folder: Held, name: string): boolean {
  const held = Held.in(folder, name)
  held?.close()
  return held !== undefined
}
