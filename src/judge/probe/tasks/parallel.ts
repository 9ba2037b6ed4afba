// Independent calls in one answer.

import { call, calledExactly, calledTogether, path, says } from '../checks.ts'
import type { Task } from '../task.ts'
import { fileReply, getWeather, listFiles, object, readFile, string, user, weatherOf } from './tools.ts'

const cities = [/oslo/i, /lima/i, /cairo/i].map((city) => call('get_weather', { city }))
const both = [call('read_file', { path: path('a.txt') }), call('list_files', { path: path('src') })]

const prices: Record<string, number> = { ABX: 41, CRD: 118, FNO: 73, KLM: 96, TRU: 57 }
const symbols = Object.keys(prices)

export const parallel: readonly Task[] = [
  {
    id: 'parallel.cities',
    title: 'Asks for three cities at once',
    weight: 2,
    tools: [getWeather],
    messages: [user('How is the weather in Oslo, Lima and Cairo? Ask for all three at the same time.')],
    reply: ({ input }) => weatherOf(input),
    ideal: [
      { calls: ['Oslo', 'Lima', 'Cairo'].map((city) => ['get_weather', { city }] as const) },
      { text: 'Oslo has 7 C, Lima 19 C and Cairo 31 C.' },
    ],
    judge: [calledTogether(...cities), calledExactly(...cities), says('7', '19', '31')],
  },
  {
    id: 'parallel.two-tools',
    title: 'Calls two different tools at once',
    weight: 2,
    tools: [readFile, listFiles],
    messages: [
      user('Read a.txt and list the folder src. Do both at the same time, then tell me what you found.'),
    ],
    reply: ({ name, input }) =>
      name === 'list_files' ? 'main.c\nport.c' : fileReply({ 'a.txt': 'The keel is laid.' }, input),
    ideal: [
      {
        calls: [
          ['read_file', { path: 'a.txt' }],
          ['list_files', { path: 'src' }],
        ],
      },
      { text: 'a.txt says that the keel is laid; src holds main.c and port.c.' },
    ],
    judge: [calledTogether(...both), calledExactly(...both), says('keel', 'port.c')],
  },
  {
    id: 'parallel.five',
    title: 'Asks for five prices at once and compares them',
    weight: 3,
    tools: [
      {
        name: 'get_price',
        description: 'The price of one share.',
        schema: object({ symbol: string('Three capital letters') }),
      },
    ],
    messages: [
      user(
        `Get the prices of ${symbols.join(', ')}, all five in one go, and tell me which is the dearest, with its price.`,
      ),
    ],
    reply: ({ input }) => {
      const price = prices[String(input.symbol)]
      return price === undefined ? { error: 'unknown symbol' } : `${input.symbol} ${price}.00`
    },
    ideal: [
      { calls: symbols.map((symbol) => ['get_price', { symbol }] as const) },
      { text: 'The dearest is CRD, at 118.00.' },
    ],
    judge: [calledTogether(...symbols.map((symbol) => call('get_price', { symbol }))), says('crd', '118')],
  },
]
