// Tools that fail: once, for a reason that the model can fix, or permanently.

import { call, calledInOrder, mostCalls, path, says } from '../checks.ts'
import type { Task } from '../task.ts'
import { object, readFile, string, user } from './tools.ts'

export const recovery: readonly Task[] = [
  {
    id: 'recovery.did-you-mean',
    title: 'Corrects a call as the error message suggests',
    weight: 2,
    tools: [readFile],
    messages: [user('Read config/server.json and tell me the port in it.')],
    reply: ({ input }) =>
      /^(\.\/)?config\/service\.json$/.test(String(input.path))
        ? '{ "host": "quay", "port": 7431 }'
        : { error: `file not found: ${input.path}. Did you mean config/service.json?` },
    ideal: [
      { calls: [['read_file', { path: 'config/server.json' }]] },
      { calls: [['read_file', { path: 'config/service.json' }]] },
      { text: 'There is no config/server.json; in config/service.json the port is 7431.' },
    ],
    judge: [
      calledInOrder(
        call('read_file', { path: path('config/server.json') }),
        call('read_file', { path: path('config/service.json') }),
      ),
      says('7431'),
    ],
  },
  {
    id: 'recovery.transient',
    title: 'Retries after a temporary error',
    weight: 2,
    tools: [
      {
        name: 'get_rate',
        description: 'The exchange rate between two currencies.',
        schema: object({ from: string('ISO code'), to: string('ISO code') }),
      },
    ],
    messages: [user('What is the exchange rate from NOK to CHF?')],
    reply: (_call, earlier) =>
      earlier.length === 0
        ? { error: 'the service is busy for the moment (503). Please try the same call again.' }
        : '1 NOK = 0.0817 CHF',
    ideal: [
      { calls: [['get_rate', { from: 'NOK', to: 'CHF' }]] },
      { calls: [['get_rate', { from: 'NOK', to: 'CHF' }]] },
      { text: 'One krone is 0.0817 francs.' },
    ],
    judge: [
      calledInOrder(
        call('get_rate', { from: 'NOK', to: 'CHF' }),
        call('get_rate', { from: 'NOK', to: 'CHF' }),
      ),
      mostCalls(2),
      says('0.0817'),
    ],
  },
  {
    id: 'recovery.give-up',
    title: 'Reports a permanent error and does not keep trying',
    weight: 2,
    tools: [readFile],
    messages: [user('Read private/ledger.txt and tell me its last line.')],
    reply: () => ({
      error: 'permission denied. This file cannot be read by anybody here; trying again will not help.',
    }),
    ideal: [
      { calls: [['read_file', { path: 'private/ledger.txt' }]] },
      { text: 'I cannot read private/ledger.txt: permission is denied.' },
    ],
    judge: [
      calledInOrder(call('read_file', { path: path('private/ledger.txt') })),
      mostCalls(2),
      says(
        /permission|denied|cannot|can't|can’t|could not|couldn't|couldn’t|unable|not able|not allowed|access/i,
      ),
    ],
  },
]
