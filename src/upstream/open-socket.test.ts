import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { describe, expect, it } from 'vitest'
import { keepCertificate } from '../../test/cli/certificate.ts'
import { afterTest, listen, until } from '../../test/raw-peer.ts'
import type { GatewayError } from '../core/errors.ts'
import { createHttp2Pool, type Http2PoolOptions } from './http2-pool.ts'
import { proxyOfEnvironment } from './open-socket.ts'

const folder = () =>
  afterTest(mkdtempSync(join(tmpdir(), 'dragoman-tls-')), (path) => rmSync(path, { recursive: true }))

async function startTls(options: http2.SecureServerOptions = {}) {
  const path = folder()
  const { cert, key, file } = keepCertificate({ path: (name: string) => join(path, name) } as never)
  const server = http2.createSecureServer({ cert, key, ...options })
  server.on('sessionError', () => undefined)
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200 })
    stream.end('secret')
  })
  const peer = await listen(server)
  return { port: new URL(peer.url).port, file, sockets: peer.sockets }
}

async function startProxy(status = 200) {
  const seen: string[] = []
  const server = http.createServer()
  server.on('connect', (request, socket, head) => {
    seen.push(`${request.url} ${request.headers['proxy-authorization'] ?? '-'}`)
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const far = net.connect(Number(new URL(`http://${request.url}`).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      far.write(head)
      socket.pipe(far).pipe(socket)
    })
    for (const each of [far, socket]) each.on('error', () => undefined)
    socket.once('close', () => far.destroy())
    return undefined
  })
  return { url: (await listen(server)).url, seen }
}

async function ask(origin: string, options: Http2PoolOptions = {}): Promise<string> {
  const pool = afterTest(createHttp2Pool(origin, { name: 'box', ...options }), (it) => it.close())
  const exchange = await pool.open(
    { ':method': 'POST', ':path': '/' },
    { signal: AbortSignal.timeout(20_000) },
  )
  exchange.end()
  return String(await exchange.read())
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: GatewayError) => error,
  )

describe('TLS', () => {
  it('trusts the named authority, by address and by name', async () => {
    const { port, file, sockets } = await startTls()
    expect(await ask(`https://127.0.0.1:${port}`, { caFiles: [file] })).toBe('secret')
    expect(await ask(`https://localhost:${port}`, { caFiles: [file] })).toBe('secret')
    expect(sockets.size).toBe(2)
  })

  it('leaves no socket open', async () => {
    const { port, file, sockets } = await startTls()
    const pool = createHttp2Pool(`https://localhost:${port}`, { caFiles: [file] })
    await pool.open({ ':method': 'POST', ':path': '/' }, { signal: new AbortController().signal })
    await pool.close()
    await until(() => sockets.size === 0, 'the socket to close')
  })

  it('refuses an untrusted certificate', async () => {
    const { port } = await startTls()
    const failure = await failureOf(ask(`https://127.0.0.1:${port}`))
    expect(failure.code).toBe('upstream-unavailable')
    expect(failure.message).toMatch(/could not be reached \(DEPTH_ZERO_SELF_SIGNED_CERT\): .*"connect.ca"/)
  })

  it('reports a server without HTTP/2', async () => {
    for (const ALPNProtocols of [['http/1.1'], undefined]) {
      const path = folder()
      const { cert, key, file } = keepCertificate({ path: (name: string) => join(path, name) } as never)
      const server = tls.createServer({ cert, key, ...(ALPNProtocols ? { ALPNProtocols } : {}) })
      const { port } = new URL((await listen(server)).url)
      const failure = await failureOf(ask(`https://127.0.0.1:${port}`, { caFiles: [file] }))
      expect(failure).toMatchObject({ code: 'upstream-protocol', retryable: false })
      expect(failure.message).toMatch(
        /^box: 127\.0\.0\.1:\d+ .* does not speak HTTP\/2; use the HTTP\/1.1 transport/,
      )
    }
  })

  it('reports a server without TLS', async () => {
    const peer = await listen(net.createServer((socket) => socket.end('hello\n')))
    const failure = await failureOf(ask(`https://127.0.0.1:${new URL(peer.url).port}`))
    expect(failure).toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringMatching(/could not be reached/),
    })
  })

  it('reports a server that closes during the handshake', async () => {
    const peer = await listen(net.createServer((socket) => socket.destroy()))
    const failure = await failureOf(ask(`https://127.0.0.1:${new URL(peer.url).port}`))
    expect(failure).toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringMatching(/could not be reached/),
    })
  })
})

describe('a proxy', () => {
  it('is asked for a tunnel, with its credentials', async () => {
    const { port, file } = await startTls()
    const proxy = await startProxy()
    const url = proxy.url.replace('http://', 'http://me:p%40ss@')
    expect(await ask(`https://localhost:${port}`, { caFiles: [file], proxy: url })).toBe('secret')
    expect(proxy.seen).toEqual([`localhost:${port} Basic ${Buffer.from('me:p@ss').toString('base64')}`])
  })

  it('that refuses is named', async () => {
    const proxy = await startProxy(407)
    const failure = await failureOf(ask('https://localhost:1', { proxy: proxy.url }))
    expect(failure.message).toMatch(/could not be reached \(the proxy answered 407\): check the proxy/)
  })

  it('that is not there is named', async () => {
    const failure = await failureOf(ask('https://localhost:1', { proxy: 'http://127.0.0.1:1' }))
    expect(failure.message).toMatch(/\(ECONNREFUSED\): check the proxy/)
  })

  it('that never answers times out', async () => {
    const silent = await listen(net.createServer())
    const failure = await failureOf(ask('https://localhost:1', { proxy: silent.url, connectTimeoutMs: 100 }))
    expect(failure.message).toMatch(/\(ETIMEDOUT\)/)
  })

  it.each([
    ['https://a.example', {}, undefined],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['https://a.example', { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['https://a.example', { https_proxy: 'http://low:1', HTTPS_PROXY: 'http://p:1' }, 'http://low:1/'],
    ['http://a.example', { HTTPS_PROXY: 'http://p:1' }, undefined],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '*' }, undefined],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'b.example, .example' }, undefined],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'A.example:443' }, undefined],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.example:8443' }, 'http://p:1/'],
    ['https://notexample', { HTTPS_PROXY: 'http://p:1', no_proxy: 'example' }, 'http://p:1/'],
    ['https://x.example', { HTTPS_PROXY: 'http://p:1', no_proxy: '*.example' }, undefined],
    ['http://127.0.0.1:11434', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['http://[::1]:11434', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['https://localhost', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ])('for %s in %j is %s', (url, env, proxy) => {
    expect(proxyOfEnvironment(new URL(url), env)?.href).toBe(proxy)
  })
})
