import { describe, expect, it } from 'vitest'
import { BodyBudget } from './body-budget.ts'

const KiB = 1024

function budgetOf(maxBytes: number) {
  const clock = { now: 0 }
  const budget = new BodyBudget(maxBytes, () => clock.now)
  const open = () => {
    const given: { up?: Error } = {}
    const share = budget.open((error) => {
      given.up = error
    })
    return { ...share, given }
  }
  return { budget, open, clock }
}

describe('BodyBudget', () => {
  it('counts bytes as they arrive and returns them once', () => {
    const { budget, open } = budgetOf(1_000)
    const [one, other] = [open(), open()]
    one.take(600)
    other.take(400)
    expect(budget.held).toBe(1_000)
    one.release()
    one.release()
    expect(budget.held).toBe(400)
  })

  it('refuses bytes beyond the limit while all other bodies are fast', () => {
    const { budget, open } = budgetOf(1_000)
    open().take(800)
    const late = open()
    expect(() => late.take(300)).toThrow(expect.objectContaining({ status: 503, retryAfterMs: 1_000 }))
    expect(budget.held).toBe(800)
  })

  it('drops the slowest bodies for one that needs room, no more than necessary', () => {
    const { budget, open, clock } = budgetOf(1_000 * KiB)
    const [sleeper, dripping, fast] = [open(), open(), open()]
    for (const share of [sleeper, dripping, fast]) share.take(300 * KiB)
    for (let second = 1; second <= 3; second++) {
      clock.now = second * 1_000
      dripping.take(10)
      fast.take(20 * KiB)
    }
    const fresh = open()
    fresh.take(200 * KiB)
    expect(sleeper.given.up?.message).toContain('limits.bodiesBytes')
    expect([dripping.given.up, fast.given.up]).toEqual([undefined, undefined])
    fresh.take(300 * KiB)
    expect(dripping.given.up).toBeDefined()
    expect(budget.held).toBeLessThanOrEqual(1_000 * KiB)
    // Further bytes of a dropped body are not counted.
    sleeper.take(1_000 * KiB)
    sleeper.release()
    expect(budget.held).toBe((300 + 60 + 500) * KiB)
  })

  it('never drops a body in its first second', () => {
    const { open, clock } = budgetOf(1_000)
    open().take(900)
    clock.now = 900
    expect(() => open().take(200)).toThrow()
    clock.now = 2_100
    open().take(200)
  })
})
