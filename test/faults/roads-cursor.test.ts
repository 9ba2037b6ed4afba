// Connection failures to Cursor's service: DNS errors, untrusted or broken TLS, a connection that accepts no more streams. Before
// the first token, in the middle of an answer, and while a run waits.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CursorSim, type CursorSimOptions, type CursorStep, startCursorSim } from '../../sim/cursor.ts'
import { atEnd, atTestEnd } from '../at-end.ts'
import { selfSigned } from '../cli/certificate.ts'
import { until } from '../end-to-end/wire.ts'
import { type Body, startGateway } from '../harness.ts'
import { documented } from './documented.ts'
import { ask, begin, type DoorAnswer, type DoorName } from './doors.ts'
import { rotation, useWatch } from './frame.ts'
import { watchNames } from './names.ts'
import { patient, readCall } from './upstreams.ts'

const watch = useWatch()
const turnOf = rotation()
const end: CursorStep = { end: true }
const model = 'cursor/composer-2'
const hello = [{ user: 'hello' }]

/** A simulator and a gateway of its own; `road` is where the gateway finds the simulator. */
async function start(
  simOptions: CursorSimOptions,
  road: (sim: CursorSim) => Body | Promise<Body>,
  progressMs = patient.progressMs,
): Promise<{ sim: CursorSim; url: string; expectNothingLeft(between?: () => unknown): Promise<void> }> {
  const sim = await startCursorSim(simOptions)
  atTestEnd(() => sim.close())
  const cursor = { kind: 'cursor', apiKey: 'crsr_test', transport: 'http2', ...(await road(sim)) }
  const settings = { sessions: { progressMs }, backends: { cursor } }
  const { gateway, url } = await startGateway(settings)
  atTestEnd(() => gateway.close())
  const expectNothingLeft = async (between?: () => unknown) => {
    await gateway.close()
    await sim.close()
    await between?.()
    await watch.expectNothingLeft()
  }
  return { sim, url, expectNothingLeft }
}

beforeAll(async () => {
  // The code is loaded; sockets and servers come and go with each case.
  await sleep(20)
  watch.mark()
})

/** 503: there was no connection at all. 502: one that broke, or is not trusted. */
function expectUnavailable(answer: DoorAnswer, door: DoorName, shown = '', early = 503): void {
  const { status, type, code } = documented(door, 'upstream-unavailable', shown === '' ? early : 200)
  expect([door, answer.status, answer.error?.type, answer.complete]).toEqual([door, status, type, false])
  if (code !== undefined) expect(answer.error?.code).toBe(code)
  expect(answer.text).toBe(shown)
  expect(answer.problems).toEqual([])
}

const fine = (url: string, door: DoorName = 'chat') => ask(url, door, { model, turns: hello, stream: true })

async function expectFine(url: string): Promise<void> {
  await expect.poll(async () => (await fine(url)).complete).toBe(true)
}

/** A run that waits for its results, and the request that brings them. */
async function park(url: string, sim: CursorSim, ...steps: CursorStep[]) {
  const { door, stream } = turnOf()
  sim.play([readCall, ...steps])
  const turns = [{ user: 'read it' }]
  const first = await ask(url, door, { model, turns, stream })
  expect(first.calls).toHaveLength(1)
  const results = first.calls.map(({ id }) => ({ id, content: 'content of it' }))
  return { door, followUp: () => ask(url, door, { model, turns: [...turns, first, { results }], stream }) }
}

describe('names do not resolve', () => {
  const byName = ({ port }: CursorSim) => ({ baseUrl: `http://localhost:${port}` })

  it('before the first token', async () => {
    const names = watchNames()
    const { url, expectNothingLeft } = await start({}, byName)
    names.isDown = true
    for (let form = 0; form < 6; form++) {
      const { door, stream } = turnOf()
      const answer = await ask(url, door, { model, turns: hello, stream })
      expectUnavailable(answer, door)
      expect(answer.error?.message).toContain('no such host')
    }
    names.isDown = false
    await expectFine(url)
    await expectNothingLeft()
  })

  it('in the middle of the answer: an open stream continues, and a broken one is an error', async () => {
    const names = watchNames()
    const { sim, url, expectNothingLeft } = await start({}, byName)
    sim.play([{ say: 'half' }, { wait: 50 }, { say: ' and half' }, end])
    const going = fine(url, 'messages')
    await until(() => sim.runs.length > 0)
    names.isDown = true
    expect(await going).toMatchObject({ text: 'half and half', complete: true })
    sim.play([{ say: 'half an answer' }, { wait: 20 }, { fault: 'reset' }])
    expectUnavailable(await fine(url, 'responses'), 'responses', 'half an answer')
    expectUnavailable(await fine(url, 'messages'), 'messages')
    names.isDown = false
    await expectFine(url)
    await expectNothingLeft()
  })

  it('while the run waits: its results wait until names resolve again', async () => {
    const names = watchNames()
    const { sim, url, expectNothingLeft } = await start({}, byName)
    const { door, followUp } = await park(url, sim, { wait: 60 }, { fault: 'reset' })
    names.isDown = true
    await sim.runs[0]?.waitForClose()
    expectUnavailable(await followUp(), door)
    names.isDown = false
    sim.play([{ say: 'from the history' }, end])
    expect(await followUp()).toMatchObject({ text: 'from the history', complete: true })
    await expectNothingLeft()
  })
})

