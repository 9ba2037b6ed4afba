import { describe, expect, it } from 'vitest'
import { Latch } from './latch.ts'

describe('Latch', () => {
  it('calls every listener once, with the first reason', () => {
    const latch = new Latch()
    const calls: unknown[] = []
    for (const name of ['a', 'b']) latch.on((reason) => calls.push([name, reason]))
    expect(latch.tripped).toBe(false)
    latch.trip('first')
    latch.trip('second')
    expect([latch.tripped, latch.reason]).toEqual([true, 'first'])
    expect(calls).toEqual([
      ['a', 'first'],
      ['b', 'first'],
    ])
  })

  it('calls a later listener at once, also without a reason', () => {
    const latch = new Latch()
    latch.trip()
    const calls: unknown[] = []
    const remove = latch.on((reason) => calls.push(reason))
    expect(calls).toEqual([undefined])
    remove()
  })

  it('does not call a listener that was removed, even by a listener before it', () => {
    const latch = new Latch()
    const calls: string[] = []
    const removeA = latch.on(() => calls.push('a'))
    latch.on(() => {
      calls.push('b')
      removeC()
    })
    const removeC = latch.on(() => calls.push('c'))
    removeA()
    removeA()
    latch.trip('now')
    expect(calls).toEqual(['b'])
  })
})
