// Bubblewrap: the command gets namespaces of its own, in which there is nothing but what sandbox-view.ts shows, no network, no
// rights, and one place to write to. https://github.com/containers/bubblewrap

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
  /** Its real path: the only place that can be written to. */
  root: string
  /** Not to be seen wherever they are: the gateway's config, keys and credentials. */
  hidden: readonly string[]
  /** Further folders to show read-only, such as a toolchain in the user's home. */
  readable: readonly string[]
  /** With it, also this machine's own ports can be reached, the gateway's among them. */
  network: boolean
  /** Which bwrap; otherwise the one of $DRAGOMAN_BWRAP, then of PATH. */
  bwrap?: string
}

export interface WrapOptions {
  cwd: string
  /** The root cannot be written to either. */
  readOnly?: boolean
  /** Files or folders to show read-only for this one command. */
  readable?: readonly string[]
  /** Arguments for bwrap that keep parts of the root as they are. */
  guards?: readonly string[]
}

export interface Sandbox {
  name: 'bubblewrap'
  version: string
  /** The user's home by its path; empty, and gone with the command. */
  home: string
  /** Where programs can be. */
  programFolders: readonly string[]
  /** argv that runs this command confined. */
  wrap(argv: readonly string[], options: WrapOptions): string[]
}

/** Finds bwrap (PATH, or $DRAGOMAN_BWRAP) and tries it once: namespaces may be forbidden here. */
export async function findSandbox(settings: SandboxSettings): Promise<Sandbox | { problem: string }> {
  if (process.platform !== 'linux')
    return { problem: 'Bubblewrap is for Linux only, and nothing else confines commands here.' }
  const problem = problemOfRoot(settings.root) ?? problemOfReadable(settings.readable)
  if (problem !== undefined) return { problem }
  const bwrap =
    settings.bwrap ?? findProgram({ program: 'bwrap', variable: 'DRAGOMAN_BWRAP', outside: settings.root })
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
  // From 0.8 on: without namespaces inside the namespace, much of the kernel is out of reach.
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
        // For root, whose sandbox has the same number outside, /proc/sys would be writable: core_pattern is a way out.
        ...['/proc', '/dev', '/'].flatMap((path) => ['--remount-ro', path]),
        ...['--chdir', cwd, '--', ...argv],
      ]
    },
  }

  /** What is masked cannot be replaced, being a mount; so the folders that it is in must not be moved away either. */
  function pinned(folder: string): string[] {
    const between = settings.hidden.flatMap((path) => foldersBetween(folder, realPath(path) ?? ''))
    return outermostFirst([...new Set(between)].map((path) => ({ path, args: ['--bind', path, path] })))
  }
}

/** A mask where something can be seen: what is not shown needs no mask, and its name is not told. */
function hide(path: string, seen: readonly string[]): string[] {
  const real = realPath(path)
  return real !== undefined && seen.some((folder) => isWithin(real, folder)) ? mask(real) : []
}

/** As it is spelled and as it is: programs find themselves by either. */
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
