// The real clients on this machine: installed once, into ~/.cache/dragoman-clients (or $DRAGOMAN_CLIENTS), and run in a network that
// has nothing but loopback.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { provide, unpackedProgram } from '../../scripts/debian.mjs'
import { build, install, root } from '../../scripts/prepare.mjs'
import { clientsAndVariants } from './clients.mjs'

const cell = join(dirname(fileURLToPath(import.meta.url)), 'cell.mjs')
const cache = process.env.DRAGOMAN_CLIENTS ?? join(homedir(), '.cache', 'dragoman-clients')
const installedFolder = (name) => join(cache, 'inst', name)
const newerNode = join(installedFolder('node24'), 'node_modules/.bin/node')
const isolated = ['-n', '-m', '-p', '--fork', '--mount-proc', '--kill-child']

export function fail(message) {
  console.error(`dragoman: ${message}`)
  process.exit(2)
}

export function chosen(all, names, what) {
  for (const name of names ?? [])
    if (!all.includes(name)) fail(`there is no ${what} "${name}"; there are: ${all.join(', ')}`)
  return names ?? all
}

/** The gateway, and as many of these clients as can be installed. */
export function prepareClients(names) {
  checkIsolation()
  install()
  build()
  // Some clients search with ripgrep and download it if it is missing.
  provide({ program: 'rg', variable: 'DRAGOMAN_RG', packages: ['ripgrep'], purpose: 'the clients' })
  const ready = names.filter(installClient)
  if (ready.length === 0) fail('no client could be installed')
  return ready
}

/** The very thing that every run needs. */
function checkIsolation() {
  const { error, status, stderr } = spawnSync('unshare', [...isolated, 'ip', 'link', 'set', 'lo', 'up'], {
    encoding: 'utf8',
  })
  if (status !== 0)
    fail(
      `this needs namespaces of its own: run it as root on Linux, with util-linux and iproute2 (${error?.message ?? stderr.trim()})`,
    )
}

/** Each in a folder of its own, by exact versions; newer ones need a newer Node to be installed at all. */
function installClient(name) {
  const { folder, packages, newerNode: needsNewer } = clientsAndVariants[name]
  return (!needsNewer || npmInstall('node24', ['node@24'])) && npmInstall(folder, packages, needsNewer)
}

function npmInstall(folder, packages, needsNewer = false) {
  const place = installedFolder(folder)
  if (packages.every((spec) => isInstalled(place, spec))) return true
  console.log(`installing ${packages.join(', ')}`)
  mkdirSync(place, { recursive: true })
  if (!existsSync(join(place, 'package.json')))
    writeFileSync(join(place, 'package.json'), '{"private":true,"type":"module"}')
  // Our own .npmrc forbids install scripts, and npm hands that on; some clients fetch their program by one.
  const { npm_config_ignore_scripts: _ours, ...env } = process.env
  const path = needsNewer ? `${dirname(newerNode)}:${env.PATH}` : env.PATH
  const args = ['install', '--no-fund', '--no-audit', '--loglevel=error', ...packages]
  const { status } = spawnSync('npm', args, { cwd: place, stdio: 'inherit', env: { ...env, PATH: path } })
  if (status !== 0) console.error(`dragoman: ${packages.join(', ')} could not be installed`)
  return status === 0
}

/** Whole, and of the version that is asked for: exact, or any of that line. */
function isInstalled(place, spec) {
  const [, name, version = ''] = /^(.[^@]*)(?:@(.*))?$/.exec(spec)
  const file = join(place, 'node_modules', name, 'package.json')
  return (
    existsSync(file) &&
    `${JSON.parse(readFileSync(file, 'utf8')).version}.`.startsWith(version && `${version}.`)
  )
}

/** One client on one task. What it leaves is in `folder`; `request` says more to the cell. */
export function runClient({ client, task, folder, ...request }) {
  mkdirSync(folder, { recursive: true })
  const given = {
    ...{ client, task, folder, newerNode },
    ...request,
    installed: installedFolder(clientsAndVariants[client].folder),
    cli: join(root, 'dist/src/cli.js'),
  }
  const ripgrep = process.env.DRAGOMAN_RG ?? unpackedProgram('rg')
  const searchPath = ripgrep ? `${dirname(ripgrep)}:${process.env.PATH}` : process.env.PATH
  const { stdout, stderr } = spawnSync(
    'unshare',
    [...isolated, process.execPath, cell, JSON.stringify(given)],
    {
      encoding: 'utf8',
      env: { ...process.env, PATH: searchPath },
      timeout: 180_000,
      killSignal: 'SIGKILL',
    },
  )
  const last = stdout?.trim().split('\n').at(-1) ?? ''
  return last.startsWith('{')
    ? JSON.parse(last)
    : { problem: `it could not be run: ${stderr?.trim().slice(-300)}` }
}
