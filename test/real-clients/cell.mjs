// One client on one task, in a network of its own that has nothing but loopback: gateway, simulators and client are started
// here, and die with it. Says on its last line, as JSON, how it went.
import { spawn, spawnSync } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientsAndVariants } from './clients.mjs'
import { files, tasks } from './tasks.mjs'

const {
  client: clientName,
  model,
  nativeTools,
  task: taskName,
  folder,
  installed,
  newerNode,
  cli,
} = JSON.parse(process.argv[2])
const client = clientsAndVariants[clientName]
const task = tasks[taskName]
const home = join(folder, 'home')
const workspace = join(folder, 'workspace')
const log = join(folder, 'gateway.log')
const kind = model.split('/')[0].replace('demo-', '')
const patienceMs = 120_000
const endlessStep = { forever: { everyMs: 20, text: 'and then ' } }
const callPatterns = [
  /"functionCall":\{"id":"[^"]+","name":"([^"]+)"/g,
  /"function":\{(?:"index":\d+,)?"name":"([^"]+)"/g,
  /"type":"tool_use","id":"[^"]+","name":"([^"]+)"/g,
  /"type":"(?:function|custom_tool)_call"[^{}]*?"name":"([^"]+)"/g,
]

isolate()
for (const [name, text] of Object.entries(files)) {
  const path = join(workspace, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
mkdirSync(home, { recursive: true })
spawnSync('git', ['init', '-q', '.'], { cwd: workspace })

const gateway = await startGateway()
const seen = { tools: new Set(), requests: [], statuses: [], began: false }
await tap(8901, gateway)
const startedAt = Date.now()
const { output, code } = await runClient('http://127.0.0.1:8901')
const milliseconds = Date.now() - startedAt
const problem = await settled()
writeFileSync(join(folder, 'requests.json'), JSON.stringify(seen.requests))
console.log(JSON.stringify({ problem, milliseconds, tools: [...seen.tools], requests: seen.statuses.length }))
process.exit(0)

function isolate() {
  spawnSync('ip', ['link', 'set', 'lo', 'up'])
  const resolv = join(folder, 'resolv.conf')
  writeFileSync(resolv, 'nameserver 127.0.0.1\n')
  spawnSync('mount', ['--bind', resolv, '/etc/resolv.conf'])
}

/** Resolves with the URL that the program says it listens on. */
function started(args) {
  const child = spawn(process.execPath, [cli, ...args], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.pipe(createWriteStream(log, { flags: 'a' }))
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      const url = /listening on (http:\/\/\S+)/.exec(String(data))?.[1]
      if (url) resolve(url)
    })
    child.on('exit', (status) => reject(new Error(`${args.join(' ')} ended with ${status}`)))
  })
}

async function startGateway() {
  if (kind === 'bedrock' || kind === 'vertex') return startCloud()
  if (task.endless) return startEndless()
  if (nativeTools === undefined) return started(['demo', '--port', '8902', '--log-level', 'info'])
  const upstream = await started(['sim', 'cursor', '--port', '8903'])
  return serve({ kind: 'cursor', apiKey: 'crsr_any', nativeTools, baseUrl: upstream })
}

function serve(backend) {
  const config = join(folder, 'dragoman.jsonc')
  writeFileSync(
    config,
    JSON.stringify({ auth: 'none', ollama: { enabled: true }, backends: { [`demo-${kind}`]: backend } }),
  )
  return started(['serve', '--config', config, '--port', '8902', '--log-level', 'info'])
}

/** A cloud that checks signatures and tokens. */
async function startCloud() {
  const { startBedrockSim } = await import(join(dirname(cli), '../../build/sim/bedrock.js'))
  const { startVertexSim } = await import(join(dirname(cli), '../../build/sim/vertex.js'))
  const keys = { accessKeyId: 'AKIAREALCLIENTS', secretAccessKey: 'checked', sessionToken: 'session' }
  const token = 'ya29.checked'
  const sim =
    kind === 'bedrock'
      ? await startBedrockSim({ signers: [keys] })
      : await startVertexSim({ tokens: [token] })
  if (task.endless) for (let turn = 0; turn < 4; turn++) sim.play([endlessStep])
  const shared = { kind: 'anthropic', provider: kind, baseUrl: sim.url, models: ['claude-sonnet-5-5'] }
  return serve(
    kind === 'bedrock'
      ? { ...shared, ...keys, region: 'us-east-1' }
      : { ...shared, accessToken: token, region: 'us-east5', project: 'my-project' },
  )
}

