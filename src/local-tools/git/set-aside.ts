// Takes something out of git's sight without deleting it. Each folder on the way is held by its descriptor and none of them may be a
// link, so that nothing outside the root is ever renamed.

import { randomBytes } from 'node:crypto'
import { chmodSync, renameSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { Held, throughDescriptor } from '../files/held.ts'
import { codeOf } from '../files/refusal.ts'
import { linkOrNot, looksLikeGitDir } from './repository.ts'

/** Its new path; undefined where it could not be done. */
export function setAside(root: string, path: string): string | undefined {
  const mark = `quarantined-${randomBytes(4).toString('hex')}`
  const rename = (from: string) => {
    const to = `${from}.${mark}`
    const name = (one: string) => basename(one)
    return inFolder(root, dirname(from), (at) => renameSync(at(name(from)), at(name(to)))) ? to : undefined
  }
  if (!isGitDir(path)) return rename(path)
  // A folder is a repository by its HEAD, whatever its own name is.
  const head = rename(join(path, 'HEAD'))
  return head === undefined || basename(path).toLowerCase() !== '.git' ? head : rename(path)
}

const isGitDir = (path: string) =>
  linkOrNot(path)?.isDirectory() === true &&
  looksLikeGitDir({ has: (name) => linkOrNot(join(path, name)) !== undefined })

/** Whether `work` was done; it names what is in the folder by `at`. */
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
    // A command may have taken the right to write from its own folder.
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
