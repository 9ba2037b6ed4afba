import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { type Connection, Handout, type Taker } from './connection-handout.ts'

class FakeConnection implements Connection {
  readonly name: string
  destroyed = false

  constructor(name: string) {
    this.name = name
  }

  destroy(): void {
    this.destroyed = true
  }
}

class FakeTaker implements Taker<FakeConnection> {
  readonly handed: string[] = []
  hand(connection: FakeConnection): void {
    this.handed.push(connection.name)
  }
}

const setUp = (size: number) => {
  const handout = new Handout<FakeConnection>()
  const takers = Array.from({ length: size }, () => new FakeTaker())
  for (const taker of takers) handout.join(taker)
  const add = (...names: string[]) => {
    const added = names.map((name) => new FakeConnection(name))
    for (const connection of added) handout.add(connection)
    return added
  }
  return { handout, takers, add, handed: () => takers.map((taker) => taker.handed) }
}

describe('connections are handed out', () => {
  it('in turn, one after the acknowledgement of the last; then the parent closes its handle', () => {
    const { handout, takers, add, handed } = setUp(2)
    const [a, b, c] = add('a', 'b', 'c')
    expect(handed()).toEqual([['a'], ['b']])
    expect([a?.destroyed, c?.destroyed]).toEqual([false, false])
    handout.taken(takers[1] as FakeTaker)
    expect(handed()).toEqual([['a'], ['b', 'c']])
    expect([a?.destroyed, b?.destroyed, c?.destroyed]).toEqual([false, true, false])
  })

  it('to others while a worker is busy', () => {
    const { handout, takers, add, handed } = setUp(2)
    for (const name of ['a', 'b', 'c', 'd']) {
      add(name)
      handout.taken(takers[1] as FakeTaker)
    }
    expect(handed()).toEqual([['a'], ['b', 'c', 'd']])
  })

  it('first to the next worker if one dies with an unacknowledged connection', () => {
    const { handout, takers, add, handed } = setUp(2)
    const [a] = add('a', 'b', 'c')
    handout.gone(takers[0] as FakeTaker)
    expect(a?.destroyed).toBe(false)
    handout.taken(takers[1] as FakeTaker)
    handout.taken(takers[1] as FakeTaker)
    expect(handed()).toEqual([['a'], ['b', 'a', 'c']])
  })

  it('not to a worker that leaves, which keeps its unacknowledged connection', () => {
    const { handout, takers, add, handed } = setUp(2)
    const [a] = add('a', 'b')
    handout.leave(takers[0] as FakeTaker)
    handout.taken(takers[0] as FakeTaker)
    expect(a?.destroyed).toBe(true)
    add('c')
    handout.taken(takers[1] as FakeTaker)
    expect(handed()).toEqual([['a'], ['b', 'c']])
  })

  it('to the first worker that arrives, if there was none', () => {
    const { handout, add } = setUp(0)
    const [a] = add('a', 'b', 'c')
    a?.destroy()
    const taker = new FakeTaker()
    handout.join(taker)
    handout.taken(taker)
    expect(taker.handed).toEqual(['b', 'c'])
  })

  it('each to one worker in the end, whichever workers die and arrive meanwhile', () => {
    const step = fc.oneof(
      fc.constant('add' as const),
      fc.constant('join' as const),
      fc.tuple(fc.constantFrom('taken' as const, 'gone' as const, 'leave' as const), fc.nat({ max: 4 })),
    )
    const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const handout = new Handout<FakeConnection>()
      const inHand = new Map<FakeTaker, string>()
      const living: FakeTaker[] = []
      const taken: string[] = []
      let added = 0
      const join = () => {
        const taker = new FakeTaker()
        taker.hand = (connection) => {
          expect(inHand.has(taker)).toBe(false)
          inHand.set(taker, connection.name)
        }
        living.push(taker)
        handout.join(taker)
      }
      const take = (taker: FakeTaker) => {
        const name = inHand.get(taker)
        inHand.delete(taker)
        if (name === undefined) return
        taken.push(name)
        handout.taken(taker)
      }
      for (const one of steps)
        if (one === 'add') handout.add(new FakeConnection(`c${added++}`))
        else if (one === 'join') join()
        else {
          const [what, at] = one
          const taker = living[at]
          if (!taker) continue
          if (what === 'taken') take(taker)
          else if (what === 'leave') handout.leave(taker)
          else {
            living.splice(at, 1)
            inHand.delete(taker)
            handout.gone(taker)
          }
        }
      join()
      while (inHand.size > 0) for (const taker of [...inHand.keys()]) take(taker)
      expect(taken.sort()).toEqual(Array.from({ length: added }, (_, at) => `c${at}`).sort())
    })
    fc.assert(property, fuzz)
  })
})
