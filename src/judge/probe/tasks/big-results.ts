// Long results in which one line matters.

import { call, called, path, says } from '../checks.ts'
import type { Task } from '../task.ts'
import { bigText } from './big-text.ts'
import { fileReply, readFile, user } from './tools.ts'

/** 50 KB with a line inserted at this fraction of it. */
function withNeedle(seed: number, needle: string, at: number): string {
  const lines = bigText(50_000, seed)
  lines.splice(Math.floor(lines.length * at), 0, needle)
  return lines.join('\n')
}

const middle = withNeedle(50, '---- harbour master: the spare key is number 60417', 0.55)
const morning = withNeedle(51, '---- harbour master: the water stands at 318 cm', 0.9)
const evening = withNeedle(52, '---- harbour master: the water stands at 274 cm', 0.1)

export const bigResults: readonly Task[] = [
  {
    id: 'big-results.needle',
    title: 'Finds one line in 50 KB',
    weight: 2,
    tools: [readFile],
    messages: [
      user('Read harbour.log. The harbour master says in it which number the spare key has. Which one?'),
    ],
    reply: ({ input }) => fileReply({ 'harbour.log': middle }, input),
    ideal: [{ calls: [['read_file', { path: 'harbour.log' }]] }, { text: 'The spare key is number 60417.' }],
    judge: [called(call('read_file', { path: path('harbour.log') })), says('60417')],
  },
  {
    id: 'big-results.two',
    title: 'Compares one line from each of two results of 50 KB',
    weight: 3,
    tools: [readFile],
    messages: [
      user(
        'Read morning.log and evening.log. In each the harbour master says how high the water stands. By how many centimetres did it fall?',
      ),
    ],
    reply: ({ input }) => fileReply({ 'morning.log': morning, 'evening.log': evening }, input),
    ideal: [
      {
        calls: [
          ['read_file', { path: 'morning.log' }],
          ['read_file', { path: 'evening.log' }],
        ],
      },
      { text: 'It fell from 318 cm to 274 cm, by 44 centimetres.' },
    ],
    judge: [
      called(call('read_file', { path: path('morning.log') })),
      called(call('read_file', { path: path('evening.log') })),
      says(/\b44\b/),
    ],
  },
]
