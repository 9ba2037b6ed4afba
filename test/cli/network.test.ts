// Proxies and certificate authorities, by configuration and by environment, as the built program really uses them.

import https from 'node:https'
import { beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import { isNightly } from '../depth.ts'
import { chatStream, user } from '../harness.ts'
import { keepCertificate, keepOtherAuthority } from './certificate.ts'
import { atEnd, deadPort, Home, listen, stackTrace } from './program.ts'
import { startProxy } from './proxy.ts'

const home = new Home()
const key = 'sk-network-canary-577215'
let plainUrl: string
let written = 0

beforeAll(async () => {
  const sim = await startOpenAISim({ apiKey: key, models: ['small'] })
  atEnd(() => sim.close())
  plainUrl = `${sim.url}/v1`
})

/** What `dragoman models` says of one backend. */
async function models(backend: Record<string, unknown>, env: Record<string, string> = {}) {
  const config = { backends: { box: { kind: 'openai', apiKey: key, ...backend } } }
  const file = home.write(`network-${written++}.jsonc`, config)
  const ended = await home.run(['models', '--config', file], { env })
  expect(ended.output).not.toContain(key)
  return ended
}

/** The same server, by a name that is not taken for loopback, and that its certificate has. */
const elsewhere = (url: string) => url.replace('127.0.0.1', 'localhost.')

const hostOf = (url: string) => new URL(url).host

describe.concurrent('a proxy', () => {
  it('of the backend is used, with its credentials', async () => {
    const proxy = await startProxy()
    const url = proxy.url.replace('//', '//proxy-user:proxy-pass@')
    const { stdout, output } = await models({ baseUrl: plainUrl, connect: { proxy: url } })
    expect(stdout).toBe('box/small\n')
    expect(proxy.seen).toEqual([expect.stringContaining(hostOf(plainUrl))])
    const basic = Buffer.from('proxy-user:proxy-pass').toString('base64')
    expect(proxy.credentials).toEqual([`Basic ${basic}`])
    expect(output).not.toContain('proxy-pass')
  })

  it.runIf(isNightly)(
    'of the backend comes before that of the environment, and NO_PROXY does not undo it',
    async () => {
      const [own, general] = [await startProxy(), await startProxy()]
      const env = { HTTP_PROXY: general.url, NO_PROXY: '*' }
      expect((await models({ baseUrl: plainUrl, connect: { proxy: own.url } }, env)).stdout).toBe(
        'box/small\n',
      )
      expect([own.seen.length, general.seen.length]).toEqual([1, 0])
    },
  )

  it.each(['http_proxy'])('%s is used for http://', async (name) => {
    const proxy = await startProxy()
    const baseUrl = elsewhere(plainUrl)
    expect((await models({ baseUrl }, { [name]: proxy.url })).stdout).toBe('box/small\n')
    expect(proxy.seen).toEqual([expect.stringContaining(hostOf(baseUrl))])
  })

  it('of the environment is not asked for a backend on this machine', async () => {
    const proxy = await startProxy()
    expect((await models({ baseUrl: plainUrl }, { http_proxy: proxy.url })).stdout).toBe('box/small\n')
    expect(proxy.seen).toEqual([])
  })

  it.runIf(isNightly)('HTTPS_PROXY is not for http://', async () => {
    const proxy = await startProxy()
    expect((await models({ baseUrl: plainUrl }, { HTTPS_PROXY: proxy.url })).stdout).toBe('box/small\n')
    expect(proxy.seen).toEqual([])
  })

  it.runIf(isNightly).each(['*', 'example.com,127.0.0.1'])('NO_PROXY=%s leads past it', async (list) => {
    const proxy = await startProxy()
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: list }
    expect((await models({ baseUrl: plainUrl }, env)).stdout).toBe('box/small\n')
    expect(proxy.seen).toEqual([])
  })

  it('carries a streamed turn of `serve`', async () => {
    const proxy = await startProxy()
    const backends = { box: { kind: 'openai', baseUrl: elsewhere(plainUrl), apiKey: key } }
    const running = await home.serve({ auth: 'none', backends }, [], { env: { HTTP_PROXY: proxy.url } })
    const stream = await chatStream(running.url, { model: 'box/small', messages: [user('hello')] })
    expect({ problems: stream.problems, finish: stream.finishReason }).toEqual({
      problems: [],
      finish: 'stop',
    })
    expect(proxy.seen).not.toEqual([])
    await running.stop()
  })

  it.runIf(isNightly)('that is dead is named, not the backend', async () => {
    const dead = `http://127.0.0.1:${await deadPort()}`
    const byConfig = await models({ baseUrl: plainUrl, connect: { proxy: dead } })
    const byEnvironment = await models({ baseUrl: elsewhere(plainUrl) }, { HTTP_PROXY: dead })
    for (const { code, stderr } of [byConfig, byEnvironment]) {
      expect(code).toBe(1)
      expect(stderr).toMatch(/proxy/i)
      expect(stderr).not.toContain('mend "baseUrl"')
      expect(stderr).not.toMatch(stackTrace)
    }
  })

  it('that refuses is named, with its status', async () => {
    const proxy = await startProxy({ status: 407 })
    const { code, stderr } = await models({ baseUrl: plainUrl, connect: { proxy: proxy.url } })
    expect(code).toBe(1)
    expect(stderr).toMatch(/proxy.*407/i)
  })
})

