// Protects everything that the user's git would run or read settings from later, outside the sandbox. File tools cannot write
// it, and a command sees it read-only. After a command, new or replaced files of this kind are checked and set aside.

import { mkdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { isWithin } from '../shell/find-program.ts'
import { foldersBetween } from '../shell/sandbox-view.ts'
import { type Found, RepositoryFinder, repositoriesAbove, signatureOf } from './find-repositories.ts'
import { isHarmlessControl, isHarmlessRepository, runsPrograms, todoOf } from './harmless.ts'
import {
  controlsOf,
  hookNames,
  linkOrNot,
  type Role,
  readRepository,
  realOrIntended,
  textOf,
  userConfigs,
} from './repository.ts'
import { inFolder, setAside } from './set-aside.ts'

interface Protection {
  /** Everything in the root that git runs or takes settings from, even if it does not exist yet. */
  paths: ReadonlyMap<string, Role>
  /** Its repositories: file tools do not write there. */
  gitDirs: ReadonlySet<string>
  /** Arguments for bwrap, after those for the root. */
  mounts: readonly string[]
  known: Map<string, string>
  /** Those of `paths` that did not exist. */
  absent: ReadonlyMap<string, Role>
  /** The rebase todo list of each repository. */
  todos: ReadonlyMap<string, string | undefined>
}

export const ofGit = 'belongs to git. Use git commands to change what is in a repository.'
const runByGit =
  'is run by git, or has settings that make git run programs (a hook, an included file). Only the user can change it.'

/** The tools create no repository, so a result stays valid for a while. */
const freshMs = 2_000

export class GitGuard {
  readonly #root: string
  readonly #finder: RepositoryFinder
  #running = 0
  #protection: Promise<Protection> | undefined
  #latest: Protection | undefined
  #lookedAtMs = 0

  constructor(root: string) {
    this.#root = root
    this.#finder = new RepositoryFinder(root)
  }

  /** Call it before `refusal`. */
  async refresh(): Promise<void> {
    this.#latest = await this.#current()
  }

  /** Why a file tool must not change this real path; undefined if it may. */
  refusal(path: string): string | undefined {
    if (this.#latest === undefined) throw new Error('not looked yet')
    const { paths, gitDirs } = this.#latest
    for (const folder of gitDirs) if (isWithin(path, folder)) return ofGit
    for (const one of paths.keys()) if (isWithin(path, one)) return runByGit
    return undefined
  }

  /**
   * Call it before a command. Concurrent commands have the same mounts: something that one of them creates is never mounted for
   * another, which could swap it for a link.
   */
  async begin(): Promise<{ mounts: readonly string[]; end(): Promise<string[]> }> {
    const protection = this.#running++ === 0 ? this.#look('for a command') : this.#current()
    try {
      const { mounts } = await protection
      return { mounts, end: () => this.#end() }
    } catch (error) {
      this.#running--
      throw error
    }
  }

  async #end(): Promise<string[]> {
    try {
      return await this.#undo(await this.#current())
    } finally {
      this.#running--
      this.#lookedAtMs = 0
    }
  }

  #current(): Promise<Protection> {
    const isFresh = this.#running > 0 || performance.now() - this.#lookedAtMs < freshMs
    return this.#protection !== undefined && isFresh ? this.#protection : this.#look()
  }

  #look(why?: 'for a command'): Promise<Protection> {
    this.#lookedAtMs = performance.now()
    const looking = protect(this.#root, this.#finder, why !== undefined)
    this.#protection = looking
    return looking
  }

  /** Renames files that a command has planted; each line says what and why. */
  async #undo({ known, absent, todos }: Protection): Promise<string[]> {
    const { found, complete } = await this.#finder.find()
    const notes = complete
      ? []
      : ['the folder is too large to be searched for new git repositories as a whole']
    // Inner ones first: renaming the outer one changes their path.
    for (const { path, signature } of found.toSorted((one, other) => other.path.length - one.path.length)) {
      const before = known.get(path)
      if (before === signature || signatureOf(path) === 'nothing') continue
      if (!before?.startsWith('link ') && isHarmlessRepository(path)) known.set(path, signature)
      else this.#setAside(path, 'git would take it for a repository that may run programs', notes)
    }
    for (const [path, role] of absent)
      if (linkOrNot(path) !== undefined && !isHarmlessControl(path, role))
        this.#setAside(path, 'git would run programs because of it', notes)
    for (const [path, before] of todos) {
      const todo = textOf(path)
      if (todo !== before && runsPrograms(todo)) this.#setAside(path, 'git rebase would run programs', notes)
    }
    for (const [path, signature] of known)
      if (signature.startsWith('link ') && signatureOf(path) === 'nothing')
        this.#restore(path, signature.slice(5), notes)
    return notes
  }

  #setAside(path: string, why: string, notes: string[]): void {
    const name = relative(this.#root, path)
    const aside = setAside(this.#root, path)
    notes.push(
      aside === undefined
        ? `${name} could not be set aside, although ${why}: do not use git there before you have looked at it`
        : `${name} was set aside as ${relative(this.#root, aside)}, for ${why}`,
    )
  }

  #restore(path: string, target: string, notes: string[]): void {
    const restored = inFolder(this.#root, dirname(path), (folder) =>
      symlinkSync(target, folder(basename(path))),
    )
    if (restored) notes.push(`the link ${relative(this.#root, path)} was put back`)
  }
}

