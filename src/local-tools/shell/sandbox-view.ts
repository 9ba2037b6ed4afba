// The file system that a command in the sandbox sees: the programs of this machine and the root. There is no home, no /var and
// no /run (and so no sockets of Docker, agents or a desktop), and of /etc only what programs need.

import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import { isWithin } from './find-program.ts'

/** Programs and their files. */
export const systemFolders = ['/usr', '/opt', '/nix/store'].filter((folder) => existsSync(folder))

/** Links into /usr on most systems, folders on the others. */
const oldFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

const ofEtc = [
  'alternatives',
  'ca-certificates.conf',
  'crypto-policies',
  'debian_version',
  'fonts',
  'group',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'magic',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'pki/ca-trust/extracted',
  'pki/tls/certs',
  'protocols',
  'resolv.conf',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'timezone',
]

const isRuntimeOfJava = (name: string) => /^java-[\w.-]+$/.test(name)

/** Arguments for bwrap that mount the system read-only. */
export function showSystem(): string[] {
  const etc = [...ofEtc, ...readdirSync('/etc').filter(isRuntimeOfJava)].map((name) => `/etc/${name}`)
  return [
    ...systemFolders.flatMap(show),
    ...oldFolders.flatMap((folder) => {
      const entry = lstatSync(folder, { throwIfNoEntry: false })
      if (entry?.isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder]
      return entry === undefined ? [] : show(folder)
    }),
    ...etc.filter((path) => existsSync(path)).flatMap(show),
  ]
}

export const show = (path: string): string[] => ['--ro-bind', path, path]

const memory = { home: 1024, temporary: 1024, shared: 256 }

/** Folders in memory, which end with the command. A bwrap before 0.7 cannot limit their size. */
export function throwAway(path: string, kind: keyof typeof memory, canLimit: boolean): string[] {
  const size = canLimit ? ['--size', String(memory[kind] * 2 ** 20)] : []
  return [...size, '--tmpfs', path]
}

/** The home folder: the user's path, but empty. */
export function homeFor(root: string): string {
  const home = homedir()
  const shown = [...systemFolders, ...oldFolders, '/etc', '/proc', '/dev', '/sys', '/run', '/var']
  const isOwn = isAbsolute(home) && home !== '/' && !shown.some((folder) => isWithin(home, folder))
  return isOwn && !isWithin(home, root) ? home : '/tmp/home'
}

/** An empty folder, or /dev/null for a file: searches skip both silently. */
export const mask = (path: string): string[] =>
  statSync(path).isDirectory() ? ['--tmpfs', path, '--remount-ro', path] : ['--dev-bind', '/dev/null', path]

/** The folders between the root and a path in it, outermost first. */
export function foldersBetween(root: string, path: string): string[] {
  const folder = dirname(path)
  return folder === root || !isWithin(folder, root) ? [] : [...foldersBetween(root, folder), folder]
}

export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** Why this folder cannot be the writable root. */
export function problemOfRoot(root: string): string | undefined {
  const system = [
    ...systemFolders,
    ...oldFolders,
    '/',
    '/boot',
    '/dev',
    '/etc',
    '/proc',
    '/run',
    '/sys',
    '/var',
  ]
  if (system.includes(root) || dirname(root) === '/usr')
    return `${root} belongs to the system; a root is a folder of your own.`
  const kernel = ['/dev', '/proc', '/sys'].find((folder) => isWithin(root, folder))
  return kernel && `${root} is in ${kernel}, which the sandbox replaces; take a folder on a disk.`
}
