// OmniRoute (npm: omniroute): Chat, Responses, Messages and Gemini in, many services out, in Node, set up on its web page. npm cannot
// resolve it as published (it names a version of mdast-util-to-markdown-cjk-friendly that does not exist), its database driver wants
// a download, and Node 20, which it allows, is too old for it. So: the version that exists, the driver that brings its binary along,
// and Node 24. Its server is started as its launcher does it. Its data is below `folder`.
//
// It waits, and keeps others waiting, after failures of its upstream. Here the upstream fails on purpose, so its cooldowns, its
// breaker and its queue are off (Settings → Resilience).
//
// `model` is up/NAME. It calls UPSTREAM/v1/chat/completions or UPSTREAM/v1/messages.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { addUpstream, openDashboard } from './dashboard.mjs'
import { provideNewerNode } from './newer-node.mjs'
import { provideNpmPackage } from './npm-package.mjs'
import { freePort, say, startProgram } from './process.mjs'

const name = 'omniroute'
const version = '3.7.9'
const overrides = { 'mdast-util-to-markdown-cjk-friendly': '1.0.0' }

const resilience = {
  requestQueue: { requestsPerMinute: 100_000, minTimeBetweenRequestsMs: 0, concurrentRequests: 100 },
  connectionCooldown: { apikey: { baseCooldownMs: 0, useUpstreamRetryHints: false, maxBackoffSteps: 0 } },
  providerBreaker: { apikey: { failureThreshold: 1_000, resetTimeoutMs: 1_000 } },
  waitForCooldown: { enabled: false },
}

export async function startOmniRoute({ upstream, folder, kind, core }) {
  const installed = provideNpmPackage(name, version, overrides)
  const node = provideNewerNode()
  if (installed === undefined || node === undefined || !provideDriver(installed)) return undefined
  const port = await freePort()
  const home = join(folder, 'omniroute')
  mkdirSync(home)
  let running
  try {
    running = await startProgram({
      command: node,
      args: ['--max-old-space-size=512', join(installed, 'app', 'server-ws.mjs')],
      env: {
        ...process.env,
        HOME: home,
        DATA_DIR: join(home, 'data'),
        PORT: String(port),
        HOSTNAME: '127.0.0.1',
        NODE_ENV: 'production',
      },
      cwd: home,
      port,
      log: join(home, 'log'),
      core,
    })
    const send = await openDashboard(running.url)
    await send('PATCH', '/api/resilience', resilience)
    await addUpstream(send, kind, upstream)
    const made = await send('POST', '/api/keys', { name: 'bench' })
    return { name: 'omniroute', version, ...running, key: made.key }
  } catch (error) {
    await running?.stop()
    say(`bench: without OmniRoute: ${error.message}`)
    return undefined
  }
}

function provideDriver(installed) {
  const driver = provideNpmPackage('better-sqlite3', '13.1.1')
  if (driver === undefined) return false
  const place = join(installed, 'app', 'node_modules', 'better-sqlite3')
  if (existsSync(join(place, 'prebuilds'))) return true
  rmSync(place, { recursive: true, force: true })
  cpSync(driver, place, { recursive: true })
  return true
}
