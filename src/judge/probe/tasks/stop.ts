// Everything is known or done: no further call is right.

import { answers, call, calledExactly, calledNothing, path, says } from '../checks.ts'
import type { Message, Task } from '../task.ts'
import { getWeather, readFile, user, weatherOf, writeFile, written } from './tools.ts'

const stock = 'ropes: 340\nlamps: 58\nanchors: 12\n'

const readStock: readonly Message[] = [
  user('Read stock.txt. How many ropes are there?'),
  {
    role: 'assistant',
    text: '',
    calls: [{ id: 'call_stock_1', name: 'read_file', input: { path: 'stock.txt' } }],
  },
  { role: 'tool', results: [{ callId: 'call_stock_1', text: stock }] },
  { role: 'assistant', text: 'There are 340 ropes.', calls: [] },
]

export const stop: readonly Task[] = [
  {
    id: 'stop.thanks',
    title: 'Calls nothing after thanks',
    weight: 1,
    tools: [getWeather],
    messages: [
      user('What is the weather in Lima?'),
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'call_lima_1', name: 'get_weather', input: { city: 'Lima' } }],
      },
      { role: 'tool', results: [{ callId: 'call_lima_1', text: 'Lima: 19 C, fog, wind 2 m/s' }] },
      { role: 'assistant', text: 'It is 19 C in Lima, with fog.', calls: [] },
      user('Thank you, that was all I wanted to know.'),
    ],
    reply: ({ input }) => weatherOf(input),
    ideal: [{ text: 'You are welcome.' }],
    judge: [calledNothing],
  },
  {
    id: 'stop.known',
    title: 'Answers from an earlier result',
    weight: 2,
    tools: [readFile],
    messages: [...readStock, user('And how many anchors, according to what you have read?')],
    reply: () => stock,
    ideal: [{ text: 'There are 12 anchors.' }],
    judge: [calledNothing, says(/\b12\b/)],
  },
  {
    id: 'stop.written',
    title: 'Does not check again what the user says is done',
    weight: 2,
    tools: [writeFile, readFile],
    messages: [user('Write the word ready to the file state.txt.')],
    reply: ({ name, input }) =>
      name === 'write_file' ? `${written(input)}; checked, it is as given` : 'ready',
    ideal: [
      { calls: [['write_file', { path: 'state.txt', content: 'ready' }]] },
      { text: 'state.txt says ready.' },
    ],
    judge: [calledExactly(call('write_file', { path: path('state.txt'), content: /^ready\n?$/ })), answers],
  },
]