async function protect(root: string, finder: RepositoryFinder, forCommand: boolean): Promise<Protection> {
  const { found } = await finder.find()
  const entries = [...found.map(({ path }) => path), ...repositoriesAbove(root)]
  const repositories = entries.flatMap((entry) => readRepository(entry) ?? [])
  const inRoot = (path: string) => path !== root && isWithin(path, root)
  const paths = new Map<string, Role>()
  const gitDirs = new Map<string, 'writable' | 'read-only'>()
  const add = (path: string, role: Role) => {
    if (inRoot(path)) paths.set(path, role)
    if (path === root && role === 'hooks')
      for (const name of hookNames) paths.set(join(root, name), 'program')
  }
  for (const path of userConfigs()) add(realOrIntended(path), 'settings')
  for (const repository of repositories) {
    if (forCommand) makeHooks(root, repository.commonDir)
    const controls = controlsOf(repository)
    for (const [path, role] of controls.paths) add(path, role)
    for (const folder of [repository.gitDir, repository.commonDir].filter(inRoot))
      gitDirs.set(folder, controls.hasLinks || gitDirs.get(folder) === 'read-only' ? 'read-only' : 'writable')
  }
  const todos = [...gitDirs.keys()].map(todoOf)
  return {
    paths,
    gitDirs: new Set(gitDirs.keys()),
    mounts: mountsFor(root, { found, paths, gitDirs }),
    known: new Map(found.map(({ path, signature }) => [path, signature])),
    absent: new Map([...paths].filter(([path]) => linkOrNot(path) === undefined)),
    todos: new Map(todos.map((path) => [path, textOf(path)])),
  }
}

/** Creates an empty hooks folder, which can be mounted read-only; most repositories have one. */
function makeHooks(root: string, commonDir: string): void {
  if (!isWithin(commonDir, root) || linkOrNot(join(commonDir, 'HEAD')) === undefined) return
  if (linkOrNot(join(commonDir, 'hooks')) === undefined)
    inFolder(root, commonDir, (at) => mkdirSync(at('hooks')))
}

interface Mounted {
  found: readonly Found[]
  paths: ReadonlyMap<string, Role>
  gitDirs: ReadonlyMap<string, 'writable' | 'read-only'>
}

/** A mount cannot be moved or replaced, and neither can the folders above it. */
function mountsFor(root: string, { found, paths, gitDirs }: Mounted): string[] {
  const mounts = new Map<string, '--bind' | '--ro-bind'>()
  const files = found.filter(({ signature }) => signature.startsWith('file ')).map(({ path }) => path)
  const held = [...files, ...paths.keys()].filter(isPlain)
  for (const path of [...held, ...gitDirs.keys()])
    for (const folder of foldersBetween(root, path)) mounts.set(folder, '--bind')
  for (const [folder, how] of gitDirs)
    if (isPlain(folder)) mounts.set(folder, how === 'writable' ? '--bind' : '--ro-bind')
  for (const path of held) mounts.set(path, '--ro-bind')
  return [...mounts]
    .toSorted(([one], [other]) => one.split('/').length - other.split('/').length)
    .flatMap(([path, how]) => [how, path, path])
}

/** A link cannot be a mount point. */
const isPlain = (path: string) => {
  const entry = linkOrNot(path)
  return entry !== undefined && !entry.isSymbolicLink()
}
