// Read, write, delete and list, inside the root.

import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { compileGlobs } from '../../protocols/client-tools/glob-pattern.ts'
import type { JobOf, ListEntry, OutcomeOf } from '../../protocols/client-tools/job.ts'
import type { ConfinedRoot } from './confined-root.ts'
import { entriesOf, type FolderEntry } from './entries.ts'
import { checkNoRepository, checkWritable } from './git-own.ts'
import { throughDescriptor } from './held.ts'
import { checkNotStopped, defaultMaxEntries, type FileLimits, TimeSlice } from './limits.ts'
import { readLines } from './read-lines.ts'
import { codeOf, isFolder, notFolder, notFound, notRegular, Refusal, shown } from './refusal.ts'
import { type Place, withPlace } from './walk-path.ts'

export function readFile(
  root: ConfinedRoot,
  { path, offset, limit }: JobOf<'read'>,
  limits: FileLimits,
): Promise<OutcomeOf<'read'>> {
  return withPlace(root, path, { lastLink: 'follow' }, async ({ held }) => {
    if (held === undefined) throw notFound(path)
    if (held.stat.isDirectory()) throw isFolder(path, 'List it to see what is in it.')
    if (!held.stat.isFile()) throw notRegular(path)
    const descriptor = held.openToRead()
    try {
      const range = {
        // Line 0 means line 1, and a limit below 1 means none.
        offset: Math.trunc(offset ?? 1) || 1,
        limit: limit !== undefined && limit >= 1 ? Math.trunc(limit) : undefined,
      }
      return { kind: 'read', ...(await readLines({ descriptor, path }, range, limits)) }
    } finally {
      closeSync(descriptor)
    }
  })
}

export async function writeFile(
  root: ConfinedRoot,
  { path, content }: JobOf<'write'>,
  limits: FileLimits,
): Promise<OutcomeOf<'write'>> {
  if (/\p{Surrogate}/u.test(content))
    throw new Refusal('The content holds half a surrogate pair, which no text file can hold. Write it whole.')
  return withPlace(root, path, { lastLink: 'follow', toWrite: true }, async (place) => {
    const { held, names } = place
    checkWritable(root, names, path)
    if (held !== undefined) {
      if (held.stat.isDirectory()) throw isFolder(path, 'Name a file in it.')
      if (!held.stat.isFile()) throw notRegular(path)
      checkPermitted(held.descriptor, path)
    }
    checkNotStopped(limits)
    replaceFile(root, place, path, Buffer.from(content, 'utf8'))
    return { kind: 'write' }
  })
}

/** Replacing a file needs no write permission on it, but a read-only file is meant to stay unchanged. */
function checkPermitted(descriptor: number, path: string): void {
  try {
    accessSync(throughDescriptor(descriptor), constants.W_OK)
  } catch {
    throw new Refusal(`${shown(path)} is read-only.`)
  }
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

/** Atomic: a reader sees the old content or all of the new. */
function replaceFile(root: ConfinedRoot, { parent, names, held }: Place, path: string, bytes: Buffer): void {
  const name = names.at(-1) as string
  const draft = throughDescriptor(parent.descriptor, `.dragoman-${randomBytes(12).toString('hex')}.tmp`)
  const descriptor = openSync(draft, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666)
  try {
    try {
      writeAll(descriptor, bytes)
      if (held !== undefined) keepOwnership(descriptor, held.stat)
    } finally {
      closeSync(descriptor)
    }
    checkWritable(root, [...root.whereIs(parent), name], path)
    if (held === undefined) checkNoRepository(parent, name, path)
    renameSync(draft, throughDescriptor(parent.descriptor, name))
  } catch (error) {
    discard(draft)
    throw error
  }
}

function discard(draft: string): void {
  try {
    unlinkSync(draft)
  } catch {
    // Already gone; the earlier error is reported.
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(descriptor, bytes, written, bytes.length - written)
}

function keepOwnership(descriptor: number, { uid, gid, mode }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid)
  } catch (error) {
    // Only root can change the owner; otherwise the new file belongs to this user.
    if (codeOf(error) !== 'EPERM') throw error
  }
  fchmodSync(descriptor, mode & 0o777)
}

export function deleteFile(
  root: ConfinedRoot,
  { path }: JobOf<'delete'>,
  limits: FileLimits,
): Promise<OutcomeOf<'delete'>> {
  return withPlace(root, path, { lastLink: 'keep' }, async ({ parent, names, held }) => {
    if (held === undefined) throw notFound(path)
    if (held.stat.isDirectory()) throw isFolder(path, 'Only files can be deleted, one at a time.')
    if (!held.stat.isFile() && !held.stat.isSymbolicLink()) throw notRegular(path)
    const name = names.at(-1) as string
    await root.git.refresh()
    checkWritable(root, names, path)
    checkWritable(root, [...root.whereIs(parent), name], path)
    checkNotStopped(limits)
    unlinkSync(throughDescriptor(parent.descriptor, name))
    return { kind: 'delete' }
  })
}

/** One level, like `ls -A`. */
export function listFolder(
  root: ConfinedRoot,
  { path, ignore = [] }: JobOf<'list'>,
  limits: FileLimits,
): Promise<OutcomeOf<'list'>> {
  return withPlace(root, path, { lastLink: 'follow' }, async ({ names, held }) => {
    if (held === undefined) throw notFound(path)
    if (!held.stat.isDirectory()) throw notFolder(path)
    checkNotStopped(limits)
    const slice = new TimeSlice(limits)
    const maxEntries = limits.maxEntries ?? defaultMaxEntries
    const isIgnored = compileGlobs(ignore)
    const found = entriesOf(held)
    const entries: ListEntry[] = []
    let truncated = found.truncated
    let bytes = 0
    for (const entry of found.entries) {
      await slice.pauseIfDue()
      if (root.isHidden([...names, entry.name]) || isIgnored(entry.name)) continue
      bytes += Buffer.byteLength(entry.name) + 1
      if (entries.length >= maxEntries || bytes > limits.outputBytes) {
        truncated = true
        break
      }
      entries.push({ path: entry.name, directory: await isListedAsFolder(root, names, entry) })
    }
    return { kind: 'list', entries, truncated }
  })
}

/** A link to a folder inside the root is listed as a folder. */
async function isListedAsFolder(
  root: ConfinedRoot,
  names: readonly string[],
  { name, kind }: FolderEntry,
): Promise<boolean> {
  if (kind !== 'link') return kind === 'folder'
  try {
    return await withPlace(
      root,
      [...names, name].join('/'),
      { lastLink: 'follow' },
      async ({ held }) => held?.stat.isDirectory() ?? false,
    )
  } catch {
    return false
  }
}
