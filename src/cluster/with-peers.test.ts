// Sessions among several instances: turns, results and errors are relayed to the owner of the session.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { until, watchProcess, within } from '../../test/end-to-end/wire.ts'
import {
  ask,
  context,
  firstRequest,
  followUp,
  type Instance,
  startInstance,
} from '../../test/fake-instance.ts'
import { callsTool, give, says } from '../../test/fake-sessions.ts'
import { describeWithRedis, startRedis } from '../../test/redis.ts'
import { describeInEveryPlace, type SessionPlace } from '../../test/session-places.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import { sessionOf } from '../core/session-id.ts'

const started: TurnEvent[] = [{ type: 'turn-start', id: 'upstream', model: 'm' }]
const shown: TurnEvent[] = [
  { type: 'text-start', block: 0 },
  { type: 'text-delta', block: 0, delta: 'half' },
]
const textOf = (events: readonly TurnEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')
const outcomes = ({ metrics }: Instance) =>
  metrics
    .render()
    .split('\n')
    .filter((line) => /^dragoman_(relayed|takeovers)/.test(line))

describeInEveryPlace('a session among several instances', (startPlace) => {
  let place: SessionPlace
  let a: Instance
  let b: Instance
  let c: Instance
  let watch: ReturnType<typeof watchProcess>
  beforeAll(async () => {
    place = await startPlace()
  })
  afterAll(() => place.stop())
  beforeEach(async () => {
    watch = watchProcess()
    ;[a, b, c] = (await Promise.all([1, 2, 3].map(() => startInstance(place.at)))) as [
      Instance,
      Instance,
      Instance,
    ]
  })
  afterEach(async () => {
    await Promise.all([a, b, c].map((instance) => instance.close()))
    watch.stop()
    expect(watch.stray).toEqual([])
  })

  describe('whose owner lives', () => {
    it('continues from any instance, with the same events in the same batches', async () => {
      const first = await ask(a, firstRequest())
      expect(first.session).toBe('fresh')
      a.fake.answer = ({ sessionId, context: { notes } }) => {
        notes.add('changed: ä')
        return give(callsTool(sessionId, 'again, with \ud800 and 😀\n'))
      }
      const second = await ask(b, followUp(first))
      expect(second.error).toBeUndefined()
      const sessionId = a.fake.turns[1]?.sessionId ?? ''
      expect(second.batches.flat()).toEqual(callsTool(sessionId, 'again, with \ud800 and 😀\n').flat())
      expect(second).toMatchObject({ session: 'live', notes: ['changed: ä'] })
      a.fake.answer = () => give(says('done, wherever'))
      const third = await ask(c, followUp(second))
      expect(third.batches).toEqual(says('done, wherever'))
      expect([a, b, c].map(({ fake }) => fake.turns.length)).toEqual([3, 0, 0])
      expect(outcomes(b)).toEqual(['dragoman_relayed_turns_total{outcome="answered"} 1'])
      expect(await b.cluster.directory.find(sessionId)).toBeUndefined()
    })

    it('is known to be elsewhere', async () => {
      const first = await ask(a, firstRequest())
      const sessionId = a.fake.turns[0]?.sessionId ?? ''
      const elsewhere = (instance: Instance, id = sessionId) => instance.backend.sessions?.isElsewhere?.(id)
      expect(await Promise.all([a, b].map((instance) => elsewhere(instance)))).toEqual([false, true])
      expect(await elsewhere(b, 'nobodyhasone')).toBe(false)
      await ask(b, followUp(first))
    })

    it('reaches the owner with the whole request, without the parts that only the door needs', async () => {
      const first = await ask(a, firstRequest())
      await ask(b, followUp(first, 'the result'))
      const { request, context: seen } = a.fake.turns[1] ?? {}
      const plain = JSON.parse(
        JSON.stringify(followUp(first, 'the result'), (key, value) => (key === 'source' ? undefined : value)),
      )
      expect(request).toEqual({ ...plain, origin: { dialect: 'openai-chat', body: {}, faithful: false } })
      expect(seen).toMatchObject({ turnId: 'turn_1', caller: { key: 'laptop' }, wholeArguments: true })
    })

    it('is answered by its owner without a relay', async () => {
      const first = await ask(a, firstRequest())
      expect((await ask(a, followUp(first))).session).toBe('live')
      expect(outcomes(a)).toEqual([])
    })

    it('turns without a session do not wait for Redis', async () => {
      const { directory } = a.cluster
      const asked = (['find', 'holds', 'takeOver', 'claim'] as const).map((name) => vi.spyOn(directory, name))
      a.fake.answer = () => give(says('no calls'))
      await ask(a, firstRequest())
      for (const spy of asked) expect(spy).not.toHaveBeenCalled()
    })

    it('a client that leaves cancels the turn at the owner', async () => {
      const first = await ask(a, firstRequest())
      let told = 0
      a.fake.answer = async function* ({ context: { signal } }) {
        signal.addEventListener('abort', () => (told = Date.now()))
        yield [...started, ...shown]
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      }
      const leaving = new AbortController()
      const pending = ask(b, followUp(first), { signal: leaving.signal })
      await until(() => a.fake.turns.length === 2)
      await sleep(30)
      const left = Date.now()
      leaving.abort()
      expect((await pending).error?.code).toBe('canceled')
      await until(() => told > 0)
      expect(told - left).toBeLessThan(1_000)
      expect(outcomes(b)).toEqual(['dragoman_relayed_turns_total{outcome="canceled"} 1'])
    })

    it('a client that has its whole answer does not count as gone', async () => {
      const first = await ask(a, firstRequest())
      let leftAtTheEnd: boolean | undefined
      a.fake.answer = async function* ({ sessionId, context: { signal } }) {
        try {
          yield* callsTool(sessionId)
        } finally {
          await sleep(100)
          leftAtTheEnd = signal.aborted
        }
      }
      const second = await ask(b, followUp(first))
      await until(() => leftAtTheEnd !== undefined)
      expect(leftAtTheEnd).toBe(false)
      a.fake.answer = () => give(says('still there'))
      expect((await ask(c, followUp(second))).session).toBe('live')
    })

    it('a slow reader slows the owner', async () => {
      const first = await ask(a, firstRequest())
      let made = 0
      const many = 20_000
      a.fake.answer = async function* () {
        yield started
        yield [{ type: 'text-start', block: 0 }]
        for (; made < many; made++) yield [{ type: 'text-delta', block: 0, delta: 'x'.repeat(10_000) }]
      }
      const leaving = new AbortController()
      const batches = b.backend.run(followUp(first), context(leaving.signal))[Symbol.asyncIterator]()
      for (let read = 0; read < 5; read++) await batches.next()
      let before = -1
      while (made > before) {
        before = made
        await sleep(200)
      }
      // The capacity of the sockets and two small buffers.
      expect(made).toBeLessThan(many / 4)
      for (let read = 0; read < 3_000; read++) await batches.next()
      await until(() => made > before)
      leaving.abort()
      await expect(batches.next()).rejects.toMatchObject({ code: 'canceled' })
    })

    it('a second request for the same results is refused on every instance', async () => {
      const first = await ask(a, firstRequest())
      let finish: () => void = () => undefined
      const finished = new Promise<void>((resolve) => {
        finish = resolve
      })
      a.fake.answer = async function* () {
        yield [...started, ...shown]
        await finished
        yield [
          { type: 'text-end', block: 0 },
          { type: 'turn-end', reason: 'stop' },
        ]
      }
      const pending = ask(b, followUp(first))
      await until(() => a.fake.turns.length === 2)
      const twin = await ask(c, followUp(first))
      expect(twin.error).toBeInstanceOf(GatewayError)
      expect(twin.error).toMatchObject({ code: 'conflict', status: 409 })
      finish()
      expect((await pending).error).toBeUndefined()
      expect(outcomes(c)).toEqual(['dragoman_relayed_turns_total{outcome="failed"} 1'])
    })

    it('errors of the owner are errors here', async () => {
      const first = await ask(a, firstRequest())
      a.fake.answer = async function* () {
        yield [...started, ...shown]
        throw new GatewayError('rate-limited', 'slow down', { retryAfterMs: 1_000 })
      }
      const second = await ask(b, followUp(first))
      expect(second.error).toMatchObject({ code: 'rate-limited', message: 'slow down', retryAfterMs: 1_000 })
      expect(textOf(second.events)).toBe('half')
    })

    it('an internal error is logged at the owner, and relayed without its cause', async () => {
      const first = await ask(a, firstRequest())
      a.fake.answer = async function* () {
        yield started
        throw new TypeError('a bug-canary')
      }
      const second = await ask(b, followUp(first))
      expect(second.error).toMatchObject({ code: 'internal' })
      expect(JSON.stringify([second.error?.message, b.log.lines])).not.toContain('canary')
      expect(a.log.count('error', /relayed turn failed/)).toBe(1)
    })

    it('belongs to its caller: another caller gets its own answer, and the session stays', async () => {
      const first = await ask(a, firstRequest())
      const sessionId = a.fake.turns[0]?.sessionId ?? ''
      expect((await ask(b, followUp(first), { caller: 'stranger' })).session).toBe('fresh')
      expect(a.fake.sessions.has(sessionId)).toBe(true)
      expect((await ask(c, followUp(first))).session).toBe('live')
    })
  })

  it('an owner that withdraws drops waiting sessions, and is not asked any more', async () => {
    const first = await ask(a, firstRequest())
    const sessionId = a.fake.turns[0]?.sessionId ?? ''
    await a.cluster.withdraw()
    expect(a.fake.sessions.has(sessionId)).toBe(false)
    await until(() => a.cluster.directory.size === 0)
    expect((await ask(b, followUp(first))).session).toBe('fresh')
    expect(a.fake.turns).toHaveLength(1)
    expect(outcomes(b)).toEqual([])
  })

  it('early results are relayed to the instance that holds their session', async () => {
    const [atA, atB] = [await ask(a, firstRequest()), await ask(b, firstRequest())]
    const callOf = ({ events }: typeof atA) =>
      events.flatMap((event) => (event.type === 'tool-call-end' ? [event.callId] : []))[0] ?? ''
    const result = (callId: string) => ({ callId, content: [{ type: 'text' as const, text: 'x' }] })
    const nobody = callOf(atA).replace(sessionOf(callOf(atA)) ?? '', 'AAAAAAAAAAAA')
    const ids = [callOf(atA), nobody, callOf(atB), 'call_of_no_session', callOf(atA)]
    const deliveries = await b.backend.sessions?.deliver(ids.map(result), { key: 'laptop' })
    expect(deliveries?.map(({ callId }) => callId)).toEqual(ids)
    expect(deliveries?.map(({ state }) => state)).toEqual([
      'accepted',
      'unknown',
      'accepted',
      'unknown',
      'duplicate',
    ])
    expect(await c.backend.sessions?.deliver([result(callOf(atA))], { key: 'stranger' })).toMatchObject([
      { state: 'unknown' },
    ])
    a.cut()
    expect(await c.backend.sessions?.deliver([result(callOf(atA))], { key: 'laptop' })).toMatchObject([
      { state: 'unknown', why: expect.stringContaining('cannot be asked') },
    ])
  })
})

describeWithRedis('without Redis', () => {
  it('local sessions continue, remote ones start anew, and all are found again afterwards', async () => {
    const redis = await startRedis()
    const [a, b] = [await startInstance(redis.url), await startInstance(redis.url)]
    const first = await ask(a, firstRequest())
    await redis.kill()
    await until(() => !a.cluster.directory.up && !b.cluster.directory.up)
    a.fake.answer = ({ sessionId }) => give(callsTool(sessionId))
    const second = await ask(a, followUp(first))
    expect(second.session).toBe('live')
    expect((await ask(b, followUp(second))).session).toBe('fresh')
    await redis.restart()
    await until(() => a.cluster.directory.up && b.cluster.directory.up, 10_000)
    expect((await ask(b, followUp(second))).session).toBe('live')
    expect(await within(5_000, Promise.all([a.close(), b.close()]))).not.toBe('late')
    await redis.stop()
  })
})
