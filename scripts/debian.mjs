// Unpacks programs that tests and benches need, and the machine lacks, from Debian's packages into a cache folder. It installs
// nothing and starts no service. DRAGOMAN_NO_APT=1 turns it off.
//
//   node_modules/.cache/dragoman-debian/bin/PROGRAM     the program; test/debian-program.ts looks here
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
import { join } from 'node:path'
import { root } from './prepare.mjs'

const cache = join(root, 'node_modules', '.cache', 'dragoman-debian')

const linkOf = (program) => join(cache, 'bin', program)

/** The path of a program that `provide` unpacked. */
export const unpackedProgram = (program) => (existsSync(linkOf(program)) ? linkOf(program) : undefined)

const quietly = (command, args, options = {}) =>
  spawnSync(command, args, { encoding: 'utf8', timeout: 600_000, ...options })

/** Whether the program runs; its file alone is not enough. */
const runs = (command, { args, output = '' }) => {
  const { status, stdout } = quietly(command, args, { timeout: 60_000 })
  return status === 0 && stdout.includes(output)
}

/**
 * Makes `program` available without changing the system, and prints one line about it.
 *
 * - `packages`: the packages that contain it
 * - `variable`: the environment variable that names the user's own program
 * - `file`: its path inside the packages
 * - `check`: arguments that make a working program exit with 0, and the output it then prints
 * - `purpose`: what needs it
 */
export function provide({
  program,
  packages,
  variable,
  file = `usr/bin/${program}`,
  check = { args: ['--version'] },
  purpose = 'the tests',
}) {
  const linked = linkOf(program)
  if (process.env[variable] || (existsSync(linked) && runs(linked, check))) return
  // Tests look here first.
  rmSync(linked, { force: true })
  if (runs(program, check) || !mayFetch()) return
  console.log(
    `dragoman: unpacking ${program} for ${purpose} into node_modules/.cache (DRAGOMAN_NO_APT=1 to leave it)`,
  )
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-debian-'))
  try {
    const problem = fetchInto(folder, packages)
    if (problem !== undefined)
      console.log(`dragoman: the packages of ${program} could not be had: ${problem}`)
    else if (!unpack({ folder, program, file, check, linked }))
      console.log(`dragoman: the unpacked ${program} does not run here`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const mayFetch = () =>
  process.env.DRAGOMAN_NO_APT !== '1' &&
  existsSync('/etc/debian_version') &&
  quietly('apt-get', ['--version']).status === 0

/**
 * Unpacks the packages with all dependencies, as if nothing were installed: a program finds its data beside itself, not where the
 * system installed a dependency. Needs no root: apt writes only to our folders. Returns the problem, if any.
 */
function fetchInto(folder, packages) {
  mkdirSync(join(folder, 'partial'), { recursive: true })
  const nothingInstalled = join(folder, 'status')
  writeFileSync(nothingInstalled, '')
  const apt = (args, lists) =>
    quietly('apt-get', [
      ...setting('Debug::NoLocking', 'true'),
      ...setting('Dir::Cache::pkgcache', ''),
      ...setting('Dir::Cache::srcpkgcache', ''),
      ...setting('Dir::Cache::Archives', folder),
      ...setting('Dir::State::status', nothingInstalled),
      ...(lists === undefined ? [] : setting('Dir::State::Lists', lists)),
      ...args,
    ])
  const download = (lists) =>
    apt(['install', '-y', '--no-install-recommends', '--download-only', ...packages], lists)
  if (download().status === 0) return undefined
  // The machine's package lists are old or missing.
  const lists = join(cache, 'lists')
  mkdirSync(join(lists, 'partial'), { recursive: true })
  apt(['update'], lists)
  const { status, stderr } = download(lists)
  return status === 0 ? undefined : stderr.trim().split('\n').at(-1)
}

const setting = (name, value) => ['-o', `${name}=${value}`]

/** Atomic: a linked program is used without another check. */
function unpack({ folder, program, file, check, linked }) {
  const files = join(cache, program)
  rmSync(files, { recursive: true, force: true })
  mkdirSync(join(cache, 'bin'), { recursive: true })
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.deb') && !ofLoader(entry)))
    if (quietly('dpkg', ['-x', join(folder, name), files]).status !== 0) return false
  if (existsSync(join(files, fontFolder))) writeFileSync(join(files, 'fonts.conf'), fontSettings(files))
  // The bare file, if the system has its libraries: one file is easier to show inside a sandbox than a tree.
  const asItIs = () => symlinkSync(join('..', program, file), `${linked}.new`)
  const withItsLibraries = () => {
    writeFileSync(`${linked}.new`, wrapper(program, file))
    chmodSync(`${linked}.new`, 0o755)
  }
  for (const make of existsSync(join(files, 'fonts.conf'))
    ? [withItsLibraries]
    : [asItIs, withItsLibraries]) {
    rmSync(`${linked}.new`, { force: true })
    make()
    if (!runs(`${linked}.new`, check)) continue
    renameSync(`${linked}.new`, linked)
    return true
  }
  rmSync(`${linked}.new`, { force: true })
  return false
}

/** The C library must match the program loader, which is the machine's. */
const ofLoader = (file) => file.startsWith('libc6_')

const wrapper = (program, file) => `#!/bin/sh
here=$(cd "$(dirname "$0")/../${program}" && pwd)
for folder in "$here"/usr/lib/*-linux-gnu "$here"/usr/lib/*-linux-gnu/*/ "$here"/lib/*-linux-gnu; do
  LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH
test -f "$here/fonts.conf" && export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/${file}" "$@"
`

const fontFolder = join('usr', 'share', 'fonts')

/** A browser crashes without fonts, and the machine's fonts would make pages look different on every machine. */
const fontSettings = (files) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(files, fontFolder)}</dir>
  <cachedir>${join(files, 'font-cache')}</cachedir>
</fontconfig>
`

const browser = {
  program: 'chromium-headless-shell',
  variable: 'DRAGOMAN_CHROMIUM',
  packages: ['chromium-headless-shell'],
  // The file in /usr/bin is a script with the absolute path of the installation.
  file: 'usr/lib/chromium/chromium-headless-shell',
  check: {
    args: ['--no-sandbox', '--disable-gpu', '--dump-dom', 'data:text/html,<p>it works</p>'],
    output: 'it works',
  },
}

export const provideBrowser = (purpose) => provide({ ...browser, purpose })

/** The programs that the tests of this repository use. */
export function provideAll() {
  provide({ program: 'redis-server', variable: 'REDIS_SERVER_BIN', packages: ['redis-server'] })
  provide({ program: 'bwrap', variable: 'DRAGOMAN_BWRAP', packages: ['bubblewrap'] })
  provide(browser)
  provide({ program: 'git', variable: 'DRAGOMAN_GIT', packages: ['git'] })
  provide({ program: 'rg', variable: 'DRAGOMAN_RG', packages: ['ripgrep'] })
}
