// The sandbox, made with Bubblewrap: the command gets its own namespaces with the view of sandbox-view.ts, no network, no
// privileges, and one writable folder. https://github.com/containers/bubblewrap

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram, isWithin } from './find-program.ts'
import {
  foldersBetween,
  homeFor,
  mask,
  problemOfRoot,
  realPath,
  show,
  showSystem,
  systemFolders,
  throwAway,
} from './sandbox-view.ts'

export interface SandboxSettings {
  /** The real path of the only writable folder. */
  root: string
  /** Invisible wherever they are: the gateway's config, keys and credentials. */
  hidden: readonly string[]
  /** Further read-only folders, such as a toolchain in the user's home. */
  readable: readonly string[]
  /** With it, this machine's ports can be reached too, including the gateway's. */
  network: boolean
  /** The path of bwrap; else it is searched on PATH. */
  bwrap?: string | undefined
}

interface WrapOptions {
  cwd: string
  /** The root is read-only too. */
  readOnly?: boolean
  /** Further read-only files or folders for this command. */
  readable?: readonly string[]
  /** Arguments for bwrap that protect parts of the root. */
  guards?: readonly string[]
}

export interface Sandbox {
  name: 'bubblewrap'
  version: string
  /** The path of the user's home; it is empty, and ends with the command. */
  home: string
  /** Folders with programs. */
  programFolders: readonly string[]
  /** The argv that runs this command in the sandbox. */
  wrap(argv: readonly string[], options: WrapOptions): string[]
}

/** Finds bwrap and tries it once: namespaces may be forbidden on this machine. */
export async function findSandbox(settings: SandboxSettings): Promise<Sandbox | { problem: string }> {
  if (process.platform !== 'linux')
    return { problem: 'Bubblewrap is for Linux only, and nothing else confines commands here.' }
  const problem = problemOfRoot(settings.root) ?? problemOfReadable(settings.readable)
  if (problem !== undefined) return { problem }
  const bwrap = settings.bwrap ?? findProgram({ program: 'bwrap', outside: settings.root })
  if (bwrap === undefined) return { problem: notInstalled }
  try {
    const [{ stdout: version }, { stdout: help, stderr }] = [
      await ask(bwrap, '--version'),
      await ask(bwrap, '--help'),
    ]
    return await tryOut({
      bwrap,
      version: version.trim().split(' ').pop() ?? '',
      help: help + stderr,
      settings,
    })
  } catch (error) {
    return { problem: `${bwrap} does not run: ${reasonOf(error)}` }
  }
}

const notInstalled =
  'bwrap was not found: install the package "bubblewrap" of your distribution, or name the program in $DRAGOMAN_BWRAP.'

const problemOfReadable = (readable: readonly string[]) =>
  readable.some((path) => (realPath(path) ?? path) === '/')
    ? 'The whole file system cannot be readable; name the folders that commands need.'
    : undefined

const ask = (bwrap: string, ...args: string[]) =>
  promisify(execFile)(bwrap, args, { env: {}, timeout: 10_000, cwd: '/' })

interface Candidate {
  bwrap: string
  version: string
  help: string
  settings: SandboxSettings
}

async function tryOut({ bwrap, version, help, settings }: Candidate): Promise<Sandbox | { problem: string }> {
  const canLimit = help.includes('--size')
  // From 0.8 on: without nested namespaces, much of the kernel is out of reach.
  const ways = help.includes('--disable-userns') ? [['--disable-userns'], []] : [[]]
  let problem = ''
  for (const flags of ways) {
    const sandbox = createSandbox({ bwrap, version, canLimit, flags, settings })
    const [, ...args] = sandbox.wrap(['/bin/sh', '-c', 'exit 0'], { cwd: settings.root })
    try {
      await ask(bwrap, ...args)
      return sandbox
    } catch (error) {
      problem = explain(reasonOf(error))
    }
  }
  return { problem }
}

