// `dragoman doctor`: every finding says what to do, and none shows a secret.

import { chmodSync, existsSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import { isNightly } from '../depth.ts'
import { describeWithRedis, startRedis } from '../redis.ts'
import { atEnd, deadPort, type Ended, Home, listen, stackTrace } from './program.ts'

const key = 'sk-doctor-canary-141421'
let box: { kind: string; baseUrl: string; apiKey: string }
let silence: ReturnType<typeof examine>

beforeAll(async () => {
  const sim = await startOpenAISim({ apiKey: key, models: ['small', 'large'] })
  atEnd(() => sim.close())
  box = { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: key }
  // Takes 10 s: begun first, looked at last.
  const port = await listen(net.createServer(() => undefined))
  silence = examine(new Home(), { backends: { mute: { ...box, baseUrl: `http://127.0.0.1:${port}/v1` } } })
  silence.catch(() => undefined)
})

interface Report {
  version: string
  ok: boolean
  findings: { check: string; status: string; message: string }[]
}

let written = 0

async function examine(
  home: Home,
  config: Record<string, unknown>,
  env: Record<string, string> = {},
): Promise<{ report: Report; ended: Ended; found(check: string): string }> {
  const file = home.write(`doctor-${written++}.jsonc`, { listen: { port: 0 }, ...config })
  const ended = await home.run(['doctor', '--json', '--config', file], { env })
  expect(ended.stderr).toBe('')
  expect(ended.output).not.toContain('canary')
  const report = JSON.parse(ended.stdout) as Report
  expect(ended.code).toBe(report.ok ? 0 : 1)
  const found = (check: string) =>
    report.findings
      .filter((finding) => finding.check === check)
      .map(({ status, message }) => `${status}: ${message}`)
      .join('\n')
  return { report, ended, found }
}

describe.concurrent('local tools', () => {
  const home = new Home()
  const work = home.path('work')
  const withExec = async (exec: Record<string, unknown>, env: Record<string, string> = {}) =>
    (await examine(home, { backends: { box }, exec: { enabled: true, root: work, ...exec } }, env)).found(
      'local tools',
    )

  it('shows their root, their audit log, and what commands lack', async () => {
    const found = await withExec({}, { PATH: home.path('nothing') })
    expect(found).toContain(
      `ok: in ${work}; the audit log of all runs is ${home.path('state/dragoman/audit.jsonl')}`,
    )
    expect(found).toContain('warning: the shell tool is not offered: bwrap was not found: install')
  })

  it.runIf(isNightly)('says why bubblewrap does not work here', async () => {
    const refusal = 'bwrap: setting up uid map: Permission denied'
    const script = `case "$1" in --version) echo bubblewrap 0.8.0;; --help) ;; *) echo "${refusal}" >&2; exit 1;; esac`
    const bwrap = home.write('bwrap', `#!/bin/sh\n${script}\n`)
    chmodSync(bwrap, 0o755)
    const found = await withExec({}, { DRAGOMAN_BWRAP: bwrap })
    expect(found).toContain(`warning: the shell tool is not offered: The sandbox does not start: ${refusal}`)
    expect(found).toContain('apparmor')
  })

  it.each([
    ['a root that is not there', { root: '/nowhere' }, /^problem: exec.root: .*cannot be used \(ENOENT\)/m],
    ['the whole machine as root', { root: '/' }, /^problem: exec.root: .*must not be "\/"/m],
    ['tools without commands', { tools: ['read'] }, /^ok: no commands are run$/m],
    ['commands without a sandbox', { shell: 'unconfined' }, /^warning: commands run without a sandbox/m],
  ])('%s', async (_what, exec, expected) => {
    expect(await withExec(exec)).toMatch(expected)
  })

  it('an audit log that cannot be written', async () => {
    const state = home.write('no-folder', '')
    expect(await withExec({}, { XDG_STATE_HOME: state })).toContain(
      'problem: no tool will run, because the audit log',
    )
  })
})

describe.concurrent('all is well', () => {
  const home = new Home()

  it('reports versions, file, key, port and backends', async () => {
    const port = await deadPort()
    const { report, found } = await examine(home, { backends: { box }, listen: { port } })
    expect(report.ok).toBe(true)
    expect(report.version).toMatch(/^\d+\.\d+\.\d+/)
    expect(found('versions')).toContain(process.versions.node)
    expect(found('config')).toMatch(/^ok: .*doctor-\d+\.jsonc$/m)
    expect(found('port')).toBe(`ok: 127.0.0.1:${port} is free`)
    expect(found('backend box')).toBe('ok: reached, lists 2 models')
  })

  it('shows where the key is, before and after it was made, and never the key', async () => {
    const before = await examine(home, { backends: { box } })
    expect(before.found('key')).toBe(`ok: will be created on the first run, in ${home.keyFile}`)
    expect(existsSync(home.keyFile)).toBe(false)
    home.write('data/dragoman/key', 'dgm_canary_0123456789\n')
    chmodSync(home.keyFile, 0o600)
    const after = await examine(home, { backends: { box } })
    expect(after.found('key')).toBe(`ok: in ${home.keyFile}`)
    chmodSync(home.keyFile, 0o644)
    const open = await examine(home, { backends: { box } })
    expect(open.found('key')).toMatch(/^warning: .*chmod 600/)
    const nowhere = await examine(home, { backends: { box } }, { XDG_DATA_HOME: home.write('a-file', '') })
    expect(nowhere.found('key')).toMatch(/^problem: The key cannot be stored in .*a-file is not a folder/)
    expect(open.report.ok).toBe(true)
  })

  it('prints the same as lines', async () => {
    const file = home.write('lines.jsonc', { backends: { box }, listen: { port: 0 } })
    const { code, stdout, output } = await home.run(['doctor', '--config', file])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok +versions: /m)
    expect(stdout).toMatch(/^ok +backend box: reached, lists 2 models$/m)
    expect(output).not.toContain('canary')
  })
})

