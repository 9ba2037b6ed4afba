// Questions that need no tool, or that none of the tools fits.

import { answers, calledNothing, says } from '../checks.ts'
import type { Task } from '../task.ts'
import { getWeather, readFile, user, weatherOf, writeFile } from './tools.ts'

const noReply = () => ({ error: 'nothing was found' })

export const noCall: readonly Task[] = [
  {
    id: 'no-call.sum',
    title: 'Answers a sum without a tool',
    weight: 1,
    tools: [getWeather],
    messages: [user('What is 17 plus 25?')],
    reply: ({ input }) => weatherOf(input),
    ideal: [{ text: '17 plus 25 is 42.' }],
    judge: [calledNothing, says('42')],
  },
  {
    id: 'no-call.told',
    title: 'Answers from the conversation',
    weight: 1,
    tools: [readFile, writeFile],
    messages: [
      user('My locker has the number 4821 and my bicycle the number 77. Which number has my locker?'),
    ],
    reply: noReply,
    ideal: [{ text: 'Your locker has the number 4821.' }],
    judge: [calledNothing, says('4821')],
  },
  {
    id: 'no-call.unfit',
    title: 'Says that no tool fits, and calls none',
    weight: 2,
    tools: [getWeather, readFile],
    messages: [user('Please book a table for two at the restaurant Anker, tonight at eight.')],
    reply: noReply,
    ideal: [{ text: 'I cannot book tables: I have no tool for that.' }],
    judge: [calledNothing, answers],
  },
]
