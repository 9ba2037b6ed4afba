// `dragoman launch`, with programs of the clients' names that call the gateway as those do, and leave the rest alone.

import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sessionGateway } from '../../src/cli/launch-gateway.ts'
import { runClient } from '../../src/cli/run-client.ts'
import { SessionFolder } from '../../src/cli/session-folder.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { controlFolder, writeControlFile } from '../../src/process/control-file.ts'
import { isNightly } from '../depth.ts'
import { atEnd, deadPort, Home, listen, stackTrace } from './program.ts'

/** A program on the PATH. */
function withClient(home: Home, name: string, body: string): Record<string, string> {
  const path = home.write(`bin/${name}`, `#!${process.execPath}\n${body}`)
  chmodSync(path, 0o755)
  return { PATH: `${home.path('bin')}:${process.env.PATH}` }
}

/** It says what it was given, asks the gateway for its models, and ends with 7. */
const codex = `
const settings = Object.fromEntries(process.argv.filter((word) => word.includes('=')).map((word) => {
  const [name, ...rest] = word.split('=')
  return [name.split('.').at(-1), JSON.parse(rest.join('='))]
}))
const response = await fetch(settings.base_url + '/models', {
  headers: { authorization: 'Bearer ' + process.env[settings.env_key] },
})
const stranger = await fetch(settings.base_url + '/models')
const { readFileSync } = await import('node:fs')
console.log(JSON.stringify({
  settings, status: response.status, stranger: stranger.status, args: process.argv.slice(-2),
  models: JSON.parse(readFileSync(settings.model_catalog_json, 'utf8')).models.length,
}))
process.exitCode = 7
`

/** Everything below a folder, by path, kind, mode and content. */
function treeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const facts = statSync(join(folder, name))
      const content = facts.isFile()
        ? createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex')
        : ''
      return `${name} ${facts.mode} ${content}`
    })
}

/** Programs that write to the terminal themselves need a process of their own. */
const own = { ownProcess: true }

async function configured(home: Home) {
  const sim = await home.start(['sim', 'openai', '--port', '0'])
  return { box: { kind: 'openai', baseUrl: `${sim.url}/v1` } }
}

it('starts a gateway and the client, with its arguments and exit code, and leaves nothing behind', async () => {
  const home = new Home()
  const env = withClient(home, 'codex', codex)
  home.write('.codex/config.toml', 'model = "mine"\n')
  const listen = { port: await deadPort() }
  const config = home.write('own.jsonc', { listen, backends: await configured(home) })
  const before = treeOf(home.folder)
  const args = ['launch', 'codex', '--config', config, '--model', 'box/gpt-demo', '--', 'exec', '-x']
  const { code, stdout, stderr } = await home.run(args, { env, ...own })
  expect(stderr).toBe('Codex → a gateway for this session, model box/gpt-demo\n')
  const said = JSON.parse(stdout)
  expect(said).toMatchObject({ status: 200, stranger: 401, args: ['exec', '-x'], models: expect.any(Number) })
  expect(said.settings).toMatchObject({ model: 'box/gpt-demo', wire_api: 'responses' })
  expect(code).toBe(7)
  expect(treeOf(home.folder)).toEqual(before)
  expect(existsSync(said.settings.model_catalog_json)).toBe(false)
  await expect(fetch(said.settings.base_url)).rejects.toThrow()
})

it.runIf(isNightly)(
  'warns before the client starts if an alias may lead to a backend that is down',
  async () => {
    const home = new Home()
    const env = withClient(home, 'codex', codex)
    const down = { kind: 'openai', baseUrl: `http://127.0.0.1:${await deadPort()}/v1` }
    const backends = { ...(await configured(home)), down }
    const config = home.write('own.jsonc', {
      ...{ listen: { port: await deadPort() }, backends },
      models: { mine: 'down/m' },
    })
    const args = (model: string) => ['launch', 'codex', '--config', config, '--model', model]
    const alias = await home.run(args('mine'), { env, ...own })
    expect(alias.stderr).toContain('model mine\nwarning: down: ')
    const other = await home.run(args('box/gpt-demo'), { env, ...own })
    expect(other.stderr).not.toContain('warning')
  },
)

it.runIf(isNightly)('passes a signal on, and ends as the client does', async () => {
  const home = new Home()
  const body = `process.on('SIGTERM', () => { console.log('got it'); process.exit(3) })
    setInterval(() => undefined, 1000)
    console.log('dragoman listening on http://127.0.0.1:1')`
  const env = withClient(home, 'claude', body)
  // The line that `start` waits for is the client's here.
  const running = await home.start(['launch', 'claude-code', '--demo'], { env, ...own })
  running.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 3, stdout: expect.stringContaining('got it') })
})

it.skipIf(!isNightly)('uses the gateway that runs, with its key', async () => {
  const home = new Home()
  const env = withClient(home, 'codex', codex)
  const config = home.write('own.jsonc', { backends: await configured(home) })
  const gateway = await home.start(['serve', '--config', config, '--port', '0'])
  const { stdout, stderr } = await home.run(['launch', 'codex', '--config', config], { env, ...own })
  expect(stderr).toContain(`Codex → ${gateway.url}, model box/`)
  expect(JSON.parse(stdout)).toMatchObject({ status: 200, settings: { base_url: `${gateway.url}/v1` } })
})

