import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type CursorSim, type CursorSimOptions, type CursorStep, startCursorSim } from '../cursor.ts'
import { TestClient, type TestClientOptions } from './test-client.fixture.ts'

let sim: CursorSim
afterEach(() => sim?.close())

async function start(options: CursorSimOptions = {}): Promise<void> {
  sim = await startCursorSim(options)
}

function client(options: Partial<TestClientOptions> = {}): TestClient {
  return new TestClient({
    url: sim.url,
    transport: 'http2',
    token: sim.auth.issue().accessToken,
    onExec: ({ message }) =>
      message.case === 'readArgs'
        ? [{ case: 'readResult', value: { result: { case: 'error', value: { path: 'a', error: 'no' } } } }]
        : [],
    ...options,
    request: {
      action: { action: { case: 'userMessageAction', value: { userMessage: { text: 'Hello' } } } },
      requestedModel: { modelId: 'composer-2' },
    },
  })
}

function play(steps: CursorStep[], options: Partial<TestClientOptions> = {}) {
  sim.play(steps)
  return client(options).run()
}

describe.each(['http2', 'sse'] as const)('over %s', (transport) => {
  test('an answer ends without its end frame, cut, or with a lie about its length', async () => {
    await start()
    const fin = await play([{ say: 'a' }, { fault: 'fin' }], { transport })
    expect(fin).toMatchObject({ text: 'a', end: undefined, restBytes: 0 })
    const cut = await play([{ say: 'a' }, { fault: 'truncate' }, { say: 'bbbbbbbb' }], { transport })
    expect(cut).toMatchObject({ text: 'a', end: undefined })
    expect(cut.restBytes).toBeGreaterThan(5)
    const lie = await play([{ fault: 'lying-length' }, { say: 'b' }, { say: 'unsent' }], { transport })
    expect(lie).toMatchObject({ text: '', end: undefined })
    const huge = await play([{ fault: 'lying-length', length: 0xffffffff }, { say: 'b' }], { transport })
    expect(huge.restBytes).toBeGreaterThan(5)
    expect(sim.runs.map(({ closed }) => closed)).toEqual(['failed', 'failed', 'failed', 'failed'])
    expect(sim.violations).toEqual([])
  })

  test('the connection or the stream is reset, also after the results came', async () => {
    await start()
    const read: CursorStep = { exec: { read: { path: 'a' } } }
    const reset = await play([{ say: 'a' }, { fault: 'reset' }], { transport })
    expect(reset).toMatchObject({ text: 'a', end: undefined })
    const dead = await play([read, { await: 'results' }, { fault: 'rst-stream' }], { transport })
    expect(dead.brokenBy ?? dead.end).toMatch(
      transport === 'http2' ? /NGHTTP2_INTERNAL_ERROR/ : /aborted|ECONNRESET/,
    )
    expect(sim.runs[1]?.closedExecs.size).toBe(2)
  })

  test('heartbeats go on until the client leaves', async () => {
    await start()
    sim.play([{ blobText: 'only here' }, { heartbeats: { everyMs: 5, count: 'forever' } }])
    const one = client({ transport })
    const over = one.run()
    await until(() => one.messages.length > 20)
    one.leave()
    expect((await over).end).toBeUndefined()
    expect(await sim.runs[0]?.waitForClose()).toBe('by-client')
    expect(sim.violations).toEqual([])
  })

  test('a turn ends, but not its stream', async () => {
    await start()
    sim.play([{ say: 'a' }, { end: 'turn-only' }])
    const one = client({ transport })
    const over = one.run()
    await until(() => JSON.stringify(one.messages, noBigInts).includes('turnEnded'))
    expect(sim.runs[0]?.closed).toBeUndefined()
    one.leave()
    expect((await over).end).toBeUndefined()
  })

  test('a small frame holds a great many bytes', async () => {
    await start()
    const { text, end } = await play(
      [{ bare: true }, { fault: 'gzip-bomb', bytes: 1_000_000 }, { end: true }],
      {
        transport,
      },
    )
    expect([text.length, end]).toEqual([1_000_000, {}])
  })
})

