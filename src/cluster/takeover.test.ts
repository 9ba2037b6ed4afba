// Sessions whose owner is gone: another instance takes them over, and each request is answered once.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { peerSecret } from '../../test/cluster-parts.ts'
import { until, watchProcess } from '../../test/end-to-end/wire.ts'
import { ask, firstRequest, followUp, type Instance, startInstance } from '../../test/fake-instance.ts'
import { callsTool, lost } from '../../test/fake-sessions.ts'
import { describeInEveryPlace, type SessionPlace } from '../../test/session-places.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
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

    it('before the relay: the other instance starts a new run, and is found from then on', async () => {
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

    it('together with its record', async () => {
      const first = await ask(a, firstRequest())
      a.cut()
      await a.cluster.directory.withdraw()
      await goesOnAfresh(b, first)
      expect(outcomes(b)).toEqual(['dragoman_takeovers_total 1'])
    })

    it('during the answer, before the commit point', async () => {
      const first = await ask(a, firstRequest())
      a.fake.answer = async function* ({ context: { notes } }) {
        notes.add('of an answer that is not the one')
        yield [...started, { type: 'text-start', block: 0 }]
        setTimeout(() => a.cut(), 20)
        await never()
      }
      await goesOnAfresh(b, first)
    })

    it('during the answer, after the commit point: the request can be sent again', async () => {
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

    it('an owner that has lost the session reports it', async () => {
      const first = await ask(a, firstRequest())
      a.fake.answer = async function* () {
        yield started
        throw lost()
      }
      await goesOnAfresh(b, first)
      expect(outcomes(b)[0]).toBe('dragoman_relayed_turns_total{outcome="lost"} 1')
    })

    it('an owner that no longer has the session', async () => {
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

    it('an owner that stops cancels its answer, and the other instance continues', async () => {
      const first = await ask(a, firstRequest())
      a.fake.answer = async function* ({ context: { signal } }) {
        yield started
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        throw GatewayError.ofAbort(signal)
      }
      setTimeout(() => a.stopping.trip(), 50)
      await goesOnAfresh(b, first)
    })

    it('the same request at two other instances at once is answered once', async () => {
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

    it('the same request twice at one other instance is answered once', async () => {
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

    it('and that comes back drops what was taken over', async () => {
      const first = await ask(a, firstRequest())
      const sessionId = a.fake.turns[0]?.sessionId ?? ''
      await place.delete(`dragoman:i:${a.cluster.directory.instance}`)
      await goesOnAfresh(b, first)
      expect(a.fake.sessions.has(sessionId)).toBe(true)
      expect((await ask(a, followUp(first))).session).toBe('fresh')
      expect(a.fake.sessions.has(sessionId)).toBe(false)
    })
  })
})
