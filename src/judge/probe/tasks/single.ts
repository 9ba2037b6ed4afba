// One tool, one call.

import { answers, call, calledExactly, path, says } from '../checks.ts'
import type { Task } from '../task.ts'
import { fileReply, getWeather, object, readFile, string, user, weatherOf } from './tools.ts'

export const single: readonly Task[] = [
  {
    id: 'single.weather',
    title: 'Asks for the weather of one city',
    weight: 1,
    tools: [getWeather],
    messages: [user('What is the weather in Oslo right now?')],
    reply: ({ input }) => weatherOf(input),
    ideal: [{ calls: [['get_weather', { city: 'Oslo' }]] }, { text: 'It is 7 C in Oslo, with light rain.' }],
    judge: [calledExactly(call('get_weather', { city: /oslo/i })), answers],
  },
  {
    id: 'single.read',
    title: 'Reads one file',
    weight: 1,
    tools: [readFile],
    messages: [user('Read notes/today.md and tell me its heading.')],
    reply: ({ input }) =>
      fileReply({ 'notes/today.md': '# Harbour plan\n\nCranes first, then the quay.\n' }, input),
    ideal: [
      { calls: [['read_file', { path: 'notes/today.md' }]] },
      { text: 'The heading of notes/today.md is "Harbour plan".' },
    ],
    judge: [calledExactly(call('read_file', { path: path('notes/today.md') })), says('harbour plan')],
  },
  {
    id: 'single.convert',
    title: 'Fills three arguments from one sentence',
    weight: 1,
    tools: [
      {
        name: 'convert_currency',
        description: 'Converts an amount of money at the rate of today.',
        schema: object({
          amount: { type: 'number' },
          from: string('ISO code of the currency that it is in, three letters'),
          to: string('ISO code of the currency that is wanted, three letters'),
        }),
      },
    ],
    messages: [user('How much are 250 euros in Japanese yen?')],
    reply: () => '40310 JPY',
    ideal: [
      { calls: [['convert_currency', { amount: 250, from: 'EUR', to: 'JPY' }]] },
      { text: '250 euros are 40310 yen.' },
    ],
    judge: [calledExactly(call('convert_currency', { amount: 250, from: 'EUR', to: 'JPY' })), says('40310')],
  },
]
