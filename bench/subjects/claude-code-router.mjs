// claude-code-router (npm: @musistudio/claude-code-router): Anthropic Messages in, Chat to an OpenAI upstream, in Node. 2.0.0 is
// one file; 3.x wants a SQLite that its install script builds, and install scripts are not run here. Its log is off, its home is
// below `folder`.
//
// POST /v1/messages with a Messages body; `model` is what Claude Code would say, and another one is called: `bench`, or NAME for
// "up,NAME". It calls UPSTREAM/v1/chat/completions.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { provideNpmPackage } from './npm-package.mjs'
import { freePort, say, startProgram } from './process.mjs'

const name = '@musistudio/claude-code-router'
const version = '2.0.0'

export async function startClaudeCodeRouter({ upstream, folder, core }) {
  const installed = provideNpmPackage(name, version)
  if (installed === undefined) return undefined
  const port = await freePort()
  const home = join(folder, 'claude-code-router')
  mkdirSync(join(home, '.claude-code-router'), { recursive: true })
  writeFileSync(
    join(home, '.claude-code-router', 'config.json'),
    JSON.stringify(configuration({ port, upstream })),
  )
  try {
    const running = await startProgram({
      command: process.execPath,
      args: [join(installed, 'dist', 'cli.js'), 'start'],
      env: { ...process.env, HOME: home },
      cwd: home,
      port,
      log: join(home, 'log'),
      core,
    })
    return { name: 'claude-code-router', version, ...running, recipes }
  } catch (error) {
    say(`bench: without claude-code-router: ${error.message}`)
    return undefined
  }
}

const recipes = [{ door: 'messages', backend: 'openai', path: '/v1/messages', headers: {} }]

const configuration = ({ port, upstream }) => ({
  PORT: port,
  HOST: '127.0.0.1',
  LOG: false,
  Providers: [
    { name: 'up', api_base_url: `${upstream}/v1/chat/completions`, api_key: 'bench', models: ['bench'] },
  ],
  Router: { default: 'up,bench' },
})
