// Packages of npm that are compared with, and are no dependency of this project: fetched when a bench wants them, in the version
// it names, without their install scripts, into a folder of their own that is kept.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from '../../scripts/prepare.mjs'
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
  const args = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], timeout: 180_000 }
  try {
    if (run('npm', ['install', ...args, '--prefix', folder, `${name}@${version}`], options) === 0) {
      writeFileSync(stamp, manifest)
      return installed
    }
  } catch (error) {
    say(`bench: ${error.message}`)
  }
  say(`bench: ${name}@${version} could not be had, the bench goes on without it`)
  return undefined
}
