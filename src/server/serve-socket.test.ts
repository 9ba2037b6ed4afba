import { expect, it } from 'vitest'
import { Latch } from '../base/latch.ts'
import type { WebSocketConnection } from '../http/websocket/connection.ts'
import type { Entry } from './entry.ts'
import type { RouteServices } from './routes.ts'
import { ResponsesSocket } from './serve-socket.ts'

function openSocket(times: { longestMs?: number; idleMs?: number }) {
  const sent: string[] = []
  const codes: number[] = []
  const gone = new Latch()
  const connection = {
    send: (text: string) => sent.push(text) > 0,
    close: (code: number) => {
      codes.push(code)
      gone.trip()
    },
    onGone: (listener: () => void) => gone.on(listener),
    gone: false,
    isBehind: false,
  } as unknown as WebSocketConnection
  const services = {
    stopping: new Latch(),
    draining: () => false,
    bodyLimits: { bytes: 1_000, values: 1_000 },
    log: { info: () => undefined, warn: () => undefined },
    metrics: { count: () => undefined },
    scrubber: { scrubError: (error: unknown) => error },
  } as unknown as RouteServices
  const entry = { services } as unknown as Entry
  const entries = { current: entry, onSwitch: () => () => undefined }
  const track = (run: (entry: Entry) => Promise<void>) => run(entry)
  new ResponsesSocket({
    ...{ connection, entries, track, times, caller: { key: 'k' } },
    header: () => undefined,
    headerNames: () => [],
  })
  return { sent, codes }
}

it('a connection ends after its longest time, and the client learns why', async () => {
  const { sent, codes } = openSocket({ longestMs: 10 })
  await expect.poll(() => codes).toEqual([1000])
  expect(sent.map((text) => JSON.parse(text))).toMatchObject([
    { type: 'error', status: 400, error: { code: 'websocket_connection_limit_reached' } },
  ])
})

it('a connection without turns ends', async () => {
  const { sent, codes } = openSocket({ idleMs: 10 })
  await expect.poll(() => codes).toEqual([1000])
  expect(sent).toEqual([])
})
