// The choice of transport and host, its log lines, and many concurrent runs.

import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { startCursorSim } from '../../sim/cursor.ts'
import { answerOf, askCursor, startCursorBench } from '../cursor-bench.ts'
import { isNightly } from '../depth.ts'

const said = [{ say: 'ok' }, { end: true }] as const

describe('transport: auto', () => {
  it.each([
    [undefined, 'http2', 'the default'],
    ['forced', 'http2', 'demand'],
    ['off', 'sse', 'forbid'],
  ] as const)('with settings that say %s takes %s, and says why', async (http2, transport, why) => {
    const bench = await startCursorBench({ transport: 'auto', sim: http2 === undefined ? {} : { http2 } })
    bench.sim.play(said)
    expect((await answerOf(bench.url, askCursor('hello'), 'streamed')).text).toBe('ok')
    expect(bench.sim.runs[0]?.transport).toBe(transport)
    const [cursor] = await bench.gateway.catalog.listings()
    const found = JSON.stringify(await cursor?.backend.describe?.(AbortSignal.timeout(5_000)))
    expect(found).toContain(why)
    expect(found).toContain(new URL(bench.sim.url).origin)
    expect(found).not.toContain('warning')
    await bench.close()
  })

  it('changes to HTTP/1.1 where HTTP/2 cannot be had, and remembers it', async () => {
    const sim = await startCursorSim()
    const proxy = await http1Only(sim.port)
    const bench = await startCursorBench({
      transport: 'auto',
      backend: { baseUrl: proxy.url, apiKey: 'crsr_x' },
    })
    sim.play(said, said)
    for (let round = 0; round < 2; round++)
      expect((await answerOf(bench.url, askCursor('hello'), 'streamed')).text).toBe('ok')
    expect(sim.runs.map((run) => run.transport)).toEqual(['sse', 'sse'])
    expect(proxy.refused).toBe(1)
    const [cursor] = await bench.gateway.catalog.listings()
    const found = await cursor?.backend.describe?.(AbortSignal.timeout(5_000))
    expect(JSON.stringify(found)).toContain('HTTP/2 failed')
    await bench.close()
    await proxy.close()
    await sim.close()
  })

  it('that is set against the server is a warning', async () => {
    const bench = await startCursorBench({ transport: 'http2', sim: { http2: 'off' } })
    const [cursor] = await bench.gateway.catalog.listings()
    expect(await cursor?.backend.describe?.(AbortSignal.timeout(5_000))).toMatchObject([
      { status: 'warning', message: expect.stringContaining('forbid') },
      { status: 'ok' },
    ])
    await bench.close()
  })

  it('does not change where the service itself refuses', async () => {
    const bench = await startCursorBench({ transport: 'auto' })
    bench.sim.play([{ error: { code: 'resource_exhausted', message: 'Error' } }])
    expect((await answerOf(bench.url, askCursor('hello'), 'streamed')).status).toBe(429)
    expect(bench.sim.runs.map((run) => run.transport)).toEqual(['http2'])
    await bench.close()
  })
})

describe('a frozen peer', () => {
  it.runIf(isNightly)('is an error within 20 s, and the next run takes another connection', async () => {
    const bench = await startCursorBench()
    bench.sim.play([{ say: 'half' }, { heartbeats: { everyMs: 1_000, count: 'forever' } }], said)
    const running = answerOf(bench.url, askCursor('hello'), 'streamed')
    await expect.poll(() => bench.sim.runs[0]?.received.length ?? 0).toBeGreaterThan(1)
    const frozenAt = Date.now()
    bench.sim.freeze()
    const answer = await running
    expect(answer.error?.message).toMatch(/ping/)
    expect(Date.now() - frozenAt).toBeLessThan(20_000)
    bench.sim.thaw()
    expect((await answerOf(bench.url, askCursor('hello'), 'streamed')).text).toBe('ok')
    await bench.close()
  })
})

/** A port that supports only HTTP/1.1, like some balancers. */
async function http1Only(target: number): Promise<{ url: string; refused: number; close(): Promise<void> }> {
  let refused = 0
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (first) => {
      if (first.toString('latin1').startsWith('PRI ')) {
        refused++
        socket.end('HTTP/1.1 464 \r\ncontent-length: 0\r\n\r\n')
        return
      }
      const upstream = net.connect(target, '127.0.0.1')
      upstream.on('error', () => socket.destroy())
      socket.on('close', () => upstream.destroy())
      upstream.write(first)
      socket.pipe(upstream).pipe(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get refused() {
      return refused
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
