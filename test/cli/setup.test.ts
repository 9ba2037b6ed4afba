// `dragoman setup` for each client, and the key that it uses.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { relative } from 'node:path'
import { parse } from 'jsonc-parser'
import { beforeAll, describe, expect, it } from 'vitest'
import { setupClientNames } from '../../src/setup/client-names.ts'
import { isNightly } from '../depth.ts'
import { deadPort, Home, listen, type Running } from './program.ts'

import { files, run, text } from './setup-run.ts'

let demo: Running
beforeAll(async () => {
  demo = await new Home().start(['demo', '--port', '0'])
})

const written = Object.keys(files) as (keyof typeof files)[]
const model = 'demo-anthropic/claude-demo'

describe.each(written)('setup %s', (client) => {
  const file = files[client]

  it('writes and reports the change, does nothing the second time, and undoes it', async () => {
    const home = new Home()
    const args = [client, '--url', demo.url, '--model', model, '--yes']
    const first = await run(home, args)
    expect(first).toMatchObject({ code: 0 })
    expect(first.stdout).toContain(`+ `)
    expect(first.stderr).toContain('--undo')
    expect(text(home, file)).toContain(model)
    const after = text(home, file)
    const second = await run(home, args)
    expect(second).toMatchObject({ code: 0, stdout: '' })
    expect(second.stderr).toContain('already')
    expect(text(home, file)).toBe(after)
    expect(await run(home, [client, '--undo'])).toMatchObject({ code: 0 })
    expect(existsSync(home.path(file))).toBe(false)
    const again = await run(home, [client, '--undo'])
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('nothing to undo')
  })

  it('restores a file that was there to the byte', async () => {
    const home = new Home()
    const before = {
      codex: '# mine\r\nsandbox_mode = "read-only"\r\n\r\n[a]\r\nb = """\r\nc"""',
      continue: 'name: mine # x\nversion: 1\nmodels:\n- name: a\n  model: b\nrules: []\n',
    }
    const was = client in before ? before[client as keyof typeof before] : '{\n\t// mine\n\t"theme": "x",\n}'
    home.write(file, was)
    expect(await run(home, [client, '--url', demo.url, '--yes'])).toMatchObject({ code: 0 })
    expect(text(home, file)).not.toBe(was)
    expect(await run(home, [client, '--undo'])).toMatchObject({ code: 0 })
    expect(text(home, file)).toBe(was)
  })

  it('does not change a file that it cannot parse, prints what to add, and fails', async () => {
    const home = new Home()
    const broken = client === 'continue' ? 'models: {\n' : '{ "half": '
    home.write(file, broken)
    const { code, stderr, stdout } = await home.run([
      'setup',
      client,
      '--url',
      demo.url,
      '--model',
      model,
      '--yes',
    ])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('is left as it is')
    expect(stderr).toContain(model)
    expect(text(home, file)).toBe(broken)
    expect(existsSync(home.path('data', 'dragoman', 'setup'))).toBe(false)
  })

  it('--print writes nothing, not even a key, and its output is a valid file', async () => {
    const home = new Home()
    const port = await deadPort()
    const config = home.write('dragoman.jsonc', {
      listen: { port },
      backends: { box: { kind: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` } },
      models: { best: 'box/a' },
    })
    const { code, stdout, stderr } = await run(home, [client, '--print', '--config', config])
    expect(code).toBe(0)
    expect(stderr).toContain('No gateway runs')
    expect(stdout).toContain('best')
    if (file.endsWith('.json')) expect(() => JSON.parse(stdout)).not.toThrow()
    expect(existsSync(home.path(file))).toBe(false)
    expect(existsSync(home.path('data'))).toBe(false)
  })

  it('without a terminal and without --yes it only shows', async () => {
    const home = new Home()
    const { code, stdout, stderr } = await run(home, [client, '--url', demo.url])
    expect(code).toBe(2)
    expect(stdout).toContain('+ ')
    expect(stderr).toContain('--yes')
    expect(existsSync(home.path(file))).toBe(false)
  })
})

describe('the key', () => {
  it('is that of the gateway, is shown nowhere, and is for its user alone', async () => {
    const home = new Home()
    const gateway = await home.serve({
      backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } },
    })
    const key = readFileSync(home.keyFile, 'utf8').trim()
    for (const client of setupClientNames) {
      const args = [client, '--url', gateway.url, '--model', 'box/x', '--yes']
      const { code, output } = await run(home, args)
      expect({ client, code }).toEqual({ client, code: 0 })
      expect(output).not.toContain(key)
      const printed = await run(home, [...args, '--print'])
      expect(printed.output).not.toContain(key)
    }
    const modes = written.map((client) => [
      text(home, files[client]).includes(key),
      (statSync(home.path(files[client])).mode & 0o077) === 0,
    ])
    expect(modes).toEqual([
      [false, false],
      [false, false],
      [false, false],
      [true, true],
      [true, true],
    ])
    const qwen = parse(text(home, '.qwen/settings.json'))
    expect(qwen.env.DRAGOMAN_KEY).toBe(key)
  })

  it.runIf(isNightly)('of another machine is named by a file', async () => {
    const [home, other] = [new Home(), new Home()]
    const gateway = await other.serve({
      backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } },
    })
    const args = ['codex', '--url', `${gateway.url}/v1/`, '--model', 'box/x', '--yes']
    const refused = await run(home, args)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('--key-file')
    expect(await run(home, [...args, '--key-file', other.keyFile])).toMatchObject({ code: 0 })
    expect(text(home, '.codex/config.toml')).toContain(`base_url = "${gateway.url}/v1"`)
    expect(text(home, '.codex/config.toml')).toContain(other.keyFile)
    const missing = await run(home, [...args, '--key-file', home.path('none')])
    expect(missing).toMatchObject({ code: 2 })
    expect(missing.stderr).toContain('cannot be read')
  })

  it('is not sent to another machine unasked', async () => {
    const home = new Home()
    const elsewhere = await run(home, ['codex', '--url', 'http://gateway.invalid', '--model', 'a/b', '--yes'])
    expect(elsewhere.code).toBe(2)
    expect(elsewhere.stderr).toContain('--key-file')
    expect(existsSync(home.path('.codex'))).toBe(false)
  })

  it('of the configuration is copied, hidden; a variable that is not set is named', async () => {
    const home = new Home()
    const key = 'k'.repeat(40)
    const config = home.write('dragoman.jsonc', {
      listen: { port: await deadPort() },
      auth: { keys: [{ name: 'a', key: '{env:MY_KEY}' }] },
      backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } },
    })
    const args = ['codex', '--config', config, '--model', 'box/x', '--yes']
    const unset = await run(home, args)
    expect(unset.code).toBe(2)
    expect(unset.stderr).toContain('MY_KEY')
    const { code, output } = await run(home, args, { env: { MY_KEY: key } })
    expect(code).toBe(0)
    expect(output).not.toContain(key)
    expect(text(home, '.codex/config.toml')).toContain(key)
    expect(statSync(home.path('.codex/config.toml')).mode & 0o077).toBe(0)
  })
})

it('a key with quotes and backslashes is shown nowhere and for its user alone', async () => {
  const home = new Home()
  const key = `${'k'.repeat(20)}"\\'${'s'.repeat(20)}`
  const config = home.write('dragoman.jsonc', {
    listen: { port: await deadPort() },
    auth: { keys: [{ name: 'a', key }] },
    backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } },
  })
  for (const client of written) {
    const args = [client, '--config', config, '--model', 'box/"x"', '--yes']
    const { code, output } = await run(home, args)
    const printed = await run(home, [...args, '--print'])
    const undone = await run(home, [client, '--undo'])
    expect({ client, code, undone: undone.code }).toEqual({ client, code: 0, undone: 0 })
    expect(output + printed.output).not.toContain('s'.repeat(20))
    expect(await run(home, args)).toMatchObject({ code: 0 })
    expect(statSync(home.path(files[client])).mode & 0o077).toBe(0)
  }
})

it('warns of a proxy that would get the prompts', async () => {
  const home = new Home()
  const args = ['codex', '--url', 'http://127.0.0.1:9', '--model', 'a/b', '--print']
  const env = { HTTP_PROXY: 'http://proxy.example:3128' }
  const says = 'export NO_PROXY=127.0.0.1,localhost,::1'
  expect((await run(home, args, { env })).stderr).toContain(says)
  const exempt = { ...env, NO_PROXY: 'localhost,127.0.0.1' }
  expect((await run(home, args, { env: exempt })).stderr).not.toContain('NO_PROXY')
})

it('a key that cannot be kept is a message', async () => {
  const home = new Home()
  const config = home.write('own.jsonc', {
    backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } },
  })
  const env = { XDG_DATA_HOME: home.write('a-file', ''), PORT: String(await deadPort()) }
  const { code, stderr } = await run(home, ['codex', '--config', config, '--model', 'box/a', '--yes'], {
    env,
  })
  expect(code).toBe(1)
  expect(stderr).toContain('set XDG_DATA_HOME to a writable folder')
})

it('another program at the configured address gets no key', async () => {
  const home = new Home()
  const seen: unknown[] = []
  const other = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end('{"data":[]}')
  })
  const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
  const config = home.write('own.jsonc', { listen: { port: await listen(other) }, backends: { box } })
  const { code, stderr } = await run(home, ['codex', '--config', config, '--model', 'box/a', '--yes'])
  expect({ code, seen }).toEqual({ code: 1, seen: [undefined] })
  expect(stderr).toContain('is not this gateway')
})

it.runIf(isNightly)('a relative folder is also found from elsewhere', async () => {
  const home = new Home()
  const codexHome = relative(process.cwd(), home.path('codex'))
  const args = ['codex', '--url', demo.url, '--yes']
  expect(await run(home, args, { env: { CODEX_HOME: codexHome } })).toMatchObject({ code: 0 })
  expect(existsSync(home.path('codex/config.toml'))).toBe(true)
  expect(await home.run(['setup', 'codex', '--undo'])).toMatchObject({ code: 0 })
  expect(existsSync(home.path('codex'))).toBe(false)
})
