// The form of every answer. No scripted upstream is needed.

import type { Answer, Rule } from '../../clients/answer.ts'
import { type Context, plainCases } from '../case.ts'
import { holds, noViolation, same, succeeded } from '../judge.ts'

const stream = ['stream'] as const

const ofHello =
  (...rules: Rule[]) =>
  async (context: Context) =>
    noViolation(await hello(context), ...rules)

async function hello({ shared }: Context): Promise<Answer> {
  const answer = await shared('hello')
  succeeded(answer)
  return answer
}

export const shapeCases = plainCases('shapes', 'nothing', [
  {
    id: 'F1',
    title: 'the content-type is that of the form',
    why: 'clients choose their reader by it',
    run: ofHello('type'),
  },
  {
    id: 'F2',
    title: 'nothing but events with JSON in them',
    why: 'SDKs throw on anything else',
    forms: stream,
    run: ofHello('frame', 'name'),
  },
  {
    id: 'F3',
    title: 'every field that the protocol promises',
    why: 'typed SDKs throw',
    run: ofHello('shape'),
  },
  {
    id: 'F4',
    title: 'id, model and time stay the same',
    why: 'one answer is taken for several',
    forms: stream,
    run: ofHello('constant'),
  },
  {
    id: 'F5',
    title: 'the role, once, at the beginning',
    why: 'SDKs join messages by it',
    doors: ['chat', 'messages'],
    run: ofHello('role'),
  },
  {
    id: 'F6',
    title: 'events in their order',
    why: 'what stands in the wrong place is lost',
    forms: stream,
    run: ofHello('order'),
  },
  {
    id: 'F7',
    title: 'a reason for the end',
    why: 'SDKs throw "missing finish_reason"',
    run: ofHello('finish'),
  },
  {
    id: 'F8',
    title: 'the end of the stream, once, and nothing behind it',
    why: 'clients wait for ever, or throw',
    forms: stream,
    run: ofHello('end'),
  },
  {
    id: 'F9',
    title: 'some text',
    why: 'an empty answer ends an agent without a word',
    run: async (context) => holds((await hello(context)).text !== '', 'an answer with text', 'none'),
  },
  {
    id: 'F10',
    title: 'no usage that was not asked for',
    why: 'choices[0] of the usage chunk: IndexError',
    doors: ['chat'],
    forms: stream,
    run: async (context) => same('chunks with usage', (await hello(context)).usages, 0),
  },
  {
    id: 'F11',
    title: 'usage, once, that adds up',
    why: 'clients count nothing, or twice, and compact too late',
    run: async (context) => {
      const answer = await context.shared('counted')
      succeeded(answer)
      same('times that usage came', answer.usages, 1)
      noViolation(answer, 'usage')
      const { input = 0, output = 0 } = answer.usage ?? {}
      holds(input > 0 && output > 0, 'numbers above 0', answer.usage)
    },
  },
])
