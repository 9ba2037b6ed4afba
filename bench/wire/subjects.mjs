// Who is measured: the raw pipe, nginx, the peers that npm has, and Dragoman, each started for one kind of backend.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../scripts/prepare.mjs'
import { startClaudeCodeRouter } from '../subjects/claude-code-router.mjs'
import { startNginx } from '../subjects/nginx.mjs'
import { startPortkey } from '../subjects/portkey.mjs'
import { wireModel } from './dialects.mjs'
import { createAgent } from './load.mjs'
import { cores, startServer } from './processes.mjs'

const beside = (file) => fileURLToPath(new URL(file, import.meta.url))

export const doorNames = ['chat', 'messages', 'responses', 'gemini']

/** Its own door is measured before Gemini alone: others are as far from it as from Chat. */
export const doorsBefore = (backend) => doorNames.filter((door) => door !== 'gemini' || backend === 'gemini')

/**
 * - `wire`: how the raw pipe and nginx are asked, who forward what they get. What is behind `cursor` is not HTTP/1.1, and
 *   Qwen's web chat has no door's form: there they forward as many deltas of the Chat API.
 * - `without`: what this service cannot be asked for, and why
 */
export const backends = {
  anthropic: { wire: 'messages', without: {} },
  openai: { wire: 'chat', without: {} },
  gemini: {
    wire: 'gemini',
    without: { w3: 'this service sends arguments whole, in one message' },
  },
  text: { wire: 'chat', without: {} },
  cursor: {
    wire: 'chat',
    without: { w3: 'this service sends arguments whole, in one message' },
  },
  'qwen-web': {
    wire: 'chat',
    without: {
      w5: 'a message to this service has 131,072 characters at most',
      w5l: 'a message to this service has 131,072 characters at most',
    },
  },
}

export async function startUpstreams() {
  const [plain, cursor] = await Promise.all(
    ['./upstream.mjs', './upstream-cursor.mjs'].map((file) =>
      startServer([beside(file)], { core: cores.others }),
    ),
  )
  return { url: plain.url, cursorUrl: cursor.url, stop: () => Promise.all([plain.stop(), cursor.stop()]) }
}

const backendSettings = ({ url, cursorUrl }) => ({
  anthropic: { kind: 'anthropic', baseUrl: url, apiKey: 'bench' },
  openai: { kind: 'openai', baseUrl: `${url}/v1`, apiKey: 'bench' },
  gemini: { kind: 'gemini', baseUrl: url, apiKey: 'bench' },
  text: { kind: 'openai', baseUrl: `${url}/text/v1`, apiKey: 'bench', tools: 'text' },
  cursor: { kind: 'cursor', baseUrl: cursorUrl, apiKey: 'crsr_bench', transport: 'http2' },
  'qwen-web': { kind: 'qwen-web', baseUrl: url, token: 'bench' },
})

/** As users start it: a key, the log of each request, the usage record. Nothing of the caller's own settings gets in. */
async function startDragoman({ home, upstreams, folder, backend, door, name, extra }) {
  const file = join(folder, `${name}-${backend}-${door}.json`.replaceAll(/[^\w.-]/g, '_'))
  const settings = {
    auth: { keys: [{ name: 'bench', key: 'sk-bench-key' }] },
    listen: { port: 0 },
    log: { level: 'info' },
    backends: { [backend]: backendSettings(upstreams)[backend] },
    ...extra,
  }
  writeFileSync(file, JSON.stringify(settings))
  const folders = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'HOME']
  const env = { PATH: process.env.PATH, ...Object.fromEntries(folders.map((key) => [key, folder])) }
  const args = [join(home, 'dist/src/cli.js'), 'serve', '--config', file]
  const running = await startServer(args, { core: cores.subject, env, cwd: folder })
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  return { ...running, name, version, door, modelName: (model) => `${backend}/${wireModel(backend, model)}` }
}

async function startRawPipe({ upstreams, backend }) {
  const args = [beside('../subjects/raw-pipe.mjs'), upstreams.url]
  const running = await startServer(args, { core: cores.subject })
  const modelName = (model) => wireModel(backend, model)
  return { ...running, name: 'raw pipe', version: process.version, door: backends[backend].wire, modelName }
}

/** A subject with `recipes`, which say what it can be asked; undefined where it cannot be had. */
const startPeer =
  (start) =>
  async ({ upstreams, folder, backend, doors }) => {
    const running = await start({ upstream: upstreams.url, folder, core: cores.subject })
    if (running === undefined) return undefined
    const { wire } = backends[backend]
    const forwards = running.name === 'nginx'
    const recipe = running.recipes.find((one) =>
      forwards ? one.door === wire : one.backend === backend && doors.includes(one.door),
    )
    if (recipe === undefined) {
      await running.stop()
      return undefined
    }
    const { door, path, headers } = recipe
    const prefix = running.name === 'claude-code-router' ? 'up,' : ''
    const modelName = (model) => prefix + wireModel(backend, model)
    return { ...running, door, path, headers, modelName, mayBeWrong: true }
  }

const peers = { nginx: startNginx, portkey: startPortkey, 'claude-code-router': startClaudeCodeRouter }
const peersOf = {
  anthropic: ['nginx', 'portkey'],
  openai: ['nginx', 'portkey', 'claude-code-router'],
}

/** Dragoman once more, with other settings. */
const variants = {
  watched: () => ({ inspector: { enabled: true } }),
  traced: ({ url }) => ({ telemetry: { traces: true, endpoint: url } }),
  unchecked: () => ({ calls: { check: 'off' } }),
}
export const variantNames = Object.keys(variants)

/** Functions that start them: what takes its time is begun when it is needed. */
export function subjectsFor({ backend, doors, withPeers, against, variants: wanted }, common) {
  const about = { ...common, backend, doors }
  const ours = doors.flatMap((door) => [
    () => startDragoman({ ...about, home: root, door, name: 'dragoman' }),
    ...(against ? [() => startDragoman({ ...about, home: against, door, name: 'other build' })] : []),
    ...wanted.map((name) => () => {
      const extra = variants[name](common.upstreams)
      return startDragoman({ ...about, home: root, door, name, extra })
    }),
  ])
  const others = withPeers ? (peersOf[backend] ?? []).map((name) => () => startPeer(peers[name])(about)) : []
  return [() => startRawPipe(about), ...ours, ...others].map((start) => async () => {
    const subject = await start()
    return subject && { ...subject, agent: createAgent() }
  })
}
