import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { peerSecret } from '../../test/cluster-parts.ts'
import { until, watchProcess, within } from '../../test/end-to-end/wire.ts'
import {
  ask,
  context,
  firstRequest,
  followUp,
  type Instance,
  startInstance,
} from '../../test/fake-instance.ts'
import { callsTool, give, lost, says } from '../../test/fake-sessions.ts'
import { describeWithRedis, startRedis } from '../../test/redis.ts'
import { describeInEveryPlace, type SessionPlace } from '../../test/session-places.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import { sessionOf } from '../core/session-id.ts'
import { RelayClient } from './relay-client.ts'

const started: TurnEvent[] = [{ type: 'turn-start', id: 'upstream', model: 'm' }]
const shown: TurnEvent[] = [
  { type: 'text-start', block: 0 },
  { type: 'text-delta', block: 0, delta: 'half' },
]
const never = () => new Promise<never>(() => undefined)
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

  describe('that lives', () => {
    it('is gone on with from any of them, with the same events in the same batches', async () => {
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

    it('the owner sees the request as it was, without what only the door needs', async () => {
      const first = await ask(a, firstRequest())
      await ask(b, followUp(first, 'the result'))
      const { request, context: seen } = a.fake.turns[1] ?? {}
      const plain = JSON.parse(
        JSON.stringify(followUp(first, 'the result'), (key, value) => (key === 'source' ? undefined : value)),
      )
      expect(request).toEqual({ ...plain, origin: { dialect: 'openai-chat', body: {}, faithful: false } })
      expect(seen).toMatchObject({ turnId: 'turn_1', caller: { key: 'laptop' }, wholeArguments: true })
    })

    it('at home no other is asked', async () => {
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

    it('a client that leaves is gone at the owner too', async () => {
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

    it('a client that has its answer is no client that left', async () => {
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
      // What the sockets and two small buffers hold.
      expect(made).toBeLessThan(many / 4)
      for (let read = 0; read < 3_000; read++) await batches.next()
      await until(() => made > before)
      leaving.abort()
      await expect(batches.next()).rejects.toMatchObject({ code: 'canceled' })
    })

    it('a second request for what is being answered is refused, wherever it comes', async () => {
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

    it('a failure of its own is logged where it happened, and told without its cause', async () => {
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

    it("is no stranger's: another caller gets an answer of its own, and the session stays", async () => {
      const first = await ask(a, firstRequest())
      const sessionId = a.fake.turns[0]?.sessionId ?? ''
      expect((await ask(b, followUp(first), { caller: 'stranger' })).session).toBe('fresh')
      expect(a.fake.sessions.has(sessionId)).toBe(true)
      expect((await ask(c, followUp(first))).session).toBe('live')
    })
  })

  describe('whose owner is gone', () => {
    const goesOnAfresh = async (instance: Instance, first: Awaited<ReturnType<typeof ask>>) => {
      const second = await ask(instance, followUp(first))
      expect(second.error).toBeUndefined()
      expect(second.session).toBe('fresh')
      expect(second.notes).toEqual([])
      expect(second.events.filter(({ type }) => type === 'turn-start')).toHaveLength(1)
      expect(instance.fake.turns).toHaveLength(1)
      return second
    }

    it('before it was asked: the other answers afresh, and is found from then on', async () => {
      const first = await ask(a, firstRequest())
      a.cut()
      const second = await goesOnAfresh(b, first)
      expect(outcomes(b)).toEqual([
        'dragoman_relayed_turns_total{outcome="unreachable"} 1',
        'dragoman_takeovers_total 1',
      ])
      const third = await ask(c, followUp(second))
      expect(third.session).toBe('live')
      expect(b.fake.turns).toHaveLength(2)
    })

    it('and its record too', async () => {
      const first = await ask(a, firstRequest())
      a.cut()
      await a.cluster.directory.withdraw()
      await goesOnAfresh(b, first)
      expect(outcomes(b)).toEqual(['dragoman_takeovers_total 1'])
    })

    it('in the middle, before anything was shown', async () => {
      const first = await ask(a, firstRequest())
      a.fake.answer = async function* ({ context: { notes } }) {
        notes.add('of an answer that is not the one')
        yield [...started, { type: 'text-start', block: 0 }]
        setTimeout(() => a.cut(), 20)
        await never()
      }
      await goesOnAfresh(b, first)
    })

    it('in the middle, after something was shown: the request can be sent again', async () => {
      const first = await ask(a, firstRequest())
      a.fake.answer = async function* () {
        yield [...started, ...shown]
        await never()
      }
      const second = await ask(b, followUp(first), { onBatch: () => a.cut() })
      expect(textOf(second.events)).toBe('half')
      expect(second.error).toMatchObject({ code: 'upstream-unavailable', retryable: true })
      expect(second.error?.message).toMatch(
        /instance that had this session went away.*send the request again/,
      )
      expect(outcomes(b)).toEqual(['dragoman_relayed_turns_total{outcome="broken"} 1'])
      expect((await ask(c, followUp(first))).session).toBe('fresh')
    })

    it('an owner that has lost it says so', async () => {
      const first = await ask(a, firstRequest())
      a.fake.answer = async function* () {
        yield started
        throw lost()
      }
      await goesOnAfresh(b, first)
      expect(outcomes(b)[0]).toBe('dragoman_relayed_turns_total{outcome="lost"} 1')
    })

    it('an owner that does not have it any more', async () => {
      const first = await ask(a, firstRequest())
      const sessionId = a.fake.turns[0]?.sessionId ?? ''
      const key = `dragoman:s:{${sessionId}}`
      const value = await place.get(key)
      a.fake.sessions.drop(sessionId)
      await until(() => a.cluster.directory.valueOf(sessionId) === undefined)
      await place.set(key, value)
      await goesOnAfresh(b, first)
    })

    it('an owner that was asked too late does not begin', async () => {
      const first = await ask(a, firstRequest())
      const sessionId = a.fake.turns[0]?.sessionId ?? ''
      const owner = a.cluster.directory.valueOf(sessionId) ?? ''
      await place.set(`dragoman:s:{${sessionId}}`, `${c.cluster.directory.instance}|999`)
      const relay = new RelayClient({ secret: peerSecret, log: b.log })
      const late = { ...followUp(first), origin: { dialect: 'x', body: {}, faithful: false } }
      const message = {
        backend: 'fake',
        owner,
        request: late,
        turnId: 't',
        caller: { key: 'laptop' },
        wholeArguments: true,
      }
      const lines = relay.turn(a.url, message, new AbortController().signal)
      await expect(lines.next()).rejects.toMatchObject({ name: 'PeerGone', answered: true, kept: false })
      expect(a.fake.turns).toHaveLength(1)
      expect(a.fake.sessions.has(sessionId)).toBe(false)
      await relay.close()
    })

    it('an owner that stops for good cuts it off, and the other goes on', async () => {
      const first = await ask(a, firstRequest())
      a.fake.answer = async function* ({ context: { signal } }) {
        yield started
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        throw GatewayError.ofAbort(signal)
      }
      setTimeout(() => a.stopping.trip(), 50)
      await goesOnAfresh(b, first)
    })

    it('the same request at two others at once is answered once', async () => {
      const first = await ask(a, firstRequest())
      a.cut()
      for (const { fake } of [b, c])
        fake.answer = async function* ({ sessionId }) {
          await sleep(300)
          yield* callsTool(sessionId)
        }
      const both = await Promise.all([b, c].map((instance) => ask(instance, followUp(first))))
      expect(both.map(({ error }) => error?.code).sort()).toEqual(['conflict', undefined])
      expect(b.fake.turns.length + c.fake.turns.length).toBe(1)
      const won = both.find(({ error }) => !error) as (typeof both)[0]
      expect((await ask(b, followUp(won))).session).toBe('live')
    })

    it('the same request twice at one other is answered once', async () => {
      const first = await ask(a, firstRequest())
      a.cut()
      b.fake.answer = async function* ({ sessionId }) {
        await sleep(100)
        yield* callsTool(sessionId)
      }
      const both = await Promise.all([1, 2].map(() => ask(b, followUp(first))))
      expect(both.map(({ error }) => error?.code).sort()).toEqual(['conflict', undefined])
      expect(b.fake.turns).toHaveLength(1)
    })

    it('and comes back: what was taken over is dropped there', async () => {
      const first = await ask(a, firstRequest())
      const sessionId = a.fake.turns[0]?.sessionId ?? ''
      await place.delete(`dragoman:i:${a.cluster.directory.instance}`)
      await goesOnAfresh(b, first)
      expect(a.fake.sessions.has(sessionId)).toBe(true)
      expect((await ask(a, followUp(first))).session).toBe('fresh')
      expect(a.fake.sessions.has(sessionId)).toBe(false)
    })
  })

  it('an owner that withdraws drops what waits, and is not asked any more', async () => {
    const first = await ask(a, firstRequest())
    const sessionId = a.fake.turns[0]?.sessionId ?? ''
    await a.cluster.withdraw()
    expect(a.fake.sessions.has(sessionId)).toBe(false)
    await until(() => a.cluster.directory.size === 0)
    expect((await ask(b, followUp(first))).session).toBe('fresh')
    expect(a.fake.turns).toHaveLength(1)
    expect(outcomes(b)).toEqual([])
  })

  it('results that come ahead go to where their session is', async () => {
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
  it('what is here goes on here, what is elsewhere begins afresh, and all is found when it is back', async () => {
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
