// Codex on one task, in a network of its own that has nothing but loopback. Gateway, simulator and Codex are started here, and die
// with it. Says on its last line, as JSON, how it went.
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { failures, tasks, times } from './codex-tasks.mjs'

const { task: taskName, failure, kind, folder, program, cli } = JSON.parse(process.argv[2])
const task = failure ? failures[failure] : tasks[taskName]
const home = join(folder, 'home')
const workspace = join(folder, 'workspace')
const codexHome = join(home, '.codex')
const patienceMs = 150_000
const own = dirname(fileURLToPath(import.meta.url))
const seen = { bodies: [], statuses: [], upgrades: [], kinds: [] }

isolate()
mkdirSync(codexHome, { recursive: true })
mkdirSync(workspace, { recursive: true })
writeFileSync(join(workspace, 'README.md'), '# The magic word is 4711\n')
spawnSync('git', ['init', '-q', '.'], { cwd: workspace })
const gateway = await startGateway(await startModel())
await tap(8901, gateway)
const model = task.model ?? (task.alias ? task.alias : 'demo/the-model')
await setUp()
const startedAt = Date.now()
let { output, code } = await run(['exec', ...flags(), 'Do as you are told.'])
if (task.again) {
  const second = await run(['exec', 'resume', '--last', ...flags(), task.again])
  output += second.output
  code ||= second.code
}
const milliseconds = Date.now() - startedAt
writeFileSync(join(folder, 'output.txt'), output)
writeFileSync(join(folder, 'requests.json'), JSON.stringify(seen, undefined, 1))
const asked = readFileSync(join(folder, 'model.log'), 'utf8')
  .split('\n')
  .filter((line) => /^POST/.test(line))
console.log(
  JSON.stringify({
    problem: failure ? miscounted() : (ended() ?? task.check({ ...seen, output, workspace })),
    milliseconds,
    requests: seen.bodies.length,
    statuses: [...new Set(seen.statuses)],
    upstream: asked.length,
    said: lastError(),
  }),
)
process.exit(0)

function isolate() {
  spawnSync('ip', ['link', 'set', 'lo', 'up'])
  const resolv = join(folder, 'resolv.conf')
  writeFileSync(resolv, 'nameserver 127.0.0.1\n')
  spawnSync('mount', ['--bind', resolv, '/etc/resolv.conf'])
}

function ended() {
  const refused = seen.statuses.filter((status) => status >= 400)
  if (refused.length > 0) return `requests were answered with ${refused.join(', ')}`
  return code === 0 ? undefined : `Codex ended with ${code}`
}

/** Too few are as wrong as too many: what one retry would have mended is shown to the user. */
function miscounted() {
  if (code === 0) return 'Codex did not report the failure'
  const counts = [seen.bodies.length, asked.length]
  const wanted = [task.requests, task.upstream]
  return counts.join() === wanted.join()
    ? undefined
    : `${counts.join(' requests, ')} to the backend, and not ${wanted.join(', ')}`
}

/** What the user reads in the end. */
function lastError() {
  const events = output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const failed = events.findLast(({ type }) => type === 'turn.failed' || type === 'error')
  return failed?.error?.message ?? failed?.message
}

/** Resolves with the URL that the program says it listens on. */
function started(args, log) {
  const child = spawn(process.execPath, [cli, ...args], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.pipe(createWriteStream(join(folder, log), { flags: 'a' }))
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      const url = /listening on (http:\/\/\S+)/.exec(String(data))?.[1]
      if (url) resolve(url)
    })
    child.on('exit', (status) => reject(new Error(`${args.join(' ')} ended with ${status}`)))
  })
}

