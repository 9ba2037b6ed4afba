import { expect, it } from 'vitest'
import { painted } from '../base/painted.ts'
import { type ModelFacts, modelTable } from './models-table.ts'

const lines = (models: ModelFacts[]) => modelTable(models, ({ id }) => id).map((line) => painted(line, false))

it('has what is known of each model, and where the prices come from', () => {
  const price = { input: 5, output: 25, source: 'https://prices.example', date: '2026-10-10' }
  const models: ModelFacts[] = [
    { id: 'claude/claude-opus-5', contextTokens: 1_000_000, outputTokens: 64_000, tools: 'native', price },
    { id: 'box/small', tools: 'text', price: { input: 0.1, output: 0, source: 'configuration' } },
    { id: 'cursor/auto', contextTokens: 200_000, tools: 'native', price: 'plan' },
  ]
  expect(lines(models)).toEqual([
    'MODEL                   CONTEXT  OUTPUT  TOOLS   PRICE IN  PRICE OUT',
    'claude/claude-opus-5  1,000,000  64,000  native     $5.00     $25.00',
    'box/small                                text       $0.10         $0',
    'cursor/auto             200,000          native      plan',
    '',
    'Prices are US dollars per million tokens: prices of the configuration, list prices of 2026-10-10.',
  ])
})

it('leaves out columns of which nothing is known', () => {
  expect(lines([{ id: 'a/b' }, { id: 'a/long-name', outputTokens: 7 }])).toEqual([
    'MODEL        OUTPUT',
    'a/b',
    'a/long-name       7',
  ])
})
