// A worker has two entrances: its parent hands it clients' connections, and other workers call its own port. That port serves
// nobody else, and its routes are not available to clients.

import net from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MemoryStore } from '../../src/cluster/memory-store.ts'
import { responsesPath, resultsPath, turnsPath } from '../../src/cluster/relay-messages.ts'
import { peerHeader, signRequest } from '../../src/cluster/signature.ts'
import { httpUrl } from '../../src/http/server.ts'
import { Metrics } from '../../src/observe/metrics.ts'
import { openRotatingFile } from '../../src/observe/rotating-file.ts'
import { routes } from '../../src/server/routes.ts'
import { peerSecret } from '../cluster-parts.ts'
import { ask, type Bench, post, startBench } from '../harness.ts'
import { expectNothingStray, until } from './wire.ts'

expectNothingStray()
const key = 'gateway-canary-key-3141592653'
const withKey = { authorization: `Bearer ${key}` }
const internal = [turnsPath, resultsPath, responsesPath]

const store = new MemoryStore()
/** What the parent does. */
let port: net.Server
let url: string
let bench: Bench
let peerUrl: string
let hasLeft = false

beforeAll(async () => {
  let take: (socket: net.Socket) => void = (socket) => socket.destroy()
  port = net.createServer({ pauseOnConnect: true }, (socket) => take(socket))
  await new Promise<void>((resolve) => port.listen(0, '127.0.0.1', resolve))
  url = httpUrl('127.0.0.1', (port.address() as net.AddressInfo).port)
  const announced: string[] = []
  const run: MemoryStore['run'] = (name, record, ...values) => {
    if (name === 'announce') announced.push(values[0] ?? '')
    return store.run(name, record, ...values)
  }
  const shared = {
    url,
    peerListen: { host: '127.0.0.1', port: 0 },
    onConnection: (listener: typeof take) => {
      take = (socket) => {
        listener(socket)
        socket.resume()
      }
    },
    leave: () => {
      hasLeft = true
    },
  }
  bench = await startBench({
    settings: { auth: undefined },
    gateway: {
      keys: [{ name: 'laptop', key }],
      worker: {
        ...{ worker: 1, shared, openFile: openRotatingFile, metrics: new Metrics() },
        peers: {
          secret: peerSecret,
          store: {
            run,
            read: (...args) => store.read(...args),
            delete: (...args) => store.delete(...args),
          },
        },
        renderMetrics: async () => 'of all\n',
      },
    },
  })
  peerUrl = (JSON.parse(announced[0] ?? '{}') as { url: string }).url
})
afterAll(async () => {
  await bench.close()
  port.close()
})

const signed = (path: string, body: string) => ({
  'content-type': 'application/json',
  [peerHeader]: signRequest(peerSecret, { method: 'POST', path, body }),
})

it('clients are answered at the port that is shared', async () => {
  expect([bench.url, peerUrl]).toEqual([url, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)])
  expect(peerUrl).not.toBe(url)
  const answer = await post(url, ask('openai/gpt-demo', { stream: true }), withKey)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('[DONE]')
  expect((await post(url, ask('openai/gpt-demo'))).status).toBe(401)
  expect(await (await fetch(`${url}/metrics`, { headers: withKey })).text()).toBe('of all\n')
})

it.each(internal)('%s: is not there for clients, signed or not', async (path) => {
  const call = (headers: Record<string, string>) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: '{}' })
  expect((await call(signed(path, '{}'))).status).toBe(401)
  expect((await call({ ...signed(path, '{}'), ...withKey })).status).toBe(404)
  expect((await call(withKey)).status).toBe(404)
})

it('its own port answers nothing without a signature, not even the open routes', async () => {
  const places = [...routes.map(({ method, path }) => [method, path.replace('*', 'x')]), ['GET', '/nowhere']]
  for (const [method = '', path = ''] of places)
    for (const headers of [{}, withKey]) {
      const { status } = await fetch(`${peerUrl}${path}`, { method, headers })
      expect([method, path, status]).toEqual([method, path, 401])
    }
})

it('its own port has only the routes for other instances', async () => {
  const call = async (path: string, body: string) =>
    (await fetch(`${peerUrl}${path}`, { method: 'POST', headers: signed(path, body), body })).status
  expect(await call(resultsPath, '{"backend":"cursor","owner":"x|1","results":[],"caller":"laptop"}')).toBe(
    410,
  )
  expect(await call(responsesPath, '{"instance":"x","id":"resp_x","caller":"laptop","action":"find"}')).toBe(
    410,
  )
  expect(await call(turnsPath, '{}')).toBe(400)
  expect(await call('/v1/chat/completions', JSON.stringify(ask('openai/gpt-demo')))).toBe(404)
  const page = { ...signed(turnsPath, '{}'), 'sec-fetch-site': 'same-origin' }
  expect((await fetch(`${peerUrl}${turnsPath}`, { method: 'POST', headers: page, body: '{}' })).status).toBe(
    403,
  )
})

it('a worker that leaves accepts no new requests, and finishes running ones', async () => {
  bench.openai.play([{ say: 'first', pieces: 1 }, { wait: 400 }, { say: ' last', pieces: 1 }])
  const pending = post(url, ask('openai/gpt-demo', { stream: true }), withKey)
  await until(() => bench.openai.requests.length >= 1)
  const answer = await pending
  const closed = bench.gateway.close(10_000, { leaving: true })
  expect(hasLeft).toBe(true)
  expect(await answer.text()).toContain('last')
  await closed
})
