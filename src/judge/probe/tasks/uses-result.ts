// The answer must report the tools' results, not what sounds plausible.

import { call, called, calledExactly, says } from '../checks.ts'
import type { Task } from '../task.ts'
import { object, string, user } from './tools.ts'

const sales: Record<string, string> = {
  Q1: 'revenue 48317 EUR, 1204 orders',
  Q2: 'revenue 51902 EUR, 1377 orders',
}

export const usesResult: readonly Task[] = [
  {
    id: 'uses-result.figures',
    title: 'Repeats two figures',
    weight: 1,
    tools: [
      {
        name: 'get_sales',
        description: 'Revenue and number of orders of a quarter.',
        schema: object({ quarter: { type: 'string', enum: ['Q1', 'Q2', 'Q3', 'Q4'] } }),
      },
    ],
    messages: [user('What were revenue and number of orders in the first quarter?')],
    reply: ({ input }) => sales[String(input.quarter)] ?? { error: 'no figures yet' },
    ideal: [
      { calls: [['get_sales', { quarter: 'Q1' }]] },
      { text: 'The revenue was 48317 EUR, from 1204 orders.' },
    ],
    judge: [calledExactly(call('get_sales', { quarter: 'Q1' })), says('48317', '1204')],
  },
  {
    id: 'uses-result.against-memory',
    title: 'Trusts the tool, not its memory',
    weight: 2,
    tools: [
      {
        name: 'measure_boiling_point',
        description: 'Measures in the laboratory at what temperature the liquid in a vessel boils.',
        schema: object({ vessel: string('Letter on the vessel') }),
      },
    ],
    messages: [
      user('Vessel B holds water. Measure at what temperature it boils here and tell me the figure.'),
    ],
    reply: () => 'vessel B boils at 92.6 C',
    ideal: [
      { calls: [['measure_boiling_point', { vessel: 'B' }]] },
      { text: 'The water in vessel B boils at 92.6 C.' },
    ],
    judge: [called(call('measure_boiling_point', { vessel: /\bB\b/i })), says('92.6')],
  },
  {
    id: 'uses-result.sum',
    title: 'Adds up the results of two calls',
    weight: 3,
    tools: [
      {
        name: 'count_crates',
        description: 'How many crates are in a warehouse.',
        schema: object({ warehouse: { type: 'string', enum: ['north', 'south'] } }),
      },
    ],
    messages: [user('How many crates are in the north and the south warehouse together?')],
    reply: ({ input }) => (input.warehouse === 'north' ? '1482 crates' : '3775 crates'),
    ideal: [
      {
        calls: [
          ['count_crates', { warehouse: 'north' }],
          ['count_crates', { warehouse: 'south' }],
        ],
      },
      { text: 'Together there are 5257 crates: 1482 and 3775.' },
    ],
    judge: [
      called(call('count_crates', { warehouse: 'north' })),
      called(call('count_crates', { warehouse: 'south' })),
      says('5257'),
    ],
  },
]
