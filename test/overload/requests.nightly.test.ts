// Clients that send far too much: bodies, unfinished bodies, half-sent heads, downloads of tapes. Memory stays within twice the
// bound, and `/healthz` answers all the while.

import net, { type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { Home, type Running } from '../cli/program.ts'
import { expectHeld, MiB, overload, report } from './harness.ts'

const upstreamKey = 'upstream-key-of-this-test'
const key = 'gateway-key-of-this-test'
const authorized = { authorization: `Bearer ${key}` }
let sim: Sim
beforeAll(async () => {
  sim = await startOpenAISim({ apiKey: upstreamKey })
})
afterAll(() => sim.close())

const config = () => ({
  auth: { keys: [{ name: 'me', key }] },
  backends: { openai: { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: upstreamKey } },
})
const bodyBytes = 32 * MiB
const json = { 'content-type': 'application/json', ...authorized }

const ask = async ({ url }: Running, body: string) => {
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: json, body })
  return [response.status, await response.text()] as const
}
const hello = (content: string) =>
  JSON.stringify({ model: 'openai/gpt-demo', messages: [{ role: 'user', content }] })

function connect({ url }: Running): Socket {
  const { hostname, port } = new URL(url)
  return net.connect(Number(port), hostname).on('error', () => undefined)
}

async function drained(socket: Socket): Promise<void> {
  while (socket.writableNeedDrain && !socket.destroyed) await sleep(5)
}

const head = (lines: readonly string[]) =>
  [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n')

describe('requests', () => {
  it('a body of 20 times the bound, in chunks without a length', async () => {
    const options = {
      config: config(),
      allowedBytes: 2 * bodyBytes,
      warmUp: (gateway: Running) => ask(gateway, hello('x')),
    }
    const measured = await overload(options, async (gateway) => {
      const socket = connect(gateway)
      let received = ''
      socket.on('data', (data) => (received += data))
      socket.write(head(['Transfer-Encoding: chunked']))
      const piece = Buffer.from(`${MiB.toString(16)}\r\n${' '.repeat(MiB)}\r\n`)
      for (let sent = 0; sent < 20 * bodyBytes && !socket.destroyed && socket.writable; sent += MiB)
        if (!socket.write(piece)) await drained(socket)
      return received.slice(0, 12)
    })
    report('a body of 20 times the bound', measured)
    expect(measured.result).toBe('HTTP/1.1 413')
    expectHeld(measured, 2 * bodyBytes)
  })

  it('unfinished bodies of 20 times their budget', async () => {
    const budget = 64 * MiB
    const options = {
      config: { ...config(), limits: { bodiesBytes: budget } },
      allowedBytes: 2 * budget,
      warmUp: (gateway: Running) => ask(gateway, hello('x'.repeat(8 * MiB))),
    }
    const measured = await overload(options, async (gateway) => {
      const piece = Buffer.alloc(MiB, ' ')
      const sockets = Array.from({ length: 43 }, () => connect(gateway))
      await Promise.all(
        sockets.map(async (socket) => {
          socket.resume()
          socket.write(head([`Content-Length: ${31 * MiB}`]))
          for (let sent = 0; sent < 30 && socket.writable; sent++)
            if (!socket.write(piece)) await drained(socket)
        }),
      )
      // Those that sleep give way to one that comes.
      await sleep(2_500)
      const [status] = await ask(gateway, hello('x'.repeat(16 * MiB)))
      for (const socket of sockets) socket.destroy()
      return status
    })
    report('43 unfinished bodies of 30 MiB, budget 64 MiB', measured)
    expect(measured.result).toBe(200)
    expectHeld(measured, 2 * budget)
  })

  it('1,500 half-sent heads without a key', async () => {
    const measured = await overload({ config: config(), allowedBytes: 64 * MiB }, async (gateway) => {
      const sockets = Array.from({ length: 1_500 }, () => connect(gateway))
      for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ')
      await sleep(1_000)
      const began = Date.now()
      const [status] = await ask(gateway, hello('hi'))
      const took = Date.now() - began
      for (const socket of sockets) socket.destroy()
      return { status, took }
    })
    report('1,500 half-sent heads', measured)
    expect(measured.result).toEqual({ status: 200, took: expect.any(Number) })
    expect(measured.result?.took).toBeLessThan(1_000)
  })
})

/** The path of the newest turn's tape. */
async function newestTape({ url }: Running): Promise<string> {
  const response = await fetch(`${url}/inspector/turns`, { headers: authorized })
  const { turns } = (await response.json()) as { turns: { turnId?: string; id?: string }[] }
  return `/inspector/turns/${turns[0]?.turnId ?? turns[0]?.id}/tape`
}

describe('page', () => {
  it('100 downloads of one tape of 3 MB, half of them never read', async () => {
    const options = {
      config: config(),
      args: ['--inspect'],
      allowedBytes: 128 * MiB,
      warmUp: async (gateway: Running) => {
        await ask(gateway, hello('word '.repeat(600_000)))
        await (await fetch(gateway.url + (await newestTape(gateway)), { headers: authorized })).arrayBuffer()
      },
    }
    const measured = await overload(options, async (gateway) => {
      const path = await newestTape(gateway)
      const stalled = Array.from({ length: 50 }, () => connect(gateway).pause())
      for (const socket of stalled)
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
      const sizes = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const response = await fetch(gateway.url + path, { headers: authorized })
          return (await response.arrayBuffer()).byteLength
        }),
      )
      for (const socket of stalled) socket.destroy()
      return Math.min(...sizes)
    })
    report('100 downloads of a tape of 3 MB', measured)
    expect(measured.result).toBeGreaterThan(3_000_000)
    expectHeld(measured, 128 * MiB)
  })
})

describe('tapes', () => {
  it('a tape of 20 times the bound is refused without being read', async () => {
    const home = new Home()
    const file = home.write('huge.jsonl', '')
    const { truncateSync } = await import('node:fs')
    truncateSync(file, 20 * 256 * MiB)
    const { code, stderr } = await home.run(['tape', 'show', file], {
      env: { NODE_OPTIONS: '--max-old-space-size=64' },
    })
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining('longer than 256 MiB')])
  })
})
