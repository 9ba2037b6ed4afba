// What tools for files must not touch: whatever git runs or goes by, the user's next git command would run outside of any guard. So only
// git writes below `.git`, and nothing is made that git would take for a repository.

import { ofGit } from '../git/git-guard.ts'
import { looksLikeGitDir } from '../git/repository.ts'
import type { ConfinedRoot } from './confined-root.ts'
import { Held } from './held.ts'
import { Refusal, shown } from './refusal.ts'

/** `names` lead from the root to it, without links. After `root.git.refresh()`. */
export function checkWritable(root: ConfinedRoot, names: readonly string[], asked: string): void {
  const reason = isGitsOwn(names) ? ofGit : root.git.refusal([root.path, ...names].join('/'))
  if (reason !== undefined) throw new Refusal(`${shown(asked)} ${reason}`, 'denied')
}

/** Some file systems do not tell cases apart. */
const isGitsOwn = (names: readonly string[]) => names.some((name) => name.toLowerCase() === '.git')

const parts = ['HEAD', 'objects', 'refs', 'commondir']

/** A folder is a repository by what is in it: the last part is not made, whichever that is. */
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
