// A duplicated request, sent to any two instances at any point of a session's life, is answered once, and a run that was taken over
// receives nothing more.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { scaled } from '../../test/depth.ts'
import { until, watchProcess } from '../../test/end-to-end/wire.ts'
import {
  type Asked,
  ask,
  firstRequest,
  followUp,
  type Instance,
  startInstance,
} from '../../test/fake-instance.ts'
import { callsTool, lost, says } from '../../test/fake-sessions.ts'
import { describeInEveryPlace, type SessionPlace } from '../../test/session-places.ts'
import { sessionOfResults } from '../core/session-id.ts'

describeInEveryPlace('a request that comes twice', (startPlace) => {
  let place: SessionPlace
  let a: Instance
  let b: Instance
  let c: Instance
  let watch: ReturnType<typeof watchProcess>
  /** While it is pending, answers stay unfinished. */
  let held: Promise<void> | undefined
  /** Holds all answers until the returned function is called. */
  const hold = (): (() => void) => {
    let release: () => void = () => undefined
    held = new Promise((resolve) => {
      release = resolve
    })
    return release
  }
  beforeAll(async () => {
    place = await startPlace()
  })
  afterAll(() => place.stop())
  beforeEach(async () => {
    held = undefined
    watch = watchProcess()
    ;[a, b, c] = (await Promise.all([1, 2, 3].map(() => startInstance(place.at)))) as [
      Instance,
      Instance,
      Instance,
    ]
    for (const { fake } of [b, c])
      fake.answer = async function* ({ sessionId }) {
        await held
        yield* callsTool(sessionId)
      }
  })
  afterEach(async () => {
    await Promise.all([a, b, c].map((instance) => instance.close()))
    watch.stop()
    expect(watch.stray).toEqual([])
  })

  /** Simulates an instance that was suspended for longer than its record lives; returns its first action after it resumes. */
  const lapse = async ({ cluster }: Instance) => {
    const key = `dragoman:i:${cluster.directory.instance}`
    const record = await place.get(key)
    await place.delete(key)
    return () => place.set(key, record)
  }
  const codes = (...both: Asked[]) => both.map(({ error }) => error?.code)

  it('to the instance that took the session over, and to the former owner', async () => {
    const first = await ask(a, firstRequest())
    await lapse(a)
    const release = hold()
    const pending = ask(b, followUp(first))
    await until(() => b.fake.turns.length === 1)
    const late = await ask(a, followUp(first))
    release()
    expect(codes(await pending, late)).toEqual([undefined, 'conflict'])
    expect(a.fake.turns).toHaveLength(1)
  })

  it('to the former owner after the other has answered: a new run that the others can find', async () => {
    const first = await ask(a, firstRequest())
    const goOn = await lapse(a)
    await ask(b, followUp(first))
    await goOn()
    a.fake.answer = b.fake.answer
    const release = hold()
    const pending = ask(a, followUp(first))
    await until(() => a.fake.turns.length === 2)
    const twin = await ask(c, followUp(first))
    release()
    expect(codes(twin, await pending)).toEqual(['conflict', undefined])
  })

  it('again to the instance that took it over, and to another', async () => {
    const first = await ask(a, firstRequest())
    a.cut()
    await ask(b, followUp(first))
    const release = hold()
    const pending = ask(b, followUp(first))
    await until(() => b.fake.turns.length === 2)
    const twin = await ask(c, followUp(first))
    release()
    expect(codes(await pending, twin)).toEqual([undefined, 'conflict'])
    expect(c.fake.turns).toHaveLength(0)
  })

  it('to an owner that loses the session meanwhile, and to another', async () => {
    const first = await ask(a, firstRequest())
    a.fake.answer = async function* ({ state }) {
      if (state === 'live') throw lost()
      await held
      yield* says('afresh')
    }
    const release = hold()
    const pending = ask(a, followUp(first))
    await until(() => a.fake.turns.length === 3)
    const twin = await ask(c, followUp(first))
    release()
    const won = await pending
    expect(codes(won, twin)).toEqual([undefined, 'conflict'])
    expect(won.session).toBe('fresh')
    expect(c.fake.turns).toHaveLength(0)
  })

  it('with the same request of another caller in between', async () => {
    const first = await ask(a, firstRequest())
    a.cut()
    const release = hold()
    const pending = ask(b, followUp(first))
    await until(() => b.fake.turns.length === 1)
    const strange = ask(b, followUp(first), { caller: 'stranger' })
    await until(() => b.fake.turns.length === 2)
    const twin = await ask(b, followUp(first))
    release()
    expect(codes(await pending, await strange, twin)).toEqual([undefined, undefined, 'conflict'])
  })

  it('results for a run that was taken over do not reach it', async () => {
    const first = await ask(a, firstRequest())
    await lapse(a)
    await ask(b, followUp(first))
    const calls = first.events.filter((event) => event.type === 'tool-call-end')
    const results = calls.map(({ callId }) => ({ callId, content: [{ type: 'text' as const, text: 'x' }] }))
    expect(await a.backend.sessions?.deliver(results, { key: 'laptop' })).toMatchObject([
      { state: 'unknown' },
    ])
    expect(a.fake.delivered).toEqual([])
  })

  it('any number of times, anywhere, at any moment: never two answers at once', async () => {
    const upTo = (limit: number) => Math.floor(Math.random() * limit)
    const any = () => [a, b, c][upTo(3)] as Instance
    const running = new Map<string, number>()
    let together = 0
    for (const { fake } of [a, b, c])
      fake.answer = async function* ({ sessionId, request, state }) {
        const answered = sessionOfResults(request.messages)
        if (answered === undefined) return yield* callsTool(sessionId)
        const count = (running.get(answered) ?? 0) + 1
        running.set(answered, count)
        together = Math.max(together, count)
        try {
          await sleep(upTo(15))
          if (state === 'live' && upTo(4) === 0) throw lost()
          await sleep(upTo(25))
          yield* says('done')
        } finally {
          running.set(answered, (running.get(answered) ?? 0) - 1)
        }
      }
    const outcomes = new Set<string>()
    const agent = async () => {
      const first = await ask(any(), firstRequest())
      const twins = [1, 2, 3, 4].map(async () => {
        await sleep(upTo(40))
        outcomes.add((await ask(any(), followUp(first))).error?.code ?? 'answered')
      })
      await Promise.all(twins)
    }
    for (let round = 0; round < scaled(20, 6); round++) await Promise.all(Array.from({ length: 10 }, agent))
    expect(together).toBe(1)
    expect([...outcomes].sort()).toEqual(['answered', 'conflict'])
  })
})
