// `dragoman serve`: ready line, access, listen address, sources of settings, shutdown.

import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { networkInterfaces } from 'node:os'
import { beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { isNightly } from '../depth.ts'
import { chat, user } from '../harness.ts'
import { until } from '../raw-peer.ts'
import { atEnd, deadPort, get, Home, listen, type Running, stackTrace } from './program.ts'

const upstreamKey = 'sk-upstream-canary-31415926'
const longKey = 'k'.repeat(32)

let sim: Sim

beforeAll(async () => {
  sim = await startOpenAISim({ apiKey: upstreamKey, models: ['m1'] })
  atEnd(() => sim.close())
})

const settings = (more: Record<string, unknown> = {}) => ({
  backends: { box: { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: upstreamKey } },
  ...more,
})

const firstLine = (running: Running) => running.stdout().split('\n', 1)[0]

const hello = { model: 'box/m1', messages: [user('hello')] }

describe('the log', () => {
  it.each([
    ['is JSON where it is no terminal', {}, [], {}, /^\{"time":".*"message":"turn".*\}$/m],
    [
      'is for people if asked for',
      {},
      ['--log-format', 'pretty'],
      {},
      /^\d\d:\d\d:\d\d {2}openai-chat {2}box\/m1 {2}stop, /m,
    ],
    [
      'is as the file says, in colours if asked for',
      { log: { format: 'pretty' } },
      [],
      { FORCE_COLOR: '1' },
      /openai-chat {2}\S+36mbox\/m1\S+ {2}\S+32mstop/,
    ],
  ])('%s', async (_case, more, args, env, expected) => {
    const running = await new Home().serve(settings({ auth: 'none', ...more }), args, { env })
    expect((await chat(running.url, hello)).status).toBe(200)
    await expect.poll(() => running.stderr()).toMatch(expected)
    await running.stop()
  })
})

describe('the first run', () => {
  const home = new Home()
  let running: Running
  let key: string

  beforeAll(async () => {
    running = await home.serve(settings(), ['--log-level', 'debug'])
    key = readFileSync(home.keyFile, 'utf8').trim()
  })

  it('prints the documented ready line, first and alone', () => {
    expect(firstLine(running)).toMatch(/^dragoman listening on http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    expect(running.stdout().match(/listening on/g)).toHaveLength(1)
  })

  it('makes a long key in $XDG_DATA_HOME that only its owner can read, and names the file', async () => {
    expect(key.length).toBeGreaterThanOrEqual(32)
    expect(statSync(home.keyFile).mode & 0o777).toBe(0o600)
    expect(statSync(home.path('data', 'dragoman')).mode & 0o777).toBe(0o700)
    await expect.poll(() => running.stdout()).toContain(home.keyFile)
  })

  it('requires that key', async () => {
    expect((await get(`${running.url}/v1/models`, key)).status).toBe(200)
    const byOtherHeader = await fetch(`${running.url}/v1/models`, { headers: { 'x-api-key': key } })
    expect(byOtherHeader.status).toBe(200)
    for (const wrong of [undefined, '', 'x', `${key}x`, key.slice(0, -1), upstreamKey, key.toUpperCase()])
      expect((await get(`${running.url}/v1/models`, wrong)).status, `key ${wrong}`).toBe(401)
    expect((await fetch(`${running.url}/v1/models?key=${key}`)).status).toBe(401)
    const refused = (await (await get(`${running.url}/v1/models`)).json()) as { error: { message: string } }
    expect(refused.error.message).toContain('dragoman doctor')
  })

  it('answers /healthz without a key', async () => {
    expect((await get(`${running.url}/healthz`)).status).toBe(200)
    expect((await get(`${running.url}/readyz`)).status).toBe(401)
  })

  it('serves a turn and records it in $XDG_STATE_HOME', async () => {
    const answer = await chat(running.url, hello, { authorization: `Bearer ${key}` })
    expect(answer.status).toBe(200)
    const file = home.path('state', 'dragoman', 'usage.jsonl')
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')).toBe(true)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ key: 'default', backend: 'box' })
    expect(readFileSync(file, 'utf8')).not.toContain(key)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('finds the same key on the second run, and mends its file mode', async () => {
    chmodSync(home.keyFile, 0o644)
    const second = await home.serve(settings())
    expect(readFileSync(home.keyFile, 'utf8').trim()).toBe(key)
    expect(statSync(home.keyFile).mode & 0o777).toBe(0o600)
    expect((await get(`${second.url}/v1/models`, key)).status).toBe(200)
    expect((await second.stop()).output).not.toContain(key)
  })

  it('never prints a key, its own or the upstream one, at any log level', async () => {
    await chat(running.url, { model: 'box/unknown', messages: [] }, { authorization: `Bearer ${key}` })
    await get(`${running.url}/v1/models`, 'wrong-key-canary-77')
    const { code, output } = await running.stop()
    expect(code).toBe(0)
    expect(output).not.toContain(key)
    expect(output).not.toContain(upstreamKey)
    expect(output).not.toContain('wrong-key-canary-77')
  })

  it('replaces a key file that holds no usable key', async () => {
    writeFileSync(home.keyFile, '\n')
    const again = await home.serve(settings())
    expect(readFileSync(home.keyFile, 'utf8').trim().length).toBeGreaterThanOrEqual(32)
    await again.stop()
  })

  it('says what to do when the key cannot be kept', async () => {
    const file = home.write('not-a-folder', '')
    const config = home.write('unkept.jsonc', settings())
    const { code, stderr } = await home.run(['serve', '--config', config, '--port', '0'], {
      env: { XDG_DATA_HOME: file },
    })
    expect(code).not.toBe(0)
    expect(stderr).toContain(file)
    expect(stderr).toMatch(/auth\.keys|XDG_DATA_HOME/)
    expect(stderr).not.toMatch(stackTrace)
  })
})

describe.concurrent('access', () => {
  const home = new Home()

  it('"auth": "none" takes any key or none, warns, and makes no key file', async () => {
    const running = await home.serve(settings({ auth: 'none' }))
    for (const key of [undefined, '', 'anything'])
      expect((await get(`${running.url}/v1/models`, key)).status).toBe(200)
    await expect.poll(() => running.stdout()).toMatch(/warning: .*"none"/)
    expect(existsSync(home.keyFile)).toBe(false)
    await running.stop()
  })

  it('configured keys work, each by its name, from the environment too', async () => {
    const keys = [
      { name: 'laptop', key: '{env:LAPTOP_KEY}' },
      { name: 'desk', key: 'desk-key-0123456789' },
    ]
    const running = await home.serve(settings({ auth: { keys } }), [], {
      env: { LAPTOP_KEY: 'laptop-key-0123456789' },
    })
    for (const key of ['laptop-key-0123456789', 'desk-key-0123456789'])
      expect((await chat(running.url, hello, { authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await get(`${running.url}/v1/models`, '{env:LAPTOP_KEY}')).status).toBe(401)
    const metrics = await (await get(`${running.url}/metrics`, 'desk-key-0123456789')).text()
    expect(metrics).toContain('key="laptop"')
    expect(metrics).toContain('key="desk"')
    expect(existsSync(home.keyFile)).toBe(false)
    const { output } = await running.stop()
    expect(output).not.toContain('laptop-key-0123456789')
  })
})

describe.concurrent('an address beyond loopback', () => {
  const home = new Home()
  let files = 0
  const serve = (config: unknown, args: string[] = []) =>
    home.run(['serve', '--config', home.write(`exposed-${files++}.jsonc`, config), '--port', '0', ...args])
  const keys = (key: string) => ({ auth: { keys: [{ name: 'laptop', key }] } })

  it.each([
    ['without a key', {}],
    ['with "none"', { auth: 'none' }],
    ['with a key of 31 characters', keys('k'.repeat(31))],
    [
      'with one long and one short key',
      {
        auth: {
          keys: [
            { name: 'a', key: longKey },
            { name: 'b', key: 'short-key' },
          ],
        },
      },
    ],
  ])('is refused %s, with exit code 2 and the remedy', async (_case, more) => {
    const { code, stdout, stderr } = await serve(settings(more), ['--host', '0.0.0.0'])
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/32 characters|"auth\.keys"/)
    expect(stderr).toContain('0.0.0.0')
    expect(stderr).not.toMatch(stackTrace)
    expect(existsSync(home.keyFile)).toBe(false)
  })

  it('is refused from the file as from the flag', async () => {
    const { code, stderr } = await serve(settings({ listen: { host: '::' } }))
    expect(code).toBe(2)
    expect(stderr).toContain('::')
  })

  it('is served with a key of 32 characters, by the names that are allowed', async () => {
    const running = await home.serve(settings({ ...keys(longKey), allow: { hosts: ['gate.example'] } }), [
      '--host',
      '0.0.0.0',
    ])
    expect(firstLine(running)).toMatch(/^dragoman listening on http:\/\/0\.0\.0\.0:\d+$/)
    const port = new URL(running.url).port
    expect((await get(`http://127.0.0.1:${port}/v1/models`, longKey)).status).toBe(200)
    expect((await get(`http://127.0.0.1:${port}/v1/models`)).status).toBe(401)
    expect(await statusByHost(Number(port), 'gate.example')).toBe(200)
    expect(await statusByHost(Number(port), 'evil.example')).toBe(421)
    await running.stop()
  })
})

/** `fetch` does not let a request choose its Host. */
function statusByHost(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () =>
      socket.write(
        `GET /v1/models HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${longKey}\r\nconnection: close\r\n\r\n`,
      ),
    )
    socket.once('error', reject)
    socket.once('data', (data) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1]))
      socket.destroy()
    })
  })
}

