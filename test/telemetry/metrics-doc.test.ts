// docs/metrics.md says what /metrics has: every figure, in both directions, with its type and labels and a query that works.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { factsOf, type MetricName, metricFacts } from '../../src/observe/metric-facts.ts'
import { problemsOf } from './promql.ts'

const root = join(import.meta.dirname, '..', '..')
const names = Object.keys(metricFacts) as MetricName[]

const rows = [
  ...readFileSync(join(root, 'docs', 'metrics.md'), 'utf8').matchAll(
    /^\| `(dragoman_\w+)` \| (\w+) \|([^|]*)\| (.*) \|$/gm,
  ),
].map(([, name = '', type = '', labels = '', means = '']) => ({
  ...{ name, type, means },
  labels: [...labels.matchAll(/`(\w+)`/g)].map((match) => match[1]),
  query: /Query: `([^`]+)`$/.exec(means)?.[1] ?? '',
}))

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('metric-facts.ts'))
  .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
  .join('\n')

it('has every metric, once, and no other', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual([...names].sort())
})

describe.each(rows)('$name', ({ name, type, labels, means, query }) => {
  it('has its type and labels', () => {
    const facts = factsOf(name as MetricName)
    expect({ type, labels }).toEqual({ type: facts.type, labels: [...facts.labels] })
  })

  it('says what it means, and how to ask for it', () => {
    expect(means.replace(/Query:.*/, '').length).toBeGreaterThan(5)
    expect(query).toContain(name)
    expect(problemsOf(query)).toEqual([])
  })

  it('is counted somewhere', () => {
    expect(sources).toMatch(new RegExp(`(count|counter|gauges?|observe)\\(\\s*'${name}'`))
  })

  it('is called as Prometheus wants it', () => {
    expect(name).toMatch(/^dragoman(_[a-z]+)+$/)
    expect(name.endsWith('_total')).toBe(type === 'counter')
    if (type === 'histogram') expect(name).toMatch(/_seconds$/)
    for (const label of labels) expect(label).toMatch(/^[a-z]+$/)
    const { help } = factsOf(name as MetricName)
    // Neither would have to be escaped.
    expect(help).toMatch(/^[A-Z][^\\\n]+\.$/)
  })
})