async function startModel() {
  writeFileSync(join(folder, 'model.log'), '')
  if (task.dead) return 'http://127.0.0.1:9'
  const sim = kind === 'responses' ? 'openai' : kind
  const turns = failure ? times([task.turns], 300) : task.turns
  const lines = [{ script: 1, kind: sim, scenario: taskName ?? failure, source: 'made up' }]
  if (kind === 'cursor') lines.push({ turn: {} }, ...turns.flat().flatMap(asExecs))
  else for (const steps of turns) lines.push({ turn: {} }, ...steps)
  const script = join(folder, 'script.jsonl')
  writeFileSync(script, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return started(['sim', sim, '--port', '8903', '--script', script], 'model.log')
}

/** A run of Cursor goes on after its calls. New tools are offered to a new run. */
function asExecs({ call, ...step }) {
  if (!call) return [step]
  const steps = [{ exec: { mcp: { name: call.name, args: call.arguments } } }, { await: 'results' }]
  return call.name === 'tool_search' ? [...steps, { turn: {} }] : steps
}

function startGateway(upstream) {
  const baseUrl = kind === 'openai' || kind === 'responses' || kind === 'text' ? `${upstream}/v1` : upstream
  const settings = {
    anthropic: { kind, apiKey: 'any' },
    gemini: { kind, apiKey: 'any' },
    'qwen-web': { kind, token: 'any' },
    openai: { kind, apiKey: 'any', api: 'chat' },
    responses: { kind: 'openai', apiKey: 'any', api: 'responses' },
    cursor: { kind, apiKey: 'crsr_any' },
    text: { kind: 'openai', apiKey: 'any', tools: 'text' },
  }[kind]
  const ids = {
    ...{ cursor: 'composer-2', text: 'text-demo', anthropic: 'claude-demo' },
    ...{ gemini: 'gemini-2.5-pro', 'qwen-web': 'qwen3-max' },
  }
  const target = `demo/${ids[kind] ?? 'gpt-demo'}`
  const config = join(folder, 'dragoman.jsonc')
  writeFileSync(
    config,
    JSON.stringify({
      auth: task.key ? { keys: [{ name: 'codex', key: task.key }] } : 'none',
      log: { level: 'info' },
      backends: { demo: { ...settings, baseUrl } },
      models: { 'demo/the-model': target, ...(task.alias ? { [task.alias]: target } : {}) },
      responses: { webSocket: task.webSocket !== 'off' },
    }),
  )
  return started(['serve', '--config', config, '--port', '8902'], 'gateway.log')
}

/** Between Codex and the gateway: what is asked, and how it is answered. */
function tap(port, upstream) {
  const server = createServer((incoming, answer) => {
    const target = new URL(incoming.url, upstream)
    const headers = { ...incoming.headers, host: target.host }
    const chunks = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    const onward = request(target, { method: incoming.method, headers }, (response) => {
      if (incoming.method === 'POST') {
        seen.statuses.push(response.statusCode)
        seen.bodies.push(String(Buffer.concat(chunks)))
        seen.kinds.push(JSON.parse(incoming.headers['x-codex-turn-metadata'] ?? '{}').request_kind)
      }
      answer.writeHead(response.statusCode, response.headers)
      response.pipe(answer)
      response.on('error', () => answer.destroy())
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.on('upgrade', (incoming, socket, head) => {
    const { hostname, port: at, host } = new URL(upstream)
    const onward = connect(Number(at), hostname, () => {
      const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`]
      for (let place = 0; place < incoming.rawHeaders.length; place += 2) {
        const [name, value] = incoming.rawHeaders.slice(place, place + 2)
        lines.push(`${name}: ${name.toLowerCase() === 'host' ? host : value}`)
      }
      onward.write(`${lines.join('\r\n')}\r\n\r\n`)
      onward.write(head)
      onward.once('data', (first) => seen.upgrades.push(/^HTTP\/1.1 (\d+)/.exec(String(first))?.[1]))
      onward.pipe(socket)
      socket.pipe(onward)
    })
    for (const one of [socket, onward]) one.on('error', () => undefined)
    onward.on('close', () => socket.destroy())
    socket.on('close', () => onward.destroy())
  })
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
}

/** By `dragoman setup codex`, beside the settings that a user may have. */
async function setUp() {
  const config = join(codexHome, 'config.toml')
  const mcp = `[mcp_servers.demo]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(join(own, 'mcp-server.mjs'))}]\n`
  writeFileSync(
    config,
    `check_for_update_on_startup = false\n${task.settings ?? ''}[features]\nplugins = false\napps = false\n[analytics]\nenabled = false\n${task.mcp ? mcp : ''}`,
  )
  if (task.key) writeKey(task.key)
  const args = [cli, 'setup', 'codex', '--url', 'http://127.0.0.1:8901', '--model', model, '--yes']
  const { status, stderr } = await finished(process.execPath, args, environment())
  if (status !== 0) throw new Error(stderr)
  if (task.alias) writeFileSync(config, readFileSync(config, 'utf8').replace(/^model_catalog_json.*\n/m, ''))
  if (task.webSocket) appendFileSync(config, 'supports_websockets = true\n')
  if (task.key) writeKey('sk-dragoman-which-is-no-more-valid-0000000')
}

/** Where `setup` finds it, and Codex's command reads it. */
function writeKey(key) {
  const file = join(home, '.local/share/dragoman/key')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${key}\n`, { mode: 0o600 })
}

function finished(command, args, env) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (data) => (stderr += data))
  return new Promise((resolve) => child.on('exit', (status) => resolve({ status, stderr })))
}

function flags() {
  return ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
}

function environment() {
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    HOME: home,
    CODEX_HOME: codexHome,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local/state'),
  }
}

async function run(args) {
  const child = spawn(program, args, {
    cwd: workspace,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data))
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), patienceMs)
  const status = await new Promise((resolve) => child.on('exit', resolve))
  clearTimeout(timer)
  return { output: text, code: status }
}
