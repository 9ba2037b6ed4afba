// Calls that need the result of the call before.

import { call, calledInOrder, path, says } from '../checks.ts'
import type { Input, Task, ToolReply } from '../task.ts'
import { fileReply, listFiles, object, readFile, string, user } from './tools.ts'

const shop: Record<string, (input: Input) => ToolReply> = {
  find_customer: ({ name }) =>
    /marlow/i.test(String(name)) ? 'customer C-2093' : { error: 'no such customer' },
  list_orders: ({ customer_id: id }) =>
    id === 'C-2093' ? 'orders: O-551 (open), O-498 (closed)' : { error: 'no such customer' },
  get_invoice: ({ order_id: id }) =>
    id === 'O-551' ? 'invoice of O-551: 739.40 EUR, due 2026-04-02' : { error: 'there is no invoice for it' },
}

const files = {
  'config.toml': 'theme = "dark"\nwords = "texts/harbour.txt"\n',
  'texts/harbour.txt': 'watchword: LANTERN-62\n',
  'texts/old.txt': 'watchword: CANDLE-01\n',
}

/** The chain of clues; the last one is the answer. */
const clues = ['A7', 'K2', 'P9', 'D4', 'M1', 'X8']
const treasure = 'The chest holds 5193 coins.'

function clueReply(input: Input): ToolReply {
  const at = clues.indexOf(String(input.key))
  if (at < 0) return { error: `there is no clue ${JSON.stringify(input.key)}` }
  const next = clues[at + 1]
  return next === undefined ? treasure : `Not here. The next clue has the key ${next}.`
}

export const steps: readonly Task[] = [
  {
    id: 'steps.invoice',
    title: 'Customer, then order, then invoice',
    weight: 2,
    tools: [
      {
        name: 'find_customer',
        description: 'Finds the id of a customer by name.',
        schema: object({ name: string('Name of the customer') }),
      },
      {
        name: 'list_orders',
        description: 'Lists the orders of a customer.',
        schema: object({ customer_id: string('As find_customer gives it') }),
      },
      {
        name: 'get_invoice',
        description: 'The invoice of an order.',
        schema: object({ order_id: string('As list_orders gives it') }),
      },
    ],
    messages: [user('How much is on the invoice for the open order of our customer Marlow?')],
    reply: ({ name, input }) => shop[name]?.(input) ?? { error: 'no such tool' },
    ideal: [
      { calls: [['find_customer', { name: 'Marlow' }]] },
      { calls: [['list_orders', { customer_id: 'C-2093' }]] },
      { calls: [['get_invoice', { order_id: 'O-551' }]] },
      { text: 'The invoice for the open order is over 739.40 EUR.' },
    ],
    judge: [
      calledInOrder(
        call('find_customer', { name: /marlow/i }),
        call('list_orders', { customer_id: 'C-2093' }),
        call('get_invoice', { order_id: 'O-551' }),
      ),
      says('739.4'),
    ],
  },
  {
    id: 'steps.files',
    title: 'Follows a path from one file to another',
    weight: 2,
    tools: [listFiles, readFile],
    messages: [
      user(
        'The file config.toml says in which file the words are. Look it up, read that file, and tell me the watchword.',
      ),
    ],
    reply: ({ name, input }) =>
      name === 'list_files' ? Object.keys(files).join('\n') : fileReply(files, input),
    ideal: [
      { calls: [['read_file', { path: 'config.toml' }]] },
      { calls: [['read_file', { path: 'texts/harbour.txt' }]] },
      { text: 'The watchword is LANTERN-62.' },
    ],
    judge: [
      calledInOrder(
        call('read_file', { path: path('config.toml') }),
        call('read_file', { path: path('texts/harbour.txt') }),
      ),
      says('LANTERN-62'),
    ],
  },
  {
    id: 'steps.clues',
    title: 'Six steps, each known only from the one before',
    weight: 3,
    tools: [
      {
        name: 'open_clue',
        description: 'Opens a clue by its key. A clue says where to go on, or what was found.',
        schema: object({ key: string('A letter and a digit') }),
      },
    ],
    messages: [
      user('Start with the clue A7 and follow the clues to the end. How many coins are in the chest?'),
    ],
    reply: ({ input }) => clueReply(input),
    ideal: [
      ...clues.map((key) => ({ calls: [['open_clue', { key }] as const] })),
      { text: 'The chest holds 5193 coins.' },
    ],
    judge: [calledInOrder(...clues.map((key) => call('open_clue', { key }))), says('5193')],
  },
]
