import { describe, expect, it } from 'vitest'
import { withOverrides } from './with-overrides.ts'

class Counter {
  #count = 0
  name = 'counter'
  get isUsed(): boolean {
    return this.#count > 0
  }
  add(by: number): number {
    this.#count += by
    return this.#count
  }
  reset(): void {
    this.#count = 0
  }
}

describe('withOverrides', () => {
  it('calls the methods of a class on the original, inherited ones too', () => {
    class Loud extends Counter {}
    const counter = new Loud()
    const extended = withOverrides(counter, { reset: () => 'overridden' })
    expect([extended.add(2), extended.add(3), extended.isUsed]).toEqual([2, 5, true])
    expect(extended.reset()).toBe('overridden')
    expect(counter.isUsed).toBe(true)
  })

  it('keeps its own overrides, and reads values from the original', () => {
    const counter = new Counter()
    const extended = withOverrides(counter, { add: () => -1, more: 'here' })
    counter.name = 'renamed'
    expect([extended.add(), extended.name, extended.more]).toEqual([-1, 'renamed', 'here'])
  })

  it('has no member that the original lacks', () => {
    const inner: { run(): string; optional?(): string } = { run: () => 'ran' }
    const extended = withOverrides(inner, {})
    expect(extended.optional?.()).toBeUndefined()
    expect(Object.keys(extended)).toEqual(['run'])
  })
})
