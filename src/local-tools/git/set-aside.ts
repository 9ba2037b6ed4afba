// Renames something so that git ignores it, without deleting it. Each folder on the way is held by its descriptor and must not
// be a link, so nothing outside the root is ever renamed.

import { randomBytes } from 'node:crypto'
import { chmodSync, renameSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { Held, throughDescriptor } from '../files/held.ts'
import { codeOf } from '../files/refusal.ts'
import { linkOrNot, looksLikeGitDir } from './repository.ts'

/** Its new path; undefined if it failed. */
export function setAside(root: string, path: string): string | undefined {
  const mark = `quarantined-${randomBytes(4).toString('hex')}`
  const rename = (from: string) => {
    const to = `${from}.${mark}`
    const name = (one: string) => basename(one)
    return inFolder(root, dirname(from), (at) => renameSync(at(name(from)), at(name(to)))) ? to : undefined
  }
  if (!isGitDir(path)) return rename(path)
  // The HEAD makes a folder a repository, under any name.
  const head = rename(join(path, 'HEAD'))
  return head === undefined || basename(path).toLowerCase() !== '.git' ? head : rename(path)
}

const isGitDir = (path: string) =>
  linkOrNot(path)?.isDirectory() === true &&
  looksLikeGitDir({ has: (name) => linkOrNot(join(path, name)) !== undefined })

/** True if `work` was done; `at` gives the paths of entries in the folder. */
export function inFolder(
  root: string,
  folder: string,
  work: (at: (name: string) => string) => void,
): boolean {
  const held: Held[] = []
  try {
    held.push(Held.folder(root))
    for (const name of relative(root, folder).split('/').filter(Boolean)) {
      const next = Held.in(held.at(-1) as Held, name)
      if (next === undefined) return false
      held.push(next)
      if (!next.stat.isDirectory()) return false
    }
    const { descriptor, stat } = held.at(-1) as Held
    // A command may have made its folder read-only.
    if ((stat.mode & 0o300) !== 0o300 && stat.uid === process.getuid?.())
      chmodSync(throughDescriptor(descriptor), (stat.mode & 0o777) | 0o300)
    work((name) => throughDescriptor(descriptor, name))
    return true
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return false
  } finally {
    for (const one of held) one.close()
  }
}