describe('an https upstream with a self-signed certificate', { concurrent: true }, () => {
  let secureUrl: string
  let caFile: string

  beforeAll(async () => {
    const certificate = keepCertificate(home)
    caFile = certificate.file
    const server = https.createServer(
      { cert: certificate.cert, key: certificate.key },
      (_request, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"object":"list","data":[{"id":"secure","object":"model"}]}'),
    )
    secureUrl = `https://127.0.0.1:${await listen(server)}/v1`
  })

  it('is refused, with the remedy', async () => {
    const { code, stderr } = await models({ baseUrl: secureUrl })
    expect(code).toBe(1)
    expect(stderr).toMatch(/self-signed.*"connect\.ca"/)
  })

  it('is trusted by connect.ca', async () => {
    expect((await models({ baseUrl: secureUrl, connect: { ca: caFile } })).stdout).toBe('box/secure\n')
  })

  it('is trusted by NODE_EXTRA_CA_CERTS', async () => {
    expect((await models({ baseUrl: secureUrl }, { NODE_EXTRA_CA_CERTS: caFile })).stdout).toBe(
      'box/secure\n',
    )
  })

  it.runIf(isNightly)('is trusted by NODE_EXTRA_CA_CERTS beside another connect.ca', async () => {
    const connect = { ca: keepOtherAuthority(home) }
    const refused = await models({ baseUrl: secureUrl, connect })
    expect(refused.code).toBe(1)
    const { stdout } = await models({ baseUrl: secureUrl, connect }, { NODE_EXTRA_CA_CERTS: caFile })
    expect(stdout).toBe('box/secure\n')
  })

  it.runIf(isNightly)('is reached through the proxy of the backend', async () => {
    const proxy = await startProxy()
    const { stdout } = await models({ baseUrl: secureUrl, connect: { ca: caFile, proxy: proxy.url } })
    expect(stdout).toBe('box/secure\n')
    expect(proxy.seen).toEqual([`CONNECT ${hostOf(secureUrl)}`])
  })

  it.runIf(isNightly)('is reached through HTTPS_PROXY, trusted by NODE_EXTRA_CA_CERTS', async () => {
    const proxy = await startProxy()
    const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: caFile }
    expect((await models({ baseUrl: elsewhere(secureUrl) }, env)).stdout).toBe('box/secure\n')
    expect(proxy.seen).toEqual([`CONNECT ${hostOf(elsewhere(secureUrl))}`])
  })

  // undici's proxy agents take the CA by another option than its plain ones.
  it('is reached through HTTPS_PROXY, trusted by connect.ca', async () => {
    const proxy = await startProxy()
    const { stdout, stderr } = await models(
      { baseUrl: elsewhere(secureUrl), connect: { ca: caFile } },
      { HTTPS_PROXY: proxy.url },
    )
    expect(proxy.seen).toEqual([`CONNECT ${hostOf(elsewhere(secureUrl))}`])
    expect(stdout, stderr).toBe('box/secure\n')
  })

  it('connect.ca is relative to the configuration file', async () => {
    const { stdout, stderr } = await models({ baseUrl: secureUrl, connect: { ca: 'upstream.pem' } })
    expect(stdout, stderr).toBe('box/secure\n')
  })
})
