// A root with files, and files beside it that must never be read or changed.

import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { atEnd, atTestEnd } from '../../../test/at-end.ts'
import type { Outcome } from '../../protocols/client-tools/job.ts'
import { type FileJob, runFileJob } from '../run-file-job.ts'
import { ConfinedRoot } from './confined-root.ts'
import type { FileLimits } from './limits.ts'

export const canary = 'CANARY-7f3a'
export const hiddenCanary = 'HIDDEN-91c2'

export const limits = (more: Partial<FileLimits> = {}): FileLimits => ({
  outputBytes: 1024 * 1024,
  signal: new AbortController().signal,
  ...more,
})

export interface Workspace {
  base: string
  root: string
  outside: string
  confined: ConfinedRoot
  run(job: FileJob, more?: Partial<FileLimits>): Promise<Outcome>
}

export function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** `shared`: for all tests of a file. */
export async function openWorkspace(
  files: Record<string, string> = {},
  { hidden = [], shared = false }: { hidden?: string[]; shared?: boolean } = {},
): Promise<Workspace> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'dragoman-local-')))
  const root = join(base, 'root')
  const outside = join(base, 'outside')
  put(join(outside, 'secret.txt'), `${canary}\n`)
  put(join(outside, 'folder/secret.txt'), `${canary}\n`)
  put(join(base, 'root-beside/secret.txt'), `${canary}\n`)
  mkdirSync(root)
  for (const [path, content] of Object.entries(files)) put(join(root, path), content)
  const confined = await ConfinedRoot.open(root, { hidden: hidden.map((path) => join(root, path)) })
  const atThatEnd = shared ? atEnd : atTestEnd
  atThatEnd(async () => {
    await confined.close()
    rmSync(base, { recursive: true, force: true })
  })
  const run = (job: FileJob, more: Partial<FileLimits> = {}) => runFileJob(confined, job, limits(more))
  return { base, root, outside, confined, run }
}

/** A digest of everything below. */
export function fingerprint(folder: string): string {
  const hash = createHash('sha256')
  const visit = (path: string) => {
    const stat = lstatSync(path)
    hash.update(`${path}\0${stat.mode}\0${stat.nlink}\0`)
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name))
    else if (stat.isFile()) hash.update(readFileSync(path))
  }
  visit(folder)
  return hash.digest('hex')
}

/** Descriptors of this process below a folder. */
export function openDescriptors(folder: string): number {
  let count = 0
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      if (readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder)) count++
    } catch {
      // The descriptor that read the folder.
    }
  }
  return count
}
