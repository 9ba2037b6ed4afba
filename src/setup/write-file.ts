// Writes files atomically: a draft beside the file, then renamed over it. A symbolic link is followed, and its target is written.

import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { TextDecoder } from 'node:util'
import { randomId } from '../base/ids.ts'
import { replaceFileSync } from '../base/platform/replace-file.ts'
import { CannotEdit } from './plan.ts'

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/** A message for the user. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
}

const isMissing = (error: unknown) => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** The canonical path of a file, also if it does not exist yet. */
export function targetOf(name: string, links = 40): string {
  const path = resolve(name)
  try {
    return realpathSync(path)
  } catch (error) {
    if (!isMissing(error) || links === 0) throw new FileProblem(`${path} leads nowhere (${codeOf(error)}).`)
  }
  let next: string
  try {
    next = readlinkSync(path)
  } catch {
    return join(targetOf(dirname(path), links), basename(path))
  }
  return targetOf(resolve(dirname(path), next), links - 1)
}

export function readBytes(path: string): Buffer | undefined {
  try {
    // Reading a pipe would block, and a device would be replaced by a file.
    const status = statSync(path)
    if (!status.isFile() && !status.isDirectory()) throw new FileProblem(`${path} is no plain file.`)
    return readFileSync(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    if (error instanceof FileProblem) throw error
    throw new FileProblem(`${path} cannot be read (${codeOf(error)}).`)
  }
}

/** The text of a file. Bytes that are not UTF-8 are refused: they could not be restored. */
export function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CannotEdit('it is not UTF-8 text')
  }
}

export const modeOf = (path: string): number | undefined => {
  try {
    return statSync(path).mode & 0o7777
  } catch {
    return undefined
  }
}

export interface Writing {
  mode: number
  /** Called just before the file is replaced; if it throws, the file stays unchanged. */
  check?(): void
}

export function writeWhole(path: string, content: string | Buffer, { mode, check }: Writing): void {
  const draft = `${path}.${randomId(8)}.draft`
  try {
    const there = statSync(path, { throwIfNoEntry: false })
    if (there && (there.mode & 0o200) === 0) throw new FileProblem(`${path} is read-only.`)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeDraft(draft, Buffer.from(content))
    if (there) keepOwner(draft, there)
    // A separate call: the umask restricts the mode given at opening.
    chmodSync(draft, mode)
    check?.()
    replaceFileSync(draft, path)
  } catch (error) {
    if (modeOf(draft) !== undefined) rmSync(draft)
    throw codeOf(error) === undefined
      ? error
      : new FileProblem(`${path} cannot be written (${codeOf(error)}).`)
  }
}

function writeDraft(draft: string, bytes: Buffer): void {
  const file = openSync(draft, 'wx', 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Keeps the owner and group, also when root writes or in a shared folder; if that fails, the file is not written. */
function keepOwner(draft: string, { uid, gid }: Stats): void {
  const own = statSync(draft)
  if (own.uid !== uid || own.gid !== gid) chownSync(draft, uid, gid)
}

/** The missing folders of a file, outermost first. */
export function missingFolders(path: string): string[] {
  const folder = dirname(path)
  return modeOf(folder) !== undefined || folder === path ? [] : [...missingFolders(folder), folder]
}

/** Removes a file, and the folders created for it if they are empty. */
export function removeWhole(path: string, folders: readonly string[]): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw new FileProblem(`${path} cannot be removed (${codeOf(error)}).`)
  }
  removeFolders(folders)
}

export function removeFolders(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}
