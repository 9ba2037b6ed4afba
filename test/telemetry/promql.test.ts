// The query checker finds errors.

import { expect, it } from 'vitest'
import { problemsOf } from './promql.ts'

it.each([
  ['sum(rate(dragoman_turn_total[5m]))', 'there is no metric dragoman_turn_total'],
  ['sum(rate(dragoman_turns_total{color="x"}[5m]))', 'dragoman_turns_total has no label color'],
  ['sum by (color) (rate(dragoman_turns_total[5m]))', 'nothing here has a label color'],
  ['sum(dragoman_turns_total)', 'says nothing without a rate'],
  ['rate(dragoman_connections[5m])', 'the gauge dragoman_connections has no rate'],
  ['rate(dragoman_turns_total)', 'needs a range'],
  ['dragoman_turn_seconds', 'is a histogram'],
  [
    'histogram_quantile(0.5, sum by (backend) (rate(dragoman_turn_seconds_bucket[5m])))',
    'needs the label le',
  ],
  ['rate(dragoman_turns_total_bucket[5m])', 'there is no metric'],
  ['sum((dragoman_connections)', 'parentheses'],
  ['1 + 1', 'it asks for nothing'],
])('%s: %s', (query, problem) => {
  expect(problemsOf(query).join('; ')).toContain(problem)
})

it.each([
  'sum by (outcome) (rate(dragoman_turns_total{key=~"$key",instance=~"$instance"}[$__rate_interval]))',
  'histogram_quantile(0.95, sum by (le) (rate(dragoman_turn_seconds_bucket{backend="a"}[5m])))',
  'time() - dragoman_start_time_seconds',
  'up{job="dragoman"} == 0',
])('%s is in order', (query) => expect(problemsOf(query)).toEqual([]))