describe.concurrent('where it listens', () => {
  const home = new Home()
  const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
    list?.some(({ address }) => address === '::1'),
  )

  it('a flag beats PORT, PORT beats the file', async () => {
    const config = home.write('port.jsonc', settings({ listen: { port: 1 } }))
    const [chosen, other] = [await deadPort(), await deadPort()]
    const byVariable = await home.start(['serve', '--config', config], { env: { PORT: String(chosen) } })
    expect(byVariable.url).toBe(`http://127.0.0.1:${chosen}`)
    const byFlag = await home.start(['serve', '--config', config, '--port', String(other)], {
      env: { PORT: String(chosen) },
    })
    expect(byFlag.url).toBe(`http://127.0.0.1:${other}`)
    await Promise.all([byVariable.stop(), byFlag.stop()])
  })

  it('takes host and port from the file', async () => {
    const port = await deadPort()
    const config = home.write('host.jsonc', settings({ listen: { host: 'localhost', port } }))
    const running = await home.start(['serve', '--config', config])
    expect(firstLine(running)).toBe(`dragoman listening on http://localhost:${port}`)
    await running.stop()
  })

  it.skipIf(!hasIpv6)('writes an IPv6 address in brackets', async () => {
    const running = await home.serve(settings(), ['--host', '::1'])
    expect(running.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await get(`${running.url}/healthz`)).status).toBe(200)
    await running.stop()
  })

  it('a busy port is named with its remedy', async () => {
    const port = await listen(net.createServer())
    const config = home.write('busy.jsonc', settings({ listen: { port } }))
    const { code, stdout, stderr } = await home.run(['serve', '--config', config])
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use`)
    expect(stderr).toContain(`--port ${port + 1}`)
    expect(stderr).toContain('--port 0')
    expect(stderr).not.toMatch(stackTrace)
  })

  it.runIf(isNightly)(
    "the second port has a line of its own, and answers for Ollama's API, with one process and with two",
    async () => {
      for (const workers of ['1', '2']) {
        const running = await home.serve(settings({ ollama: { enabled: true, port: 0 }, auth: 'none' }), [
          ...['--workers', workers],
        ])
        await until(() => /^Ollama's API: \S+$/m.test(running.stdout()), 'the line of the second port')
        const [, url = ''] = /^Ollama's API: (\S+)$/m.exec(running.stdout()) ?? []
        expect(url).not.toBe(running.url)
        expect((await get(`${url}/api/version`)).status).toBe(200)
        await running.stop()
      }
    },
  )

  it('an address that is not of this machine is named', async () => {
    const config = home.write(
      'foreign.jsonc',
      settings({ auth: { keys: [{ name: 'laptop', key: longKey }] } }),
    )
    const args = ['serve', '--config', config, '--port', '0', '--host', '203.0.113.7']
    const { code, stderr } = await home.run(args)
    expect(code).toBe(1)
    expect(stderr).toContain('Cannot listen on 203.0.113.7')
    expect(stderr).not.toMatch(stackTrace)
  })

  it.each(['65536', ''])('refuses --port "%s"', async (port) => {
    const config = home.write('flags.jsonc', settings())
    const { code, stderr } = await home.run(['serve', '--config', config, `--port=${port}`])
    expect(code).not.toBe(0)
    expect(stderr).toContain('0 to 65535')
  })

  it('refuses an invalid PORT', async () => {
    const config = home.write('variable.jsonc', settings({ listen: { port: 0 } }))
    const running = home.start(['serve', '--config', config], { env: { PORT: '80a' } })
    await expect(running.then((started) => started.stop())).rejects.toThrow(/PORT/)
  })
})

describe.concurrent('the log', () => {
  const home = new Home()

  it('is JSON lines on stderr, as much as --log-level says', async () => {
    const running = await home.serve(settings({ auth: 'none', log: { level: 'silent' } }), [
      '--log-level',
      'debug',
    ])
    await chat(running.url, hello)
    await get(`${running.url}/nowhere`)
    const { stderr } = await running.stop()
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string })
    expect(lines.map(({ level }) => level)).toContain('info')
  })

  it('is silent with log level silent', async () => {
    const running = await home.serve(settings({ auth: 'none' }), ['--log-level', 'silent'])
    await chat(running.url, hello)
    expect((await running.stop()).stderr).toBe('')
  })

  it('knows which levels there are', async () => {
    const { code, stderr } = await home.run(['serve', '--log-level', 'loud'])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/debug, info, warn, error, silent/)
  })
})
