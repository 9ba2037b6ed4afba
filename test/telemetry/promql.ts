// As much of PromQL as our own queries use: which metrics and labels a query asks for, and whether there are any such.

import { factsOf, type MetricName, metricFacts } from '../../src/observe/metric-facts.ts'

/** What Prometheus adds itself. */
const always = ['instance', 'job']
const functions = ['rate', 'increase', 'histogram_quantile', 'time', 'vector']
const aggregations = ['sum', 'min', 'max', 'count']
const words = [...functions, ...aggregations, 'by', 'or']

interface Series {
  /** As it is written. */
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  labels: readonly string[]
}

function seriesOf(name: string): Series | undefined {
  if (name === 'up') return { name, type: 'gauge', labels: [] }
  const base = name.replace(/_(bucket|sum|count)$/, '')
  const isPart =
    base !== name && Object.hasOwn(metricFacts, base) && factsOf(base as MetricName).type === 'histogram'
  if (isPart) {
    const { labels } = factsOf(base as MetricName)
    return { name, type: 'counter', labels: name.endsWith('_bucket') ? [...labels, 'le'] : labels }
  }
  if (!Object.hasOwn(metricFacts, name)) return undefined
  const { type, labels } = factsOf(name as MetricName)
  return { name, type, labels }
}

const selector = /([a-z_][a-z0-9_]*)(\{[^}]*\})?(\[[^\]]+\])?/g

/** Empty where every name in it exists, and each is used for what it is. */
export function problemsOf(query: string): string[] {
  const problems: string[] = []
  const found: Series[] = []
  const depth = [...query].reduce((open, char) => open + (char === '(' ? 1 : char === ')' ? -1 : 0), 0)
  if (depth !== 0) problems.push('parentheses do not match')
  const withoutGroups = query.replace(/\bby \(([^)]*)\)/g, (written) => ' '.repeat(written.length))
  for (const match of withoutGroups.matchAll(selector)) {
    const [, name = '', matchers = '', range] = match
    if (words.includes(name)) continue
    const series = seriesOf(name)
    if (!series) {
      problems.push(`there is no metric ${name}`)
      continue
    }
    found.push(series)
    const before = withoutGroups.slice(0, match.index)
    const isRated = /\b(rate|increase)\($/.test(before)
    if (series.type === 'histogram')
      problems.push(`${name} is a histogram: its parts have names of their own`)
    if (series.type === 'counter' && !isRated)
      problems.push(`the counter ${name} says nothing without a rate`)
    if (series.type === 'gauge' && isRated) problems.push(`the gauge ${name} has no rate`)
    if (isRated !== (range !== undefined)) problems.push(`${name} needs a range exactly where it is rated`)
    for (const [, label = ''] of matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g))
      if (![...series.labels, ...always].includes(label)) problems.push(`${name} has no label ${label}`)
  }
  if (found.length === 0 && !/\btime\(\)/.test(query)) problems.push('it asks for nothing')
  problems.push(...groupProblems(query, found))
  return problems
}

function groupProblems(query: string, found: readonly Series[]): string[] {
  const problems: string[] = []
  const known = [...always, ...found.flatMap(({ labels }) => labels)]
  const groups = [...query.matchAll(/\bby \(([^)]*)\)/g)].map(([, list = '']) => list.split(/,\s*/))
  for (const label of groups.flat())
    if (!known.includes(label)) problems.push(`nothing here has a label ${label}`)
  const isQuantile = query.includes('histogram_quantile(')
  if (isQuantile && !groups.every((group) => group.includes('le')))
    problems.push('a quantile needs the label le')
  return problems
}
