// Tools without parameters: their arguments must be an empty object, not an empty string and nothing invented.

import { call, calledExactly, says } from '../checks.ts'
import type { Task } from '../task.ts'
import { getTime, getWeather, object, user } from './tools.ts'

export const noArguments: readonly Task[] = [
  {
    id: 'no-arguments.time',
    title: 'Calls a tool without parameters',
    weight: 1,
    tools: [getTime],
    messages: [user('What time is it now?')],
    reply: () => '14:37 UTC',
    ideal: [{ calls: [['get_time', {}]] }, { text: 'It is 14:37 UTC.' }],
    judge: [calledExactly(call('get_time')), says(/14:37|2:37\s*p\.?m/i)],
  },
  {
    id: 'no-arguments.beside',
    title: 'Calls a tool without parameters, beside one with parameters',
    weight: 2,
    tools: [
      getWeather,
      {
        name: 'list_open_orders',
        description: 'All orders that are open, with their numbers. It takes no arguments.',
        schema: object({}),
      },
    ],
    messages: [user('Which orders are still open?')],
    reply: () => 'open: 8812, 8816, 8823',
    ideal: [{ calls: [['list_open_orders', {}]] }, { text: 'The orders 8812, 8816 and 8823 are open.' }],
    judge: [calledExactly(call('list_open_orders')), says('8812', '8816', '8823')],
  },
]
