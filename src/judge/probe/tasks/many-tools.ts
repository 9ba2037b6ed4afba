// Forty tools with similar names.

import { call, calledExactly } from '../checks.ts'
import type { Task, Tool } from '../task.ts'
import { object, string, user } from './tools.ts'

const verbs = { get: 'Returns', list: 'Lists', create: 'Creates', update: 'Changes', delete: 'Deletes' }
const things = [
  'customer_address', 'customer_contact', 'customer_note', 'order_item', 'order_status', 'invoice_line', 'invoice_status',
  'delivery_address',
] // biome-ignore format: a list to be read as one

const fortyTools: readonly Tool[] = things.flatMap((thing) =>
  Object.entries(verbs).map(([verb, does]): Tool => {
    const words = thing.replace('_', ' ')
    const text = verb === 'create' || verb === 'update' ? { text: string('What it shall be') } : {}
    return {
      name: `${verb}_${thing}`,
      description: `${does} ${verb === 'list' ? `all of the ${words} kind` : `the ${words}`} of a record.`,
      schema: object({ id: string('Number of the record'), ...text }),
    }
  }),
)

export const manyTools: readonly Task[] = [
  {
    id: 'many-tools.near-names',
    title: 'Finds the right tool among forty similar names',
    weight: 2,
    tools: fortyTools,
    messages: [
      user(
        'The customer with the number 3107 has moved: change the address of the customer to "Quay 4, Halden".',
      ),
    ],
    reply: () => 'done',
    ideal: [
      { calls: [['update_customer_address', { id: '3107', text: 'Quay 4, Halden' }]] },
      { text: 'The address of customer 3107 is changed.' },
    ],
    judge: [calledExactly(call('update_customer_address', { id: '3107', text: /^"?Quay 4, Halden\.?"?$/ }))],
  },
  {
    id: 'many-tools.last',
    title: 'Finds the last tool in the list',
    weight: 2,
    tools: fortyTools,
    messages: [user('Delete the delivery address of record 88. Leave everything else as it is.')],
    reply: () => 'done',
    ideal: [
      { calls: [['delete_delivery_address', { id: '88' }]] },
      { text: 'The delivery address of record 88 is deleted.' },
    ],
    judge: [calledExactly(call('delete_delivery_address', { id: '88' }))],
  },
]