describe('connections', () => {
  test('are told to go away, and still finish what they have', async () => {
    await start()
    const { text, end } = await play([{ fault: 'goaway' }, { say: 'still here' }])
    expect({ text, end }).toEqual({ text: 'still here', end: {} })
    const session = connectHttp2(sim.url)
    const gone = new Promise((resolve) => session.once('goaway', resolve))
    await new Promise((resolve) => session.once('remoteSettings', resolve))
    sim.goAway(11)
    session.on('error', () => undefined)
    expect(await gone).toBe(11)
  })

  test('are counted', async () => {
    await start({ maxConcurrentStreams: 7 })
    const sessions = [connectHttp2(sim.url), connectHttp2(sim.url)]
    const settings = await Promise.all(
      sessions.map((session) => new Promise((resolve) => session.once('remoteSettings', resolve))),
    )
    expect(settings[0]).toMatchObject({ maxConcurrentStreams: 7 })
    expect(sim.connections).toBe(2)
    for (const session of sessions) session.close()
    await until(() => sim.connections === 0)
    expect(sim.peakConnections).toBe(2)
  })

  test('freeze: no ping is answered, and the silence is no violation', async () => {
    await start({ clientHeartbeatPatienceMs: 400 })
    const session = connectHttp2(sim.url)
    await new Promise((resolve) => session.once('remoteSettings', resolve))
    sim.freeze()
    let answered = false
    const ping = new Promise<void>((resolve) =>
      session.ping(() => {
        answered = true
        resolve()
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(answered).toBe(false)
    sim.thaw()
    await ping
    session.destroy()
  })

  test('that come after a freeze work', async () => {
    await start()
    sim.freeze()
    expect((await play([{ say: 'fine' }])).text).toBe('fine')
    sim.thaw()
  })

  test('end a run that the client cancels', async () => {
    await start()
    sim.play([{ fault: 'hang' }])
    const one = client()
    const over = one.run()
    const value = { action: { case: 'cancelAction' as const, value: { reason: 'enough' } } }
    one.send({ case: 'conversationAction', value })
    expect((await over).end?.error?.code).toBe('canceled')
    expect(sim.runs[0]?.closed).toBe('by-client')
  })

  test('freeze in the middle of a run, which goes on when they thaw', async () => {
    await start()
    sim.play([{ say: 'before' }, { wait: 50 }, { say: ', after' }])
    const one = client()
    const over = one.run()
    await until(() => one.messages.some(({ message }) => message.case === 'interactionUpdate'))
    sim.freeze()
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(sim.runs[0]?.closed).toBeUndefined()
    sim.thaw()
    expect((await over).text).toBe('before, after')
  })

  test('speak either protocol, though its first bytes come one by one', async () => {
    await start()
    const speak = async (text: string): Promise<string> => {
      const socket = connectTcp(sim.port, '127.0.0.1')
      socket.setNoDelay(true)
      for (const byte of text) {
        socket.write(byte)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
      socket.destroy()
      return answer.toString('latin1')
    }
    expect(await speak('GET /x HTTP/1.1\r\nhost: localhost\r\n\r\n')).toMatch(/^HTTP\/1\.1 404/)
    expect(await speak('PUT /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 404/,
    )
    // The settings frame of the server: type 4 in the fourth byte.
    expect((await speak('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).charCodeAt(3)).toBe(4)
  })

  test('refuse a run in the wrong version of HTTP', async () => {
    await start({ http2: 'off' })
    expect((await client().run()).status).toBe(464)
    const answer = await fetch(`${sim.url}/agent.v1.AgentService/Run`, { method: 'POST', body: '' })
    expect(answer.status).toBe(464)
  })
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

function noBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
