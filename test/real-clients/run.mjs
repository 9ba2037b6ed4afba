// `npm run test:clients`: the real clients, by their own programs, through the built gateway on each demo backend, each run in a
// network that has nothing but loopback. Clients are installed once, into ~/.cache/dragoman-clients (or $DRAGOMAN_CLIENTS).
//   npm run test:clients -- --client claude-code --backend demo-cursor --task cancel
//   npm run test:clients -- --write docs/clients.md      puts the table into that file
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { provide, unpackedProgram } from '../../scripts/debian.mjs'
import { build, install, root } from '../../scripts/prepare.mjs'
import { clients } from './clients.mjs'
import { tasks } from './tasks.mjs'

const models = {
  'demo-anthropic': 'demo-anthropic/claude-demo',
  'demo-openai': 'demo-openai/gpt-demo',
  'demo-responses': 'demo-responses/gpt-demo',
  'demo-cursor': 'demo-cursor/composer-2',
  'demo-text': 'demo-text/text-demo',
  // The model misspells every tool's name, and sends numbers, booleans, lists and objects as text.
  'careless model': 'demo-openai/careless-demo',
  // The model uses Cursor's own tools, and the client's tools do their work.
  'cursor, own tools': 'demo-cursor/composer-2',
}
const many = { type: 'string', multiple: true }
const wanted = readOptions()
const chosen = (all, names, what) => {
  for (const name of names ?? [])
    if (!all.includes(name)) fail(`there is no ${what} "${name}"; there are: ${all.join(', ')}`)
  return names ?? all
}

const cell = join(dirname(fileURLToPath(import.meta.url)), 'cell.mjs')
const cache = process.env.DRAGOMAN_CLIENTS ?? join(homedir(), '.cache', 'dragoman-clients')
const installedFolder = (name) => join(cache, 'inst', name)
const newerNode = join(installedFolder('node24'), 'node_modules/.bin/node')

const clientNames = chosen(Object.keys(clients), wanted.client, 'client')
const backendNames = chosen(Object.keys(models), wanted.backend, 'backend')
const taskNames = chosen(Object.keys(tasks), wanted.task, 'task')

const isolated = ['-n', '-m', '-p', '--fork', '--mount-proc', '--kill-child']
const [begin, end] = [
  '<!-- the table: npm run test:clients -- --write docs/clients.md -->',
  '<!-- its end -->',
]
// Before the work of an hour, not after it.
if (wanted.write) placeOfTable(wanted.write)
checkIsolation()
install()
build()
// Some clients search with ripgrep and download it if it is missing.
provide({ program: 'rg', variable: 'DRAGOMAN_RG', packages: ['ripgrep'], purpose: 'the clients' })
const ripgrep = process.env.DRAGOMAN_RG ?? unpackedProgram('rg')
const searchPath = ripgrep ? `${dirname(ripgrep)}:${process.env.PATH}` : process.env.PATH
const ready = clientNames.filter(installClient)
if (ready.length === 0) fail('no client could be installed')
const work = mkdtempSync(join(tmpdir(), 'dragoman-clients-'))
const results = ready.map((client) => ({
  client,
  cells: backendNames.map((backend) => runCell(client, backend)),
}))
const table = toTable()
console.log(`\n${table}`)
if (wanted.write) writeTable(wanted.write)
const failures = results.flatMap(({ cells }) => cells.flatMap(({ failed }) => failed))
if (failures.length > 0) console.log(`\n${failures.length} failed; what they left is in ${work}`)
else if (!wanted.keep) rmSync(work, { recursive: true, force: true })
process.exit(failures.length > 0 || ready.length < clientNames.length ? 1 : 0)

function fail(message) {
  console.error(`dragoman: ${message}`)
  process.exit(2)
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        client: many,
        backend: many,
        task: many,
        write: { type: 'string' },
        keep: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    fail(error.message)
  }
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
  const { folder, packages, newerNode: needsNewer } = clients[name]
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

function runCell(client, backend) {
  const outcomes = taskNames.map((task) => ({ task, ...runTask(client, backend, task) }))
  return {
    backend,
    passed: outcomes.filter(({ problem }) => !problem).length,
    failed: outcomes.filter(({ problem }) => problem),
    seconds: outcomes.reduce((sum, { milliseconds = 0 }) => sum + milliseconds, 0) / 1000,
    tools: [...new Set(outcomes.flatMap(({ tools = [] }) => tools))],
  }
}

function runTask(client, backend, task) {
  const folder = join(work, [client, backend, task].join('-').replace(/[^\w-]+/g, '-'))
  mkdirSync(folder, { recursive: true })
  const request = {
    ...{ client, task, folder, newerNode },
    model: models[backend],
    ...(backend === 'cursor, own tools' && { nativeTools: 'redirect' }),
    installed: installedFolder(clients[client].folder),
    cli: join(root, 'dist/src/cli.js'),
  }
  const { stdout, stderr } = spawnSync(
    'unshare',
    [...isolated, process.execPath, cell, JSON.stringify(request)],
    {
      encoding: 'utf8',
      env: { ...process.env, PATH: searchPath },
      timeout: 180_000,
      killSignal: 'SIGKILL',
    },
  )
  const last = stdout?.trim().split('\n').at(-1) ?? ''
  const result = last.startsWith('{')
    ? JSON.parse(last)
    : { problem: `it could not be run: ${stderr?.trim().slice(-300)}` }
  const time = `${((result.milliseconds ?? 0) / 1000).toFixed(1)} s`
  console.log(
    `${result.problem ? 'FAIL' : 'pass'}  ${client}, ${backend}, ${task}: ${result.problem ?? `${time}, ${(result.tools ?? []).join(' ')}`}`,
  )
  return result
}

function toTable() {
  const row = (entries) => `| ${entries.join(' | ')} |`
  const shown = ({ passed, failed, seconds, tools }) => {
    const count = failed.length === 0 ? 'pass' : `${passed} of ${taskNames.length}`
    return `${count}, ${seconds.toFixed(0)} s: ${tools.map((name) => `\`${name}\``).join(' ')}`
  }
  return [
    row(['client', ...backendNames]),
    row(['client', ...backendNames].map(() => '---')),
    ...results.map(({ client, cells }) => row([client, ...cells.map(shown)])),
  ].join('\n')
}

/** Between two marks, so that the words around it stay. */
function placeOfTable(path) {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) fail(`${path} has no place for the table (${begin} … ${end})`)
  return { before, after }
}

function writeTable(path) {
  const { before, after } = placeOfTable(path)
  const words = `Tasks: ${taskNames.join('; ')}.\n\n${table}`
  writeFileSync(path, `${before}${begin}\n\n${words}\n\n${end}${after}`)
}