describe('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-tls-'))
  const ca = join(folder, 'ca.pem')
  writeFileSync(ca, selfSigned().cert)
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const secure: CursorSimOptions = { tls: selfSigned() }

  /** A relay that can inject bytes into the encrypted stream. */
  async function startRelay(port: number) {
    const nears = new Set<net.Socket>()
    const server = net.createServer((near) => {
      const far = net.connect(port, '127.0.0.1')
      nears.add(near)
      near.pipe(far).pipe(near)
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        socket.on('error', () => undefined)
        socket.once('close', () => {
          nears.delete(near)
          other.destroy()
        })
      }
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    atTestEnd(() => {
      for (const near of nears) near.destroy()
      server.close()
    })
    return {
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      spoil: () => {
        for (const near of nears) near.write(Buffer.alloc(64, 0xff))
      },
      close: () => new Promise((resolve) => server.close(resolve)),
    }
  }

  it('before the first token: an untrusted certificate', async () => {
    const { sim, url, expectNothingLeft } = await start(secure, ({ url }) => ({ baseUrl: url }))
    for (let form = 0; form < 6; form++) {
      const { door, stream } = turnOf()
      const answer = await ask(url, door, { model, turns: hello, stream })
      expectUnavailable(answer, door, '', 502)
      expect(answer.error?.message).toContain('self-signed')
    }
    expect(sim.runs).toHaveLength(0)
    await expectNothingLeft()
  })

  it('in the middle of the answer: a record that cannot be read', async () => {
    let relay: Awaited<ReturnType<typeof startRelay>> | undefined
    const { sim, url, expectNothingLeft } = await start(secure, async ({ port }) => {
      relay = await startRelay(port)
      return { baseUrl: relay.url, connect: { ca } }
    })
    sim.play([{ say: 'half an answer' }, { heartbeats: { everyMs: 50, count: 'forever' } }])
    const going = begin(url, 'messages', { model, turns: hello, stream: true })
    await until(() => going.seen().includes('half an answer'))
    relay?.spoil()
    expectUnavailable(await going.answer, 'messages', 'half an answer')
    await expectFine(url)
    await expectNothingLeft(relay?.close)
  })

  it('while the run waits', async () => {
    let relay: Awaited<ReturnType<typeof startRelay>> | undefined
    const { sim, url, expectNothingLeft } = await start(secure, async ({ port }) => {
      relay = await startRelay(port)
      return { baseUrl: relay.url, connect: { ca } }
    })
    const { followUp } = await park(url, sim)
    relay?.spoil()
    await sim.runs[0]?.waitForClose()
    sim.play([{ say: 'from the history' }, end])
    expect(await followUp()).toMatchObject({ text: 'from the history', complete: true })
    await expectNothingLeft(relay?.close)
  })
})

describe('a connection takes one stream', () => {
  const one = { maxConcurrentStreams: 1 }
  const direct = ({ url }: CursorSim) => ({ baseUrl: url })

  it.each([
    ['before the first token of another run', [{ wait: 1_500 }]],
    ['in the middle of the answer of another', [{ say: 'half' }, { wait: 1_500 }, { say: ' and half' }]],
  ] satisfies [string, CursorStep[]][])('%s', async (_name, steps) => {
    // Longer than the slow run says nothing.
    const { sim, url, expectNothingLeft } = await start(one, direct, 20_000)
    const before = { when: { text: 'slow' }, steps: [...steps, end] }
    sim.play(before, before)
    const slow = ['chat', 'messages'].map((door) =>
      ask(url, door as DoorName, { model, turns: [{ user: 'slow' }], stream: true }),
    )
    await until(() => sim.runs.length === 2)
    expect(await fine(url, 'responses')).toMatchObject({ complete: true, problems: [] })
    for (const answer of await Promise.all(slow))
      expect(answer).toMatchObject({ complete: true, problems: [] })
    expect(sim.peakConnections).toBe(3)
    await expectNothingLeft()
  })

  it('while another run waits for results', async () => {
    const { sim, url, expectNothingLeft } = await start(one, direct)
    const { followUp } = await park(url, sim, { await: 'results' }, { say: 'live' }, end)
    expect(await fine(url)).toMatchObject({ complete: true })
    expect(sim.peakConnections).toBe(2)
    expect(await followUp()).toMatchObject({ text: 'live', complete: true })
    await expectNothingLeft()
  })
})