interface SandboxParts {
  bwrap: string
  version: string
  canLimit: boolean
  flags: readonly string[]
  settings: SandboxSettings
}

function createSandbox({ bwrap, version, canLimit, flags, settings }: SandboxParts): Sandbox {
  const { root, network } = settings
  const home = homeFor(root)
  const readable = settings.readable.flatMap(bothNames)
  const namespaces = ['--unshare-user', '--unshare-all', ...(network ? ['--share-net'] : []), ...flags]
  const guards = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'localhost']
  return {
    name: 'bubblewrap',
    version,
    home,
    programFolders: [...systemFolders, ...readable],
    wrap: (argv, { cwd, readOnly = false, readable: more = [], guards: own = [] }) => {
      const shown = [...readable, ...more.flatMap(bothNames)]
      const mounts = [
        ...[...new Set(shown)].map((path) => ({ path, args: show(path) })),
        { path: '/tmp', args: throwAway('/tmp', 'temporary', canLimit) },
        { path: '/var/tmp', args: throwAway('/var/tmp', 'temporary', canLimit) },
        { path: home, args: throwAway(home, 'home', canLimit) },
        { path: root, args: [readOnly ? '--ro-bind' : '--bind', root, root] },
      ]
      const seen = [root, ...systemFolders, ...shown]
      return [
        ...[bwrap, ...namespaces, ...guards, ...showSystem(), '--proc', '/proc', '--dev', '/dev'],
        ...throwAway('/dev/shm', 'shared', canLimit),
        ...outermostFirst(mounts),
        ...(readOnly ? [] : [...pinned(root), ...own]),
        ...settings.hidden.flatMap((path) => hide(path, seen)),
        // Root has the same user id outside, so /proc/sys would be writable: core_pattern is a way out.
        ...['/proc', '/dev', '/'].flatMap((path) => ['--remount-ro', path]),
        ...['--chdir', cwd, '--', ...argv],
      ]
    },
  }

  /** A mask is a mount and cannot be replaced; the folders above it must not be moved either. */
  function pinned(folder: string): string[] {
    const between = settings.hidden.flatMap((path) => foldersBetween(folder, realPath(path) ?? ''))
    return outermostFirst([...new Set(between)].map((path) => ({ path, args: ['--bind', path, path] })))
  }
}

/** Masks a path only if it is visible: an invisible path needs no mask, and its name is not revealed. */
function hide(path: string, seen: readonly string[]): string[] {
  const real = realPath(path)
  return real !== undefined && seen.some((folder) => isWithin(real, folder)) ? mask(real) : []
}

/** The given path and the real path: programs find themselves by either. */
function bothNames(path: string): string[] {
  const real = realPath(path)
  return real === undefined ? [] : [...new Set([path, real])]
}

const outermostFirst = (mounts: readonly { path: string; args: string[] }[]): string[] =>
  mounts
    .toSorted((one, other) => one.path.split('/').length - other.path.split('/').length)
    .flatMap(({ args }) => args)

function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string }
  return (stderr || message || String(error)).trim()
}

const causes: [pattern: RegExp, advice: string][] = [
  [
    /uid map|RTM_NEWADDR|loopback/i,
    'AppArmor forbids it (Ubuntu 23.10 and newer): give bwrap a profile with "userns," in /etc/apparmor.d, or set kernel.apparmor_restrict_unprivileged_userns=0.',
  ],
  [
    /mount proc/i,
    'In a container, /proc must be whole: docker run --security-opt systempaths=unconfined --security-opt seccomp=unconfined.',
  ],
  [
    /namespace|clone|unshare|Operation not permitted/i,
    'User namespaces are forbidden here: set kernel.unprivileged_userns_clone=1 or user.max_user_namespaces above 0; in Docker, add --security-opt seccomp=unconfined.',
  ],
]

function explain(reason: string): string {
  const advice = causes.find(([pattern]) => pattern.test(reason))?.[1] ?? ''
  return `The sandbox does not start: ${reason}${advice && `\n${advice}`}`
}
