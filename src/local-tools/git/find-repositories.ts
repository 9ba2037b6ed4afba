// Finds every `.git` and every folder that git would take for a repository, in the root and above it. Unchanged folders are not
// read again: entries cannot change without the folder's ctime, which no command can set.

import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { linkOrNot, looksLikeGitDir, textOf } from './repository.ts'

export interface Found {
  path: string
  /** Its identity when it was found: a replacement under the same name differs. */
  signature: string
}

interface Folder {
  signature: string
  ctimeMs: number
  readAtMs: number
  folders: string[]
  dotGit: string[]
  isGitDir: boolean
}

const maxFolders = 100_000
const maxDepth = 100
const sliceMs = 10
/** Changes within one tick of the file system's clock are invisible. */
const tickMs = 2_000

/** Subfolders of a git folder with thousands of files. A repository in them is found by the reference to it. */
const ofGitAlone = new Set(['objects', 'refs', 'logs', 'lfs'])

export class RepositoryFinder {
  readonly #root: string
  #known = new Map<string, Folder>()

  constructor(root: string) {
    this.#root = root
  }

  /** `complete` is false if the root has too many folders. */
  async find(): Promise<{ found: Found[]; complete: boolean }> {
    const found: Found[] = []
    const seen = new Map<string, Folder>()
    const pending: { path: string; depth: number }[] = [{ path: this.#root, depth: 0 }]
    let complete = true
    let since = performance.now()
    // Breadth first: repositories near the root come first.
    for (const next of pending) {
      if (performance.now() - since > sliceMs) {
        await setImmediate()
        since = performance.now()
      }
      const { path, depth } = next
      const folder = this.#read(path)
      if (folder === undefined) continue
      complete &&= depth < maxDepth && seen.size < maxFolders
      if (seen.size >= maxFolders) break
      if (depth >= maxDepth) continue
      seen.set(path, folder)
      for (const name of folder.dotGit)
        found.push({ path: join(path, name), signature: signatureOf(join(path, name)) })
      if (folder.isGitDir) found.push({ path, signature: folder.signature })
      for (const name of folder.folders)
        if (!folder.isGitDir || !ofGitAlone.has(name))
          pending.push({ path: join(path, name), depth: depth + 1 })
    }
    this.#known = seen
    return { found, complete }
  }

  #read(path: string): Folder | undefined {
    try {
      const stat = lstatSync(path)
      if (!stat.isDirectory()) return undefined
      const known = this.#known.get(path)
      const isSame =
        known !== undefined &&
        known.signature === identityOf(stat) &&
        known.ctimeMs === stat.ctimeMs &&
        known.readAtMs - stat.ctimeMs > tickMs
      return isSame ? known : readFolder(path, stat)
    } catch {
      return undefined
    }
  }
}

function readFolder(path: string, stat: Stats): Folder {
  const readAtMs = Date.now()
  const entries = readdirSync(path, { withFileTypes: true })
  const names = new Set(entries.map(({ name }) => name))
  return {
    signature: identityOf(stat),
    ctimeMs: stat.ctimeMs,
    readAtMs,
    folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    dotGit: entries.filter(isDotGit).map(({ name }) => name),
    isGitDir: looksLikeGitDir(names),
  }
}

/** Some file systems ignore case. */
const isDotGit = ({ name }: Dirent) => name.toLowerCase() === '.git'

const identityOf = ({ dev, ino }: Stats) => `folder ${dev}:${ino}`

export function signatureOf(path: string): string {
  try {
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`
    return stat.isDirectory() ? identityOf(stat) : `file ${textOf(path) ?? ''}`
  } catch {
    return 'nothing'
  }
}

/** Above the root: git searches there too. */
export function repositoriesAbove(root: string): string[] {
  const found: string[] = []
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    const entry = join(folder, '.git')
    if (linkOrNot(entry) !== undefined) found.push(entry)
    if (looksLikeGitDir({ has: (name) => linkOrNot(join(folder, name)) !== undefined })) found.push(folder)
    if (folder === dirname(folder)) return found
  }
}
