// Programs that tests and benches use, where the machine has them not: unpacked from Debian's packages into a cache folder. Nothing is
// installed, no service is started. DRAGOMAN_NO_APT=1 leaves it be.
//
//   node_modules/.cache/dragoman-debian/bin/PROGRAM     what test/debian-program.ts finds
//   node_modules/.cache/dragoman-debian/PROGRAM/        its packages, unpacked
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { root } from './prepare.mjs'

const cache = join(root, 'node_modules', '.cache', 'dragoman-debian')

const linkOf = (program) => join(cache, 'bin', program)

/** What `provide` unpacked. */
export const unpackedProgram = (program) => (existsSync(linkOf(program)) ? linkOf(program) : undefined)

const quietly = (command, args, cwd) => spawnSync(command, args, { cwd, encoding: 'utf8' })

const isOnPath = (program) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))

/**
 * Makes `program` findable if that can be done without touching the system; says so in one line.
 *
 * - `packages`: the one that has it, and the libraries that a small Debian image lacks
 * - `dependencies`: the others of its libraries that this machine lacks are looked up, for programs with many of them
 * - `variable`: the environment variable by which a user names a program of his own
 * - `file`: where it is inside the packages
 * - `check`: arguments with which it ends with 0 where it runs at all
 * - `purpose`: who wants it
 */
export function provide({
  program,
  packages,
  dependencies = false,
  variable,
  file = `usr/bin/${program}`,
  check = ['--version'],
  purpose = 'the tests',
}) {
  const linked = linkOf(program)
  if (process.env[variable] || isOnPath(program) || existsSync(linked) || !mayFetch()) return
  console.log(
    `dragoman: unpacking ${program} for ${purpose} into node_modules/.cache (DRAGOMAN_NO_APT=1 to leave it)`,
  )
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-debian-'))
  try {
    if (!fetchInto(folder, packages, dependencies))
      console.log(`dragoman: the packages of ${program} could not be had`)
    else if (!unpack({ folder, program, file, check, linked }))
      console.log(`dragoman: the unpacked ${program} does not run here`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const mayFetch = () =>
  process.env.DRAGOMAN_NO_APT !== '1' &&
  process.getuid?.() === 0 &&
  existsSync('/etc/debian_version') &&
  quietly('apt-get', ['--version']).status === 0

let updated = false

function fetchInto(folder, packages, dependencies) {
  const options = ['-y', '--no-install-recommends', '--download-only', '-o', `Dir::Cache::Archives=${folder}`]
  const args = dependencies ? ['install', ...options, ...packages] : ['download', ...packages]
  mkdirSync(join(folder, 'partial'), { recursive: true })
  const download = () => quietly('apt-get', args, folder).status === 0
  if (download()) return true
  if (updated) return false
  updated = true
  quietly('apt-get', ['update'])
  return download()
}

/** Whole or not at all: what is linked is used without a second look. */
function unpack({ folder, program, file, check, linked }) {
  const files = join(cache, program)
  rmSync(files, { recursive: true, force: true })
  mkdirSync(join(cache, 'bin'), { recursive: true })
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.deb')))
    if (quietly('dpkg', ['-x', join(folder, name), files]).status !== 0) return false
  // As it is, if the system has its libraries: a sandbox shows one file more easily than a tree.
  const asItIs = () => symlinkSync(join('..', program, file), `${linked}.new`)
  const withItsLibraries = () => {
    writeFileSync(`${linked}.new`, wrapper(program, file))
    chmodSync(`${linked}.new`, 0o755)
  }
  for (const make of [asItIs, withItsLibraries]) {
    rmSync(`${linked}.new`, { force: true })
    make()
    if (quietly(`${linked}.new`, check).status !== 0) continue
    renameSync(`${linked}.new`, linked)
    return true
  }
  rmSync(`${linked}.new`, { force: true })
  return false
}

const wrapper = (program, file) => `#!/bin/sh
here=$(cd "$(dirname "$0")/../${program}" && pwd)
for folder in "$here"/usr/lib/*-linux-gnu "$here"/usr/lib/*-linux-gnu/*/ "$here"/lib/*-linux-gnu; do
  LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH
exec "$here/${file}" "$@"
`

/** What the tests of this repository use. */
export function provideAll() {
  provide({
    program: 'redis-server',
    variable: 'REDIS_SERVER_BIN',
    packages: [
      'redis-server',
      'redis-tools',
      'libjemalloc2',
      'liblzf1',
      'liblua5.1-0',
      'lua-bitop',
      'lua-cjson',
    ],
  })
  provide({
    program: 'bwrap',
    variable: 'DRAGOMAN_BWRAP',
    packages: ['bubblewrap', 'libcap2', 'libselinux1'],
  })
  provide({
    program: 'chromium-headless-shell',
    variable: 'DRAGOMAN_CHROMIUM',
    packages: ['chromium-headless-shell'],
    dependencies: true,
    // What is in /usr/bin is a script that names the place where it would have been installed.
    file: 'usr/lib/chromium/chromium-headless-shell',
  })
  provide({ program: 'rg', variable: 'DRAGOMAN_RG', packages: ['ripgrep'] })
}
