// Whole or not at all: a draft beside the file, then renamed over it. A link is followed; what it points to is written.

import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { TextDecoder } from 'node:util'
import { randomId } from '../core/ids.ts'
import { CannotEdit } from './plan.ts'

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/** For the person at the terminal. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
}

const isMissing = (error: unknown) => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** The file that a name leads to, also when it is not there yet. */
export function targetOf(path: string, links = 40): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (!isMissing(error) || links === 0) throw new FileProblem(`${path} leads nowhere (${codeOf(error)}).`)
  }
  let next: string
  try {
    next = readlinkSync(path)
  } catch {
    return path
  }
  return targetOf(resolve(dirname(path), next), links - 1)
}

export function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new FileProblem(`${path} cannot be read (${codeOf(error)}).`)
  }
}

/** Its text, if it is one: what is not UTF-8 would not come back as it was. */
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

export function writeWhole(path: string, content: string | Buffer, mode: number): void {
  const draft = `${path}.${randomId(8)}.draft`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = openSync(draft, 'wx', 0o600)
    try {
      const bytes = Buffer.from(content)
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    // By its own call: the mode that a file is opened with is cut by the umask.
    chmodSync(draft, mode)
    renameSync(draft, path)
  } catch (error) {
    if (modeOf(draft) !== undefined) rmSync(draft)
    throw new FileProblem(`${path} cannot be written (${codeOf(error)}).`)
  }
}

/** Folders that have to be made for a file, outermost first. */
export function missingFolders(path: string): string[] {
  const folder = dirname(path)
  return modeOf(folder) !== undefined || folder === path ? [] : [...missingFolders(folder), folder]
}

/** Takes a file away, and the folders that were made for it as far as nothing else is in them. */
export function removeWhole(path: string, folders: readonly string[]): void {
  rmSync(path, { force: true })
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}