describe.concurrent('backends', () => {
  const home = new Home()

  it('a dead one is a problem with its remedy', async () => {
    const gone = { ...box, baseUrl: `http://127.0.0.1:${await deadPort()}/v1` }
    const { found, report } = await examine(home, { backends: { box, gone } })
    expect(report.ok).toBe(false)
    expect(found('backend gone')).toMatch(/^problem: .*nothing listens there.*baseUrl/)
    expect(found('backend box')).toMatch(/^ok/)
  })

  it('a name that does not exist', async () => {
    const { found } = await examine(home, {
      backends: { gone: { ...box, baseUrl: 'http://no-such-host.invalid/v1' } },
    })
    expect(found('backend gone')).toMatch(/problem: no-such-host\.invalid could not be reached/)
  })

  it("a refused key is reported as the gateway's", async () => {
    const { found } = await examine(home, { backends: { box: { ...box, apiKey: 'wrong-key-canary' } } })
    expect(found('backend box')).toMatch(
      /^problem: the credential that the gateway has for backend "box" was refused .*; correct its "apiKey"; a restart is needed only if the key is in an environment variable\.$/,
    )
  })

  it('a server that repeats its request leaks no secret', async () => {
    const echo: http.RequestListener = ({ headers }, response) =>
      response.writeHead(400).end(JSON.stringify({ error: { message: JSON.stringify(headers) } }))
    const baseUrl = `http://127.0.0.1:${await listen(http.createServer(echo))}`
    const qwen = { kind: 'qwen-web', baseUrl, token: 'eyJ-canary-1', cookie: 'acw_tc=cookie-canary-1' }
    const { found } = await examine(home, { backends: { qwen, box: { ...box, baseUrl } } })
    expect(found('backend qwen')).toMatch(/^problem: .*\[secret\]/)
    expect(found('backend box')).toMatch(/^problem: .*\[secret\]/)
    const file = home.write('echo.jsonc', { backends: { qwen } })
    const { stderr } = await home.run(['models', '--config', file])
    expect(stderr).toMatch(/could not be listed: .*\[secret\]/)
    expect(stderr).not.toContain('canary')
  })

  it('one without a listing can still be called', async () => {
    const port = await listen(http.createServer((_request, response) => response.writeHead(404).end('{}')))
    const { found, report } = await examine(home, {
      backends: { box: { ...box, baseUrl: `http://127.0.0.1:${port}/v1` } },
    })
    expect(found('backend box')).toMatch(/^warning: .*BACKEND\/MODEL/)
    expect(report.ok).toBe(true)
  })

  it('a server that answers with a web page has a wrong base URL', async () => {
    const page = (_request: unknown, response: http.ServerResponse) => response.end('<html>')
    const port = await listen(http.createServer(page))
    const { found } = await examine(home, {
      backends: { box: { ...box, baseUrl: `http://127.0.0.1:${port}` } },
    })
    expect(found('backend box')).toMatch(/^problem: .*no model list at http:\/\/127\.0\.0\.1:\d+\//)
  })

  it('a key over http:// beyond loopback is a warning', async () => {
    const plain = { ...box, baseUrl: 'http://no-such-host.invalid/v1' }
    const { apiKey: _none, ...keyless } = plain
    const { found } = await examine(home, { backends: { plain, keyless, box } })
    expect(found('backend plain')).toMatch(/warning: its key is sent unencrypted; use https/)
    expect(found('backend keyless')).not.toContain('unencrypted')
    expect(found('backend box')).not.toContain('unencrypted')
  })

  it('as is one in a header', async () => {
    const { apiKey: _none, ...plain } = { ...box, baseUrl: 'http://no-such-host.invalid/v1' }
    const { found } = await examine(home, {
      backends: { plain: { ...plain, headers: { authorization: 'Bearer header-canary' } } },
    })
    expect(found('backend plain')).toContain('unencrypted')
  })
})

describe.concurrent('common mistakes', () => {
  const home = new Home()

  it('a base URL without /v1, and an alias to a model that is not listed', async () => {
    const sim = await home.start(['sim', 'openai', '--port', '0'])
    const { found } = await examine(home, {
      backends: {
        bare: { kind: 'openai', baseUrl: sim.url },
        good: { kind: 'openai', baseUrl: `${sim.url}/v1` },
      },
      models: {
        fine: 'good/gpt-demo',
        slip: ['good/gpt-demo', 'good/gtp-demo'],
        rows: [{ when: { inputTokens: '>9' }, use: 'good/gtp-demo' }, 'good/gpt-demo'],
      },
    })
    expect(found('backend bare')).toMatch(/^problem: .*404.*"baseUrl" usually ends in \/v1/)
    expect(found('backend good')).toMatch(/^ok/)
    expect(found('alias slip')).toMatch(/^warning: good\/gtp-demo/)
    expect(found('alias fine')).toBe('')
    expect(found('alias rows')).toMatch(/^ok: if inputTokens >9: good\/gtp-demo; otherwise good\/gpt-demo/)
    expect(found('alias rows')).toContain('warning: good/gtp-demo')
    await sim.stop()
  })
})

describe.concurrent('exposure', () => {
  const home = new Home()
  const exposed = { listen: { host: '0.0.0.0', port: 0 } }
  const keys = (value: string) => ({ keys: [{ name: 'laptop', key: value }] })

  it.each([
    ['without a key', {}],
    ['with "none"', { auth: 'none' }],
    ['with a short key', { auth: keys('short-canary') }],
  ])('%s is a problem', async (_case, more) => {
    const { found, report } = await examine(home, { backends: { box }, ...exposed, ...more })
    expect(found('exposure')).toMatch(/^problem: .*0\.0\.0\.0.*(auth\.keys|32 characters)/)
    expect(report.ok).toBe(false)
  })

  it('with a long key is a warning that names TLS', async () => {
    const { found, report } = await examine(home, {
      backends: { box },
      ...exposed,
      auth: keys('long-canary-'.repeat(3)),
    })
    expect(found('exposure')).toMatch(/^warning: .*TLS/)
    expect(found('key')).toBe('ok: 1 from "auth.keys": laptop')
    expect(report.ok).toBe(true)
  })

  it('"none" on loopback is a warning', async () => {
    const { found, report } = await examine(home, { backends: { box }, auth: 'none' })
    expect(found('key')).toMatch(/^warning: .*remove "auth"/)
    expect(found('exposure')).toBe('')
    expect(report.ok).toBe(true)
  })
})

describe.concurrent('several instances', () => {
  const home = new Home()
  const peerSecret = 'peer-secret-canary-0123456789abcdef'
  const peerUrl = 'http://10.0.0.7:18741'

  it('a Redis that is not there is a problem with its remedy', async () => {
    const port = await deadPort()
    const redis = `redis://:password-canary@127.0.0.1:${port}`
    const { found, report } = await examine(home, {
      backends: { box },
      sessions: { redis, peerSecret, peerUrl },
    })
    expect(found('redis')).toMatch(
      new RegExp(`^problem: 127\\.0\\.0\\.1:${port} cannot be used \\(.*ECONNREFUSED.*sessions\\.redis`),
    )
    expect(found('peers')).toBe('')
    expect(report.ok).toBe(false)
  })

  it.runIf(isNightly)('one that never answers too', async () => {
    const port = await listen(net.createServer(() => undefined))
    const redis = `redis://127.0.0.1:${port}`
    const { found } = await examine(home, { backends: { box }, sessions: { redis, peerSecret, peerUrl } })
    expect(found('redis')).toMatch(/^problem: .*cannot be used/)
  })

  it('without Redis there is no finding', async () => {
    expect((await examine(home, { backends: { box } })).found('redis')).toBe('')
  })
})

describeWithRedis('a Redis that is there', () => {
  it('is reached, with the number of announced instances', async () => {
    const redis = await startRedis()
    atEnd(() => redis.stop())
    const home = new Home()
    const sessions = { redis: redis.url, peerSecret: 'peer-secret-canary-0123456789abcdef' }
    const before = await examine(home, { backends: { box }, sessions })
    expect(before.found('redis')).toMatch(/^ok: unix:.* reached; 0 instances are announced$/)
    expect(before.found('peers')).toMatch(/^warning: .* 127\.0\.0\.1 .*sessions\.peerUrl/)
    const file = home.write('serve.jsonc', { backends: { box }, sessions, listen: { port: 0 } })
    const gateway = await home.start(['serve', '--config', file])
    const during = await examine(home, { backends: { box }, sessions })
    expect(during.found('redis')).toContain('1 instance is announced')
    await gateway.stop()
    const after = await examine(home, { backends: { box }, sessions })
    expect(after.found('redis')).toContain('0 instances')
  })
})

describe.concurrent('port and file', () => {
  const home = new Home()

  it.runIf(isNightly)('a busy port is a warning with its remedy', async () => {
    const port = await listen(net.createServer())
    const { found } = await examine(home, { backends: { box }, listen: { port } })
    expect(found('port')).toMatch(new RegExp(`^warning: ${port} is in use.*--port`))
  })

  it('checks the port that serve would use', async () => {
    const port = await listen(net.createServer())
    const { found } = await examine(home, { backends: { box } }, { PORT: String(port) })
    expect(found('port')).toMatch(new RegExp(`^warning: ${port} is in use`))
  })

  it('a bad file is a finding like any other', async () => {
    const { found, report } = await examine(home, { backends: { box }, lisen: {} })
    expect(found('config')).toMatch(/^problem: .*lisen: unknown key; did you mean "listen"/s)
    expect(report.ok).toBe(false)
  })

  it('no file: says what to do', async () => {
    const { code, stdout } = await home.run(['doctor'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/PROBLEM config: [\s\S]*dragoman demo/)
  })

  it('what stops the start is a finding too', async () => {
    const file = home.write('ca.jsonc', { backends: { box: { ...box, connect: { ca: 'gone.pem' } } } })
    const { stdout, stderr, code } = await home.run(['doctor', '--config', file])
    expect(stderr).not.toMatch(stackTrace)
    expect(stdout).toContain('gone.pem')
    expect(code).toBe(1)
  })
})

it.runIf(isNightly)('a backend that never answers is reported as silent', async () => {
  const { found } = await silence
  expect(found('backend mute')).toMatch(/^problem: .*(in time|10 s)/)
  expect(found('backend mute')).not.toContain('client')
})
