// 9router (npm: 9router): Chat, Responses, Messages and Gemini in, many services out, in Node, set up on its web page. Its launcher
// downloads a database driver and looks for updates, so its server is started as the launcher does it; with Node 24 it needs no
// driver. Its data is below `folder`.
//
// `model` is up/NAME. It calls UPSTREAM/v1/chat/completions or UPSTREAM/v1/messages.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { addUpstream, openDashboard } from './dashboard.mjs'
import { provideNewerNode } from './newer-node.mjs'
import { provideNpmPackage } from './npm-package.mjs'
import { freePort, say, startProgram } from './process.mjs'

const name = '9router'
const version = '0.5.69'
/** Of a new installation. */
const password = '123456'

export async function startNineRouter({ upstream, folder, kind, core }) {
  const installed = provideNpmPackage(name, version)
  const node = provideNewerNode()
  if (installed === undefined || node === undefined) return undefined
  const port = await freePort()
  const home = join(folder, '9router')
  mkdirSync(home)
  let running
  try {
    running = await startProgram({
      command: node,
      args: ['--dns-result-order=ipv4first', 'custom-server.js'],
      env: {
        ...process.env,
        HOME: home,
        DATA_DIR: join(home, 'data'),
        PORT: String(port),
        HOSTNAME: '127.0.0.1',
      },
      cwd: join(installed, 'app'),
      port,
      log: join(home, 'log'),
      core,
    })
    const send = await openDashboard(running.url)
    await send('POST', '/api/auth/login', { password })
    await addUpstream(send, kind, upstream)
    const made = await send('POST', '/api/keys', { name: 'bench' })
    return { name: '9router', version, ...running, key: made.key }
  } catch (error) {
    await running?.stop()
    say(`bench: without 9router: ${error.message}`)
    return undefined
  }
}
