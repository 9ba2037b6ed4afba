// A redis-server for the tests, where there is none: unpacked from Debian's packages into a cache folder. Nothing is
// installed, no service is started. DRAGOMAN_NO_APT=1 leaves it be.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { root } from './prepare.mjs'

const packages = [
  'redis-server',
  'redis-tools',
  'libjemalloc2',
  'liblzf1',
  'liblua5.1-0',
  'lua-bitop',
  'lua-cjson',
]
const cache = join(root, 'node_modules', '.cache', 'dragoman-redis')
/** test/redis.ts looks here too. */
const program = join(cache, 'redis-server')

const isOnPath = () =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'redis-server')))

const quietly = (command, args, cwd) => spawnSync(command, args, { cwd, encoding: 'utf8' })

/** Makes a redis-server findable if that can be done without touching the system; says so in one line. */
export function provideRedis() {
  if (process.env.REDIS_SERVER_BIN || isOnPath() || existsSync(program)) return
  const mayFetch =
    process.env.DRAGOMAN_NO_APT !== '1' &&
    process.getuid?.() === 0 &&
    existsSync('/etc/debian_version') &&
    quietly('apt-get', ['--version']).status === 0
  if (!mayFetch) return
  console.log(
    'dragoman: unpacking a redis-server for the tests into node_modules/.cache (DRAGOMAN_NO_APT=1 to leave it)',
  )
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-redis-'))
  try {
    if (fetchInto(folder)) unpack(folder)
    else console.log('dragoman: the packages of redis-server could not be had')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function fetchInto(folder) {
  const download = () => quietly('apt-get', ['download', ...packages], folder).status === 0
  if (download()) return true
  quietly('apt-get', ['update'])
  return download()
}

function unpack(folder) {
  const files = join(folder, 'files')
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.deb')))
    quietly('dpkg', ['-x', join(folder, name), files])
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  if (quietly('cp', ['-a', files, join(cache, 'files')]).status !== 0) return
  // Whole or not at all: what is there is used without a second look.
  writeFileSync(`${program}.new`, wrapper)
  chmodSync(`${program}.new`, 0o755)
  const works = quietly(`${program}.new`, ['--version']).status === 0
  if (works) renameSync(`${program}.new`, program)
  else console.log('dragoman: the unpacked redis-server does not run here')
}

const wrapper = `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)/files
for folder in "$here"/usr/lib/*-linux-gnu "$here"/lib/*-linux-gnu; do
  LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH
exec "$here/usr/bin/redis-server" "$@"
`