/** A service whose answers have no end. */
async function startEndless() {
  const endless =
    kind === 'cursor'
      ? [{ say: 'Once upon a time' }, { heartbeats: { everyMs: 50, count: 'forever' } }]
      : [endlessStep]
  // One simulator speaks both of OpenAI's APIs.
  const sim = kind === 'responses' ? 'openai' : kind
  const lines = [{ script: 1, kind: sim, scenario: 'endless', source: 'made up' }]
  for (let turn = 0; turn < 4; turn++) lines.push({ turn: {} }, ...endless)
  const script = join(folder, 'script.jsonl')
  writeFileSync(script, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const upstream = await started(['sim', sim, '--port', '8903', '--script', script])
  const baseUrl = sim === 'openai' || sim === 'text' ? `${upstream}/v1` : upstream
  const settings = {
    anthropic: { kind, apiKey: 'any' },
    gemini: { kind: 'gemini', apiKey: 'any' },
    openai: { kind, apiKey: 'any' },
    responses: { kind: 'openai', apiKey: 'any', api: 'responses' },
    cursor: { kind, apiKey: 'crsr_any', ...(nativeTools && { nativeTools }) },
    text: { kind: 'openai', apiKey: 'any', tools: 'text' },
  }[kind]
  return serve({ ...settings, baseUrl })
}

/** Between client and gateway: which tools are called, and how requests end. */
function tap(port, upstream) {
  const server = createServer((incoming, answer) => {
    const target = new URL(incoming.url, upstream)
    const headers = { ...incoming.headers, host: target.host }
    const asked = []
    incoming.on('data', (chunk) => asked.push(chunk))
    const onward = request(target, { method: incoming.method, headers }, (response) => {
      if (incoming.method === 'POST') {
        seen.statuses.push(response.statusCode)
        seen.requests.push({ path: incoming.url, body: String(Buffer.concat(asked)) })
      }
      answer.writeHead(response.statusCode, response.headers)
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
        seen.began ||= /"(?:content|text|delta)":"\w/.test(text)
        answer.write(chunk)
      })
      response.on('end', () => answer.end())
      // Some clients leave as soon as they have what they need.
      response.on('close', () => collectTools(text))
      response.on('error', () => answer.destroy())
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
}

function collectTools(text) {
  for (const pattern of callPatterns) for (const [, name] of text.matchAll(pattern)) seen.tools.add(name)
}

function environment(more = {}) {
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local/state'),
    ...more,
  }
}

async function runClient(url) {
  const { command, args, env } = await client.start({
    ...{ installed, newerNode, home, workspace, url, model, cli },
    prompt: task.prompt,
  })
  const child = spawn(command, args, {
    cwd: workspace,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: a terminal interrupts all of it, too.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  const exited = new Promise((resolve) => child.on('exit', resolve))
  const signal = (name) => {
    try {
      process.kill(-child.pid, name)
    } catch {
      // Gone already: Gemini CLI leaves an answer that repeats itself.
    }
  }
  const kill = () => signal('SIGKILL')
  const timer = setTimeout(kill, patienceMs)
  if (task.endless) {
    while (!seen.began && child.exitCode === null && child.signalCode === null) await sleep(50)
    await sleep(500)
    signal('SIGINT')
    await Promise.race([exited, sleep(10_000)])
    kill()
  }
  const code = await exited
  clearTimeout(timer)
  writeFileSync(join(folder, 'output.txt'), output)
  return { output, code }
}

/** The gateway may need a moment to see that a client has gone. */
async function settled() {
  for (let tries = 0; tries < 20; tries++) {
    await sleep(250)
    if (judge() === undefined) return undefined
  }
  return judge()
}

function judge() {
  const lines = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
  const turns = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg, message }) => (msg ?? message) === 'turn')
  const refused = seen.statuses.filter((status) => status >= 400)
  if (refused.length > 0) return `requests were answered with ${refused.join(', ')}`
  if (!task.endless && code !== 0) return `it ended with ${code}`
  if (!task.endless && seen.tools.size === 0) return 'no tool was called'
  const lost = kind === 'cursor' && !task.endless && lostRuns(turns)
  if (lost) return `${lost} of its results came to a new run`
  return task.check({ output, workspace, turns, client })
}

/** A run that makes calls goes on with their results. */
function lostRuns(turns) {
  const count = (is) => turns.filter(is).length
  return Math.max(
    0,
    count(({ outcome }) => outcome === 'tool-calls') - count(({ session }) => session === 'live'),
  )
}
