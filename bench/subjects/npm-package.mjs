// Packages of npm that are compared with, and are no dependency of this project: fetched when a bench wants them, in the version
// it names, without their install scripts, into a folder of their own that is kept.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/prepare.mjs'
import { say } from './process.mjs'

const cache = join(root, 'node_modules', '.cache', 'dragoman-bench')

/**
 * The folder of the package; undefined, with a line that says so, where it cannot be had. `overrides`: the versions of its own
 * dependencies with which it works.
 */
export function provideNpmPackage(name, version, overrides = {}) {
  const folder = join(cache, `${name.replaceAll('/', '-').replace('@', '')}-${version}`)
  const installed = join(folder, 'node_modules', name)
  const stamp = join(folder, '.installed')
  const manifest = JSON.stringify({ private: true, overrides })
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === manifest) return installed
  say(`bench: fetching ${name}@${version} from npm into ${folder}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), manifest)
  // Offline, it should not take long to say so.
  const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=1000']
  const args = [...patience, '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error, stderr } = spawnSync(
    'npm',
    ['install', ...args, '--prefix', folder, `${name}@${version}`],
    { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], timeout: 600_000 },
  )
  if (status === 0) {
    writeFileSync(stamp, manifest)
    return installed
  }
  const why = error?.message ?? /^npm error (.*)$/m.exec(stderr)?.[1] ?? stderr
  say(`bench: ${name}@${version} could not be had (${why}), the bench goes on without it`)
  return undefined
}
