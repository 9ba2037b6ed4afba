// Claude Code's own program, a gateway and a simulated service, all in one network namespace. Every request is recorded between the
// client and the gateway, and again at the service.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
export const root = join(here, '../../..')
const built = (path) => import(join(root, 'build', path))
export const mcpServer = join(here, 'mcp-server.mjs')
/** The service knows no other key. */
const apiKey = 'sk-upstream'

/** The services that stand behind the gateway. `model` is what Claude Code is told to use. */
export const services = {
  anthropic: { kind: 'anthropic', model: 'anthropic/claude-opus-5-5' },
  openai: { kind: 'openai', model: 'openai/gpt-demo' },
  cursor: { kind: 'cursor', model: 'cursor/composer-2' },
}

/** `searches`: the gateway may search the web, at a simulated SearXNG. */
export async function startRig({ service, claude, searches }) {
  spawnSync('ip', ['link', 'set', 'lo', 'up'])
  const { kind, model } = services[service]
  const sim = await startService(kind)
  const search = searches ? await (await built('sim/search.js')).startSearchSim('searxng') : undefined
  const lacks = search && { search: { service: 'searxng', baseUrl: search.url } }
  const folder = mkdtempSync(join(tmpdir(), 'claude-code-'))
  const backend = {
    kind,
    apiKey: kind === 'cursor' ? 'crsr_test' : apiKey,
    baseUrl: kind === 'openai' ? `${sim.url}/v1` : sim.url,
  }
  const config = join(folder, 'dragoman.json')
  write(config, { auth: 'none', backends: { [service]: backend }, ...(lacks && { lacks }) })
  const gateway = await startGateway(config, folder)
  const tap = await startTap(gateway.url)
  const workspace = join(folder, 'workspace')
  write(join(workspace, 'README.md'), '# The magic word is 4711\n')
  spawnSync('git', ['init', '-q', '.'], { cwd: workspace })
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const run = (args, options = {}) =>
    runClaude({ command: claude, args, home, workspace, url: tap.url, model, ...options })
  return { sim, search, kind, model, folder, home, workspace, run, seen: tap.seen, gateway, url: tap.url }
}

async function startService(kind) {
  if (kind === 'cursor') return (await built('sim/cursor.js')).startCursorSim()
  if (kind === 'openai') return (await built('sim/openai.js')).startOpenAISim({ apiKey })
  return (await built('sim/anthropic.js')).startAnthropicSim({ apiKey })
}

export function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

function startGateway(config, folder) {
  const child = spawn(
    process.execPath,
    [join(root, 'dist/src/cli.js'), 'serve', '--config', config, '--port', '8902'],
    {
      env: { PATH: process.env.PATH, HOME: join(folder, 'gateway-home') },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let log = ''
  child.stderr.on('data', (data) => (log += data))
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      const url = /listening on (http:\/\/\S+)/.exec(String(data))?.[1]
      if (url) resolve({ url, log: () => log, stop: () => child.kill() })
    })
    child.on('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${log}`)))
  })
}

/** Records what the client sends and gets. */
function startTap(upstream) {
  const seen = []
  const server = createServer((incoming, answer) => {
    const pieces = []
    const target = new URL(incoming.url, upstream)
    const record = { method: incoming.method, path: incoming.url, headers: incoming.headers, at: Date.now() }
    seen.push(record)
    const onward = request(
      target,
      { method: incoming.method, headers: { ...incoming.headers, host: target.host } },
      (response) => {
        record.status = response.statusCode
        record.answerHeaders = response.headers
        record.answer = ''
        answer.writeHead(response.statusCode, response.headers)
        response.on('data', (data) => {
          record.answer += data
          answer.write(data)
        })
        response.on('end', () => answer.end())
        response.on('error', () => answer.destroy())
      },
    )
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    incoming.on('data', (data) => pieces.push(data))
    incoming.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8')
      record.body = text.startsWith('{') ? JSON.parse(text) : undefined
    })
    incoming.pipe(onward)
  })
  return new Promise((resolve) =>
    server.listen(8901, '127.0.0.1', () => resolve({ url: 'http://127.0.0.1:8901', seen })),
  )
}

/** `whileRunning` may interrupt it. */
async function runClaude({
  command,
  args,
  home,
  workspace,
  url,
  model,
  env = {},
  whileRunning,
  patienceMs = 90_000,
}) {
  const child = spawn(command, args, {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: 'any',
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (data) => (output += data))
  child.stderr.on('data', (data) => (errors += data))
  const startedAt = Date.now()
  const exited = new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)))
  const signal = (name) => {
    try {
      process.kill(-child.pid, name)
    } catch {
      // It has ended already.
    }
  }
  const timer = setTimeout(() => signal('SIGKILL'), patienceMs)
  await whileRunning?.({ interrupt: () => signal('SIGINT'), exited })
  const code = await exited
  clearTimeout(timer)
  signal('SIGKILL')
  return { output, errors, code, milliseconds: Date.now() - startedAt }
}
