// opencodex (npm: @bitkyc08/opencodex): Responses, Chat and Messages in, many services out, in TypeScript on Bun. Its launcher wants
// Bun's install script; the Bun that npm installs beside it runs its source as its README says. Its home and Codex's are below
// `folder`.
//
// `model` is up/NAME. It calls UPSTREAM/v1/chat/completions or UPSTREAM/v1/messages.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { provideNpmPackage } from './npm-package.mjs'
import { freePort, say, startProgram } from './process.mjs'

const name = '@bitkyc08/opencodex'
const version = '2.63.0'

export async function startOpencodex({ upstream, folder, kind, core }) {
  const installed = provideNpmPackage(name, version)
  if (installed === undefined) return undefined
  const port = await freePort()
  const home = join(folder, 'opencodex')
  const env = {
    ...process.env,
    HOME: home,
    OPENCODEX_HOME: join(home, '.opencodex'),
    CODEX_HOME: join(home, '.codex'),
  }
  mkdirSync(env.OPENCODEX_HOME, { recursive: true })
  mkdirSync(env.CODEX_HOME)
  const provider = {
    adapter: kind === 'openai' ? 'openai-chat' : 'anthropic',
    baseUrl: kind === 'openai' ? `${upstream}/v1` : upstream,
    apiKey: 'bench',
    allowPrivateNetwork: true,
  }
  writeFileSync(
    join(env.OPENCODEX_HOME, 'config.json'),
    JSON.stringify({ port, defaultProvider: 'up', providers: { up: provider } }),
  )
  try {
    const running = await startProgram({
      command: join(installed, '..', '..', '@oven', 'bun-linux-x64', 'bin', 'bun'),
      args: ['run', join(installed, 'src', 'cli', 'index.ts'), 'start', '--port', String(port)],
      env,
      cwd: home,
      port,
      log: join(home, 'log'),
      core,
    })
    return { name: 'opencodex', version, ...running }
  } catch (error) {
    say(`bench: without opencodex: ${error.message}`)
    return undefined
  }
}
