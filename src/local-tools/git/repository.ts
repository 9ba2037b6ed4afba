// Reads a repository like git: where its files are, and which files of it and of the working tree name programs or settings for
// git. It follows git's setup.c, config.c and hook.c, including links, `gitdir:` files and `commondir`.

import {
  type Dirent,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parseGitConfig } from './git-config.ts'

interface Repository {
  /** Where git finds it: a `.git`, or the folder itself if it is bare. */
  entry: string
  /** A real path, like the following ones. */
  gitDir: string
  commonDir: string
  /** Base folders for relative names in its settings. */
  bases: string[]
}

const maxFileBytes = 1024 * 1024
const maxConfigFiles = 64
const maxHooks = 500

export function textOf(path: string): string | undefined {
  try {
    const stat = statSync(path)
    return stat.isFile() && stat.size <= maxFileBytes ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

/** `lstat`; undefined also on an error. */
export function linkOrNot(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** The real path; the end of it may not exist yet. */
export function realOrIntended(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realOrIntended(parent), basename(path))
  }
}

/** `entry` is a `.git` of any kind, or a bare repository. Undefined if git would find no repository. */
export function readRepository(entry: string): Repository | undefined {
  const gitDir = gitDirOf(entry)
  if (gitDir === undefined) return undefined
  const common = textOf(join(gitDir, 'commondir'))?.trim()
  const commonDir = common === undefined ? gitDir : realOrIntended(resolve(gitDir, common))
  const isBare = basename(entry).toLowerCase() !== '.git'
  return { entry, gitDir, commonDir, bases: [realOrIntended(isBare ? entry : dirname(entry)), gitDir] }
}

function gitDirOf(entry: string): string | undefined {
  try {
    const real = realpathSync.native(entry)
    if (statSync(real).isDirectory()) return real
  } catch {
    return undefined
  }
  const named = /^gitdir: ([^\n]+)/.exec(textOf(entry) ?? '')?.[1]?.trimEnd()
  return named === undefined ? undefined : realOrIntended(resolve(dirname(entry), named))
}

/** `git help hooks`. */
export const hookNames = [
  ...[
    'applypatch-msg',
    'pre-applypatch',
    'post-applypatch',
    'pre-commit',
    'pre-merge-commit',
    'prepare-commit-msg',
  ],
  ...[
    'commit-msg',
    'post-commit',
    'pre-rebase',
    'post-checkout',
    'post-merge',
    'pre-push',
    'pre-receive',
    'update',
  ],
  ...[
    'proc-receive',
    'post-receive',
    'post-update',
    'reference-transaction',
    'push-to-checkout',
    'pre-auto-gc',
  ],
  ...['post-rewrite', 'sendemail-validate', 'fsmonitor-watchman', 'post-index-change'],
]

/** All that git checks: https://github.com/git/git/blob/master/setup.c, is_git_directory. */
export const looksLikeGitDir = (names: { has(name: string): boolean }) =>
  names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')))

/** What git takes from a path: settings, a folder of programs, one program, a pointer elsewhere, or other repositories. */
export type Role = 'settings' | 'hooks' | 'program' | 'pointer' | 'repositories'

interface Controls {
  /** Real paths of files and folders that git runs or takes settings from; some may not exist yet. */
  paths: Map<string, Role>
  /** One of them is a link inside the repository, which a mount cannot protect. */
  hasLinks: boolean
}

export function controlsOf(repository: Repository): Controls {
  const { gitDir, commonDir } = repository
  const own: [path: string, role: Role][] = [
    [join(gitDir, 'config.worktree'), 'settings'],
    [join(commonDir, 'config'), 'settings'],
    [join(commonDir, 'hooks'), 'hooks'],
    [join(gitDir, 'commondir'), 'pointer'],
    [join(gitDir, 'gitdir'), 'pointer'],
    [join(commonDir, 'modules'), 'repositories'],
    [join(commonDir, 'worktrees'), 'repositories'],
  ]
  const configs = own.flatMap(([path, role]) => (role === 'settings' ? [path] : []))
  const named = [...own, ...namedBySettings([...userConfigs(), ...configs], repository)]
  const linked = named.flatMap(([path, role]) => (role === 'hooks' ? linkedHooks(path) : []))
  return {
    paths: new Map([...linked, ...named].map(([path, role]) => [realOrIntended(path), role])),
    hasLinks: own.some(([path]) => linkOrNot(path)?.isSymbolicLink()),
  }
}

/** The user's settings for all repositories. */
export function userConfigs(): string[] {
  const home = homedir()
  const { XDG_CONFIG_HOME } = process.env
  return [
    '/etc/gitconfig',
    join(home, '.gitconfig'),
    join(XDG_CONFIG_HOME || join(home, '.config'), 'git/config'),
  ]
}

type Named = [path: string, role: Role][]

/** `pre-commit -> ../../scripts/check` is a hook too. */
function linkedHooks(folder: string): Named {
  let found: Dirent[] = []
  try {
    found = readdirSync(folder, { withFileTypes: true }).slice(0, maxHooks)
  } catch {
    return []
  }
  return found.filter((entry) => entry.isSymbolicLink()).map(({ name }) => [join(folder, name), 'program'])
}

function namedBySettings(configs: readonly string[], { bases }: Repository): Named {
  const named: Named = []
  const pending = [...configs]
  const read = new Set<string>()
  for (let file = pending.shift(); file !== undefined && read.size < maxConfigFiles; file = pending.shift()) {
    const real = realOrIntended(file)
    if (read.has(real)) continue
    read.add(real)
    for (const { key, value } of parseGitConfig(textOf(real) ?? '')) {
      if (/^include(?:if\..*)?\.path$/s.test(key)) {
        const included = resolve(dirname(real), fromHome(value))
        named.push([included, 'settings'])
        pending.push(included)
      } else if (key === 'core.worktree') bases.push(realOrIntended(resolve(bases[1] ?? '/', value)))
      else named.push(...programsOf(key, value, bases))
    }
  }
  return named
}

const fromHome = (path: string) => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path)

/** Keys whose values are never run: URLs, branch names, lists of files. */
const neverRun =
  /\.(?:url|pushurl|fetch|push|merge|remote|rebase|excludesfile|attributesfile|ignorerevsfile|template|directory|defaultbranch|email|name)$/

function programsOf(key: string, value: string, bases: readonly string[]): Named {
  const under = (path: string) => bases.map((base) => resolve(base, fromHome(path)))
  if (key === 'core.hookspath')
    return under(value)
      .flatMap(hookFolders)
      .map((path) => [path, 'hooks'])
  if (neverRun.test(key)) return []
  const words = value.split(/[\s'"`$(){};|&<>=!,]+/).filter((word) => word !== '' && !word.startsWith('-'))
  return words.flatMap((word) =>
    under(word)
      .filter((path) => isProgramPath(path, word))
      .map((path): Named[number] => [path, 'program']),
  )
}

/** Husky has a generated folder `_` whose hooks run the files beside it. */
const hookFolders = (folder: string) => (basename(folder) === '_' ? [folder, dirname(folder)] : [folder])

/** A file, existing or not: a word with a slash is no program on PATH. */
function isProgramPath(path: string, word: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return word.includes('/') && !word.startsWith('refs/')
  }
}
