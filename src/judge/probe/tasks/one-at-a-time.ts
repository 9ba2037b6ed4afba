// parallel_tool_calls: false. Each answer may hold one call.

import { call, called, oneAtATime, path, says } from '../checks.ts'
import type { Task } from '../task.ts'
import { fileReply, getWeather, readFile, user, weatherOf } from './tools.ts'

const files = { 'left.txt': 'left: 31\n', 'right.txt': 'right: 64\n' }

export const oneCallAtATime: readonly Task[] = [
  {
    id: 'one-at-a-time.files',
    title: 'Reads two files, one after the other',
    weight: 1,
    tools: [readFile],
    messages: [user('Read left.txt and right.txt and tell me the two numbers.')],
    oneCallAtATime: true,
    reply: ({ input }) => fileReply(files, input),
    ideal: [
      { calls: [['read_file', { path: 'left.txt' }]] },
      { calls: [['read_file', { path: 'right.txt' }]] },
      { text: 'Left is 31, right is 64.' },
    ],
    judge: [
      oneAtATime,
      called(call('read_file', { path: path('left.txt') })),
      called(call('read_file', { path: path('right.txt') })),
      says('31', '64'),
    ],
  },
  {
    id: 'one-at-a-time.cities',
    title: 'Asks for three cities, one after the other',
    weight: 2,
    tools: [getWeather],
    messages: [user('How is the weather in Oslo, Lima and Cairo?')],
    oneCallAtATime: true,
    reply: ({ input }) => weatherOf(input),
    ideal: [
      ...['Oslo', 'Lima', 'Cairo'].map((city) => ({ calls: [['get_weather', { city }] as const] })),
      { text: 'Oslo has 7 C, Lima 19 C and Cairo 31 C.' },
    ],
    judge: [
      oneAtATime,
      ...[/oslo/i, /lima/i, /cairo/i].map((city) => called(call('get_weather', { city }))),
      says('7', '19', '31'),
    ],
  },
]
