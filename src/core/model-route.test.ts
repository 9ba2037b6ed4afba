import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readComparison } from '../base/comparison.ts'
import {
  chooseRow,
  closeThresholds,
  type RouteConditions,
  type RouteFacts,
  type RouteRow,
  rowsOfAnyLength,
} from './model-route.ts'

const limits = ['>180000', '>=8000', '<8000', '<= 500'].flatMap((text) => readComparison(text) ?? [])
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const conditions: fc.Arbitrary<RouteConditions> = fc.record({
  inputTokens: maybe(fc.constantFrom(...limits)),
  images: maybe(fc.boolean()),
  background: maybe(fc.boolean()),
  thinking: maybe(fc.boolean()),
  client: maybe(fc.constantFrom('codex', 'claude-code')),
  key: maybe(fc.constantFrom('ci', 'laptop')),
})
const use = fc.array(fc.constantFrom('a/1', 'a/2', 'b/1', 'c/1'), { minLength: 1, maxLength: 3 })
const rows: fc.Arbitrary<RouteRow[]> = fc
  .tuple(fc.array(fc.record({ when: conditions, use }), { maxLength: 5 }), use)
  .map(([conditional, rest]) => [...conditional, { use: rest }])
const facts: fc.Arbitrary<RouteFacts> = fc.record({
  inputTokens: fc.constantFrom(0, 499, 500, 7_999, 8_000, 180_000, 180_001).map((count) => () => count),
  images: fc.boolean(),
  background: fc.boolean(),
  thinking: fc.boolean(),
  client: maybe(fc.constantFrom('codex', 'claude-code', 'cline')),
  key: fc.constantFrom('ci', 'laptop', 'other'),
})

/** The rule in other words: no stated condition is wrong. */
const isFitting = ({ when = {} }: RouteRow, { inputTokens, ...known }: RouteFacts) =>
  Object.entries(when).every(([name, wanted]) => {
    if (wanted === undefined) return true
    if (typeof wanted === 'object') return wanted.holds(inputTokens())
    return known[name as keyof typeof known] === wanted
  })

describe('the row of a request', () => {
  it('is the first that fits: none before it does, and it is one of the rows', () => {
    fc.assert(
      fc.property(rows, facts, (all, request) => {
        const row = chooseRow(all, request)
        const at = all.indexOf(row as RouteRow)
        expect(at).toBe(all.findIndex((one) => isFitting(one, request)))
        expect(at).toBeGreaterThanOrEqual(0)
        expect(chooseRow(all, request)).toBe(row)
      }),
    )
  })

  it('does not depend on rows after it', () => {
    fc.assert(
      fc.property(rows, rows, facts, (all, more, request) => {
        const row = chooseRow(all, request)
        expect(chooseRow([...all, ...more], request)).toBe(row)
      }),
    )
  })

  it('a request of another length fits only rows that are open to any length', () => {
    fc.assert(
      fc.property(rows, facts, fc.nat(400_000), (all, request, count) => {
        const open = rowsOfAnyLength(all, request)
        expect(open).toContain(chooseRow(all, { ...request, inputTokens: () => count }))
        expect(open.every(({ when }) => when?.key === undefined || when.key === request.key)).toBe(true)
      }),
    )
  })

  it('counts tokens only for a row that needs the count', () => {
    const inputTokens = () => {
      throw new Error('counted')
    }
    const request = {
      inputTokens,
      images: true,
      background: false,
      thinking: false,
      client: undefined,
      key: 'x',
    }
    const long = { when: { inputTokens: limits[0], key: 'ci' }, use: ['b/1'] }
    const seen = { when: { images: true }, use: ['c/1'] }
    expect(chooseRow([long, seen, { use: ['a/1'] }], request)).toBe(seen)
  })
})

it.each([
  [161_000, []],
  [162_000, ['>180000']],
  [180_001, ['>180000']],
  [198_000, ['>180000']],
  [198_001, []],
])('%i tokens: close to %j', (count, close) => {
  const base = { images: false, background: false, thinking: false, client: undefined, key: 'x' }
  const request = { ...base, inputTokens: () => count }
  const all = [{ when: { inputTokens: limits[0] }, use: ['b/1'] }, { use: ['a/1'] }]
  const row = chooseRow(all, request) as RouteRow
  expect(closeThresholds(all, row, request).map(({ text }) => text)).toEqual(close)
})
