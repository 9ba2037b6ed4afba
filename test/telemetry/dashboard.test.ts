// The dashboard and the alerts use existing metrics.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { problemsOf } from './promql.ts'

const deploy = join(import.meta.dirname, '..', '..', 'deploy')

interface Panel {
  id: number
  type: string
  title: string
  description?: string
  datasource?: { uid: string }
  gridPos: { x: number; y: number; w: number; h: number }
  fieldConfig?: { defaults: { unit?: string } }
  targets?: { expr: string; legendFormat: string; datasource: { uid: string } }[]
}

describe('deploy/grafana/dragoman.json', () => {
  const dashboard = JSON.parse(readFileSync(join(deploy, 'grafana', 'dragoman.json'), 'utf8'))
  const panels: Panel[] = dashboard.panels
  const asking = panels.filter(({ type }) => type !== 'row')
  const queries = asking.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))
  const variables: { name: string; query: { query: string } }[] = dashboard.templating.list

  it('can be imported: no id of its own, a data source to choose, a schema of today', () => {
    expect(dashboard).toMatchObject({ id: null, title: 'Dragoman', uid: 'dragoman' })
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(39)
    expect(dashboard.__inputs).toMatchObject([
      { name: 'DS_PROMETHEUS', type: 'datasource', pluginId: 'prometheus' },
    ])
    const sources = JSON.stringify(panels).match(/"uid":"[^"]*"/g)
    expect(new Set(sources)).toEqual(new Set([`"uid":"\${DS_PROMETHEUS}"`]))
  })

  it('has panels that do not overlap, each with a title, a unit and words', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const taken = new Set<string>()
    for (const { gridPos, title } of panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`) || x >= 24, title).toBe(false)
          taken.add(`${x} ${y}`)
        }
    for (const { description, fieldConfig, targets } of asking) {
      expect(description?.length).toBeGreaterThan(5)
      expect(fieldConfig?.defaults.unit).toBeDefined()
      expect(targets?.length).toBeGreaterThan(0)
    }
  })

  it('shows what an operator would look for', () => {
    const all = queries.map(({ expr }) => expr).join('\n')
    for (const name of [
      'turns_total',
      'first_output_seconds_bucket',
      'turn_seconds_bucket',
      'tokens_total',
      'tool_calls_total',
      'sessions_waiting',
      'breaker_open',
      'attempts_failed_total',
      'resident_memory_bytes',
      'event_loop_delay_seconds_bucket',
    ])
      expect(all).toContain(`dragoman_${name}`)
  })

  it.each(queries)('$title: $expr', ({ expr, legendFormat }) => {
    expect(problemsOf(expr)).toEqual([])
    const used = [...expr.matchAll(/\$(\w+)/g)].map((match) => match[1])
    const known = ['__rate_interval', ...variables.map(({ name }) => name)]
    expect(used.filter((name) => !known.includes(name ?? ''))).toEqual([])
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1])
    const grouped = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/,\s*/) ?? ['instance']
    expect(shown.filter((label) => !grouped.includes(label ?? ''))).toEqual([])
  })

  it.each(variables)('the variable $name is a label that there is', ({ query }) => {
    const [, metric = '', label = ''] = /^label_values\(([^,]+), (\w+)\)$/.exec(query.query) ?? []
    const asked = metric.startsWith('dragoman_turns_total') ? `rate(${metric}[5m])` : metric
    expect(problemsOf(`max by (${label}) (${asked})`)).toEqual([])
  })
})

describe('deploy/prometheus/alerts.yml', () => {
  const text = readFileSync(join(deploy, 'prometheus', 'alerts.yml'), 'utf8')
  const alerts = text.split(/^ {6}- alert: /m).slice(1)
  const exprOf = (alert: string) => {
    const [, block] = /^ {8}expr: \|\n((?: {10}.*\n)+)/m.exec(alert) ?? []
    return block ?? /^ {8}expr: (.*)$/m.exec(alert)?.[1] ?? ''
  }

  it('has alerts with names of their own', () => {
    const names = alerts.map((alert) => alert.split('\n', 1)[0] ?? '')
    expect(names.length).toBeGreaterThan(8)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^Dragoman[A-Z]\w+$/)
  })

  it.each(alerts)('%s', (alert) => {
    expect(problemsOf(exprOf(alert))).toEqual([])
    expect(exprOf(alert)).toMatch(/ (>|==) [\d.]+\s*$/)
    for (const key of ['labels: { severity: ', 'summary: "', 'description: "']) expect(alert).toContain(key)
    const shown = [...alert.matchAll(/\$labels\.(\w+)/g)].map((match) => match[1] ?? '')
    const [, groups] = /\bby \(([^)]*)\)/.exec(exprOf(alert)) ?? []
    const kept = groups?.split(/,\s*/) ?? ['instance', 'job']
    expect(shown.filter((label) => !kept.includes(label))).toEqual([])
  })

  it('every document that is named exists', () => {
    const named = [...text.matchAll(/docs\/[\w-]+\.md/g)].map(([file]) => file)
    expect(named.length).toBeGreaterThan(0)
    for (const file of named) expect(() => readFileSync(join(deploy, '..', file))).not.toThrow()
  })
})
