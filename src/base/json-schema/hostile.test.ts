// Schemas and values that are made to take long. What a check may take is counted, not timed: bench/schema-check.mjs measures it.

import { describe, expect, it } from 'vitest'
import { checkBudget, SchemaChecker } from './check.ts'

const many = <T>(count: number, one: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => one(at))
const named = <T>(count: number, one: (at: number) => [string, T]) => Object.fromEntries(many(count, one))

function nested(depth: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown {
  let found = innermost
  for (let level = 0; level < depth; level++) found = wrap(found)
  return found
}

const self = { $ref: '#' }
const level = (depth: number) =>
  depth === 0 ? { type: 'null' } : { anyOf: many(8, () => ({ $ref: `#/$defs/${depth - 1}` })) }
const long = 'a'.repeat(50_000)

const cases: Record<string, [schema: unknown, value: unknown]> = {
  'a chain of 10,000 references': [
    { $defs: named(10_000, (at) => [`${at}`, { $ref: `#/$defs/${at + 1}` }]), $ref: '#/$defs/0' },
    1,
  ],
  'references in a circle': [
    { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    1,
  ],
  'alternatives of itself': [{ anyOf: [self, self, { allOf: [self, self] }] }, 1],
  'exclusions of itself': [{ oneOf: [self, { not: self }, { if: self, then: self, else: self }] }, 1],
  'alternatives of alternatives': [{ $defs: many(20, level), $ref: '#/$defs/19' }, 'x'],
  '10,000 levels of anyOf': [nested(10_000, (inner) => ({ anyOf: [inner] }), { type: 'null' }), 1],
  '66,000 alternatives that say nothing': [{ allOf: many(66_000, () => ({})) }, 1],
  '20,000 alternatives': [{ anyOf: many(20_000, () => ({ type: 'null' })) }, 1],
  'an enum of 100,000': [{ enum: many(100_000, (at) => `v${at}`) }, 'x'],
  'an enum of 50,000 arrays': [{ enum: many(50_000, (at) => [at]) }, ['x']],
  'an enum of long arrays': [
    { items: { enum: many(400, (at) => [...Array(1_000).fill(0), at]) } },
    many(400, () => [...Array(1_000).fill(0), -1]),
  ],
  'nested quantifiers': [{ pattern: '^(?:(?:(?:a+)+)+)+$' }, `${long}!`],
  'a quantifier beside itself': [{ pattern: '(?:a|a)*(?:a|a)*(?:a|a)*c' }, long],
  '400 alternatives in a pattern': [{ pattern: many(400, (at) => `a${at}`).join('|') }, long],
  '10,000 alternatives in a pattern': [{ pattern: many(10_000, (at) => `a${at}`).join('|') }, long],
  '5,000 counted patterns': [{ allOf: many(5_000, () => ({ pattern: '(a{999}){5}' })) }, 'a'.repeat(1_000)],
  'patterns of copies of nothing': [
    { allOf: many(100, () => ({ pattern: `${'('.repeat(50)}${'){999}'.repeat(50)}` })) },
    'a',
  ],
  'patterns that each text takes elsewhere': [
    { allOf: many(100, (at) => ({ pattern: `(?:a|b)*a(?:a|b){${at}}$` })) },
    'abb'.repeat(5_000),
  ],
  '5,000 patterns of names': [
    { patternProperties: named(5_000, (at) => [`(a+)+${at}$`, {}]) },
    named(1_000, (at) => [`${'a'.repeat(30)}${at}`, 1]),
  ],
  'lists of 20,000 required names': [
    { allOf: many(20, () => ({ required: many(20_000, (at) => `n${at}`) })) },
    named(20_000, (at) => [`n${at}`, 1]),
  ],
  'names that need 10,000 others': [
    { dependentRequired: named(9, (at) => [`a${at}`, many(10_000, (one) => `b${one}`)]) },
    { ...named(9, (at) => [`a${at}`, 1]), ...named(10_000, (at) => [`b${at}`, 1]) },
  ],
  '100,000 objects that must differ': [{ uniqueItems: true }, many(100_000, (at) => ({ at }))],
  'a search in a search': [{ contains: { contains: { const: 1 } } }, many(400, () => many(400, () => 2))],
  '60,000 objects': [
    { items: { type: 'object', properties: { a: { type: 'integer' } } } },
    many(60_000, () => ({ a: 1 })),
  ],
  'a value of great depth': [{ properties: { next: self } }, nested(5_000, (next) => ({ next }), 1)],
}

describe('what takes long', () => {
  it.each(Object.entries(cases))('%s', (_, [schema, value]) => {
    const checker = new SchemaChecker(schema)
    for (let times = 0; times < 2; times++) {
      const budget = checkBudget()
      const { problems, isComplete } = checker.judge(value, budget)
      // One step in a pattern may overdraw what is left.
      expect(budget.steps).toBeGreaterThan(-10_000)
      // Fits, does not fit, or is not checked; what ends the budget never fails a value.
      if (budget.steps < 0) expect([problems, isComplete]).toEqual([[], false])
      expect(isComplete || problems.length === 0).toBe(true)
    }
  })

  it('leaves the other parts checked where one is too large', () => {
    const huge = { enum: many(200_000, (at) => at) }
    const checker = new SchemaChecker({ properties: { huge, small: { type: 'string' } } })
    expect(checker.judge({ huge: -1, small: 'x' })).toEqual({ problems: [], isComplete: false })
    expect(checker.check({ huge: -1, small: 1 })).toHaveLength(1)
  })

  it('prepares no more of a schema than it may take', () => {
    let read = 0
    const ownKeys = (target: object) => {
      read++
      return Reflect.ownKeys(target)
    }
    const watched = () => new Proxy({ type: 'null' }, { ownKeys })
    const checker = new SchemaChecker({ anyOf: many(50_000, watched) })
    expect(checker.judge(1)).toEqual({ problems: [], isComplete: false })
    const before = read
    expect(before).toBeGreaterThan(1_000)
    expect(before).toBeLessThan(10_000)
    checker.judge(1)
    expect(read).toBe(before)
  })
})
