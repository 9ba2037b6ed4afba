// From nothing to the first tool call, timed: `node scripts/launch-clients.mjs [client …] [--write docs/clients.md]`. In a network with
// loopback alone, where a simulator stands at Ollama's port, each real client gets an empty home folder, `dragoman init --yes`, and
// `dragoman launch CLIENT`, and must read a file. A second time its own settings name a gateway that does not exist: launch must win,
// and no byte of them may change. Needs the clients of `npm run test:clients`, and root on Linux.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { clients } from '../test/real-clients/clients.mjs'
import { commandsFor, quiet } from './client-commands.mjs'
import { root } from './prepare.mjs'

const words = process.argv.slice(2)
const cache = process.env.DRAGOMAN_CLIENTS ?? join(homedir(), '.cache', 'dragoman-clients')
const inside = 'DRAGOMAN_LAUNCH_CELL'
if (!process.env[inside]) {
  const isolated = ['-n', '-m', '-p', '--fork', '--mount-proc', '--kill-child']
  const env = { ...process.env, [inside]: '1', DRAGOMAN_CLIENTS: cache }
  const { status } = spawnSync('unshare', [...isolated, process.execPath, import.meta.filename, ...words], {
    stdio: 'inherit',
    env,
  })
  process.exit(status ?? 1)
}

spawnSync('ip', ['link', 'set', 'lo', 'up'])
const program = join(root, 'dist', 'src', 'cli.js')
const line = `# A file that nobody could guess: ${Math.random()}`
const prompt = 'Read README.md and tell me its first line.'
// Without -m: the variable of the session must do.
const commands = { ...commandsFor({ prompt }), 'grok-cli': (path) => [path, '-p', prompt] }
const folderOf = (client) => join(cache, 'inst', clients[client].folder)
const newerNode = join(cache, 'inst', 'node24', 'node_modules', '.bin')
const programs = { 'claude-code': 'claude', 'gemini-cli': 'gemini', 'qwen-code': 'qwen', continue: 'cn' }
const isGrok = (client) => client.startsWith('grok-')
const nameOf = (client) => (isGrok(client) ? 'grok' : (programs[client] ?? client))
const fileOf = (client) =>
  client === 'goose'
    ? join(folderOf(client), 'node_modules/@aaif/goose-binary-linux-x64/bin/goose')
    : join(folderOf(client), 'node_modules/.bin', nameOf(client))

const sim = spawn(process.execPath, [program, 'sim', 'openai', '--port', '11434', '--lenient'], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
await new Promise((resolve) => sim.stdout.once('data', resolve))

/** An empty home, with nothing on the PATH but this client and the system's programs. */
function newHome(client) {
  const home = mkdtempSync(join(tmpdir(), 'dragoman-first-hour-'))
  for (const name of ['work', 'bin']) mkdirSync(join(home, name))
  writeFileSync(join(home, 'work', 'README.md'), `${line}\n`)
  symlinkSync(fileOf(client), join(home, 'bin', nameOf(client)))
  const node = clients[client].newerNode ? newerNode : dirname(process.execPath)
  const env = { PATH: `${join(home, 'bin')}:${node}:/usr/bin:/bin`, HOME: home, ...quiet }
  const dragoman = (...args) => {
    const start = performance.now()
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      ...{ cwd: join(home, 'work'), env, encoding: 'utf8', timeout: 170_000 },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return { status, output: `${stdout}${stderr}`, seconds: (performance.now() - start) / 1000 }
  }
  return { home, dragoman }
}

const hash = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Files of the user that a client's setup wrote, and everything else that is there before the launch; not the gateway's own. */
function snapshot(home) {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' })
  const isOwn = (name) => /^(?:bin|work|\.local\/(?:share|state)\/dragoman)(?:\/|$)/.test(name)
  return new Map(
    names
      .filter((name) => !isOwn(name) && existsSync(join(home, name)) && statSync(join(home, name)).isFile())
      .map((name) => [name, hash(join(home, name))]),
  )
}

function launch(client, { dragoman }) {
  const [, ...args] = commands[client]('')
  return dragoman('launch', client, '--', ...args)
}

/** At its first start, Kilo adds to its own file; this is how it knows that it has done so. */
const migrated = '.config/kilo/.bash-permission-migrated'

/** Settings of the client that lead nowhere. */
function misled(client) {
  const own = newHome(client)
  const { home, dragoman } = own
  dragoman('init', '--yes')
  writeFileSync(join(home, 'wrong-key'), 'wrong-key-of-another-gateway\n')
  const wrong = [
    '--url',
    'http://127.0.0.1:9',
    '--key-file',
    join(home, 'wrong-key'),
    '--model',
    'wrong/model',
  ]
  dragoman('setup', client, '--yes', ...wrong)
  if (client === 'kilo') writeFileSync(join(home, migrated), '')
  const before = snapshot(home)
  const { output } = launch(client, own)
  const after = snapshot(home)
  const changed = [...before].filter(([name, was]) => after.get(name) !== was).map(([name]) => name)
  rmSync(home, { recursive: true, force: true })
  return { isRead: output.includes(line), output, changed, files: before.size - 2 }
}

const all = Object.keys(commands).filter((client) => clients[client] && existsSync(fileOf(client)))
const chosen = words.filter((word) => word in commands)
const rows = []
for (const client of chosen.length > 0 ? chosen : all) {
  const own = newHome(client)
  const first = own.dragoman('init', '--yes')
  const answer = launch(client, own)
  rmSync(own.home, { recursive: true, force: true })
  const isRead = answer.output.includes(line)
  const other = misled(client)
  const kept = other.changed.length === 0 ? 'yes' : `no: ${other.changed.join(', ')}`
  const row = [client, first.seconds.toFixed(1), answer.seconds.toFixed(1), other.isRead ? 'yes' : 'no', kept]
  rows.push(`| ${row.join(' | ')} |`)
  const isGood = first.status === 0 && isRead && other.isRead && other.changed.length === 0
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${row.join('  ')}`)
  if (!isGood) {
    console.log(
      [first, answer, other]
        .map(({ status, output }) => `[${status}] ${output.slice(-1500)}`)
        .join('\n---\n'),
    )
    process.exitCode = 1
  }
}
sim.kill()

const target = words[words.indexOf('--write') + 1]
if (words.includes('--write')) {
  const text = readFileSync(target, 'utf8')
  const table = [
    '| client | `init --yes`, seconds | `launch` to the answer, seconds | overrides settings of a `setup` | which stay as they were |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
  const [head, rest] = text.split(
    '<!-- the times: node scripts/launch-clients.mjs --write docs/clients.md -->',
  )
  const [, tail] = rest.split('<!-- end of the times -->')
  writeFileSync(
    target,
    `${head}<!-- the times: node scripts/launch-clients.mjs --write docs/clients.md -->\n\n${table}\n\n<!-- end of the times -->${tail}`,
  )
}