it('uses a gateway of the same file, wherever it listens; what else listens at its address gets no request', async () => {
  const home = new Home()
  let requests = 0
  const other = http.createServer((_request, response) => {
    requests++
    response.end('{"data":[{"id":"demo-openai/x"}]}')
  })
  const listening = { port: await listen(other) }
  const backends = { down: { kind: 'openai', baseUrl: `http://127.0.0.1:${await deadPort()}/v1` } }
  const config = home.write('own.jsonc', { listen: listening, backends })
  const environment = readEnvironment(home.env)
  const own = await sessionGateway({ config }, environment)
  await own.close()
  expect({ isOwn: own.isOwn, requests }).toEqual({ isOwn: true, requests: 0 })
  expect(own.problems).toEqual([{ backend: 'down', message: expect.stringContaining('ECONNREFUSED') }])
  const running = await home.start(['serve', '--config', config, '--port', '0'])
  const { isOwn, url } = await sessionGateway({ config }, environment)
  expect({ isOwn, url }).toEqual({ isOwn: false, url: running.url })
  await running.stop()
  // A record that a killed gateway has left, with the number of another process.
  writeControlFile(controlFolder(environment.stateFolder), {
    url: running.url,
    pid: process.pid,
    token: 'x',
    file: config,
  })
  const again = await sessionGateway({ config }, environment)
  await again.close()
  expect(again.isOwn).toBe(true)
  const reload = await home.run(['reload', '--config', config])
  expect(reload.stderr).toContain('has ended without a word')
  expect(reload.stderr).not.toContain('kill')
  const accounts = await new Home().run(['accounts'])
  expect(accounts.stderr).toContain('run this command there')
})

it('the exit code of a client that a signal ended is that of a shell; a variable can be taken away', async () => {
  process.env.DRAGOMAN_TEST_MINE = 'x'
  const ended = (script: string) => runClient('sh', ['-c', script], { DRAGOMAN_TEST_MINE: undefined })
  expect(await ended('kill -9 $$')).toBe(137)
  expect(await ended('test -z "$DRAGOMAN_TEST_MINE" && exit 4')).toBe(4)
  await expect(runClient('/nowhere/at-all', [], {})).rejects.toThrow('cannot be started')
  delete process.env.DRAGOMAN_TEST_MINE
})

it('a proxy of the user’s is not asked for this machine', async () => {
  const { NO_PROXY, no_proxy } = process.env
  Object.assign(process.env, { NO_PROXY: 'corp.example', no_proxy: '' })
  const seen = 'test "$NO_PROXY" = "corp.example,127.0.0.1,localhost,::1" && test "$no_proxy" = "$NO_PROXY"'
  expect(await runClient('sh', ['-c', seen], {})).toBe(0)
  Object.assign(process.env, { NO_PROXY, no_proxy })
  if (NO_PROXY === undefined) delete process.env.NO_PROXY
  if (no_proxy === undefined) delete process.env.no_proxy
})

it('a mirrored folder shows the user’s files; what is written there or removed with it is not theirs', async () => {
  const home = new Home()
  home.write('.pi/agent/auth.json', 'mine')
  home.write('.pi/agent/skills/one', 'skill')
  home.write('.pi/agent/settings.json', 'mine')
  // A program that runs with the user's settings.
  const leader = net.createServer()
  await new Promise<void>((resolve) => leader.listen(home.path('.pi/agent/leader.sock'), resolve))
  atEnd(() => void leader.close())
  const before = treeOf(home.folder)
  const folder = new SessionFolder()
  folder.write({
    files: { 'pi/settings.json': 'ours' },
    mirrors: [
      { of: home.path('.pi/agent'), at: 'pi' },
      { of: home.path('none'), at: 'pi' },
    ],
  })
  const read = (name: string) => readFileSync(join(folder.path, 'pi', name), 'utf8')
  expect(['auth.json', 'skills/one', 'settings.json'].map(read)).toEqual(['mine', 'skill', 'ours'])
  expect(statSync(join(folder.path, 'pi', 'settings.json')).mode & 0o777).toBe(0o600)
  expect(statSync(folder.path).mode & 0o777).toBe(0o700)
  expect(existsSync(join(folder.path, 'pi', 'leader.sock'))).toBe(false)
  folder.remove()
  expect(existsSync(folder.path)).toBe(false)
  expect(treeOf(home.folder)).toEqual(before)
})

it.each([
  [['launch', 'codex', '--demo'], 1, 'npm install -g @openai/codex'],
  [['launch', 'env', '--demo'], 2, 'dragoman launch env -- PROGRAM'],
  [['launch', 'env', '--', 'true'], 2, '`dragoman init`'],
  [['launch', 'env', '--url', 'http://127.0.0.1:9', '--', 'true'], 1, 'leave out --url'],
  [['launch', 'zed'], 2, 'dragoman setup zed'],
])('%j: says what to do', async (args, code, says) => {
  const home = new Home()
  // A gateway of the machine's own user may run at the default port.
  const env = { PATH: '/usr/bin:/bin', PORT: String(await deadPort()) }
  const ended = await home.run(args, { env })
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).toContain(says)
  expect(ended.stderr).not.toMatch(stackTrace)
})
