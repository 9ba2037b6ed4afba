// The form of every answer. No scripted upstream is needed.

import type { Answer, Rule } from '../../clients/answer.ts'
import { type Context, plainCases } from '../case.ts'
import { holds, noUsage, noViolation, succeeded, usageOnce } from '../judge.ts'
import { counters, everyone, ruleNoticed } from '../noticed.ts'

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
    title: 'the content-type matches the answer',
    why: 'clients choose their parser by it',
    noticedBy: ruleNoticed.type,
    run: ofHello('type'),
  },
  {
    id: 'F2',
    title: 'nothing but events that hold JSON',
    why: 'SDKs throw on anything else',
    noticedBy: [...ruleNoticed.frame, ...ruleNoticed.name],
    forms: stream,
    run: ofHello('frame', 'name'),
  },
  {
    id: 'F3',
    title: 'every required field of the protocol',
    why: 'typed SDKs throw',
    noticedBy: ruleNoticed.shape,
    run: ofHello('shape'),
  },
  {
    id: 'F4',
    title: 'id, model and time stay the same in all chunks',
    why: 'clients mistake one answer for several',
    noticedBy: ruleNoticed.constant,
    forms: stream,
    run: ofHello('constant'),
  },
  {
    id: 'F5',
    title: 'the role, once, in the first delta',
    why: 'SDKs begin a new message at each role',
    noticedBy: ruleNoticed.role,
    doors: ['chat', 'messages', 'gemini'],
    run: ofHello('role'),
  },
  {
    id: 'F6',
    title: 'events in the order of the protocol',
    why: 'clients drop misplaced events',
    noticedBy: ruleNoticed.order,
    forms: stream,
    run: ofHello('order'),
  },
  {
    id: 'F7',
    title: 'a finish reason',
    why: 'SDKs throw "missing finish_reason"',
    noticedBy: ruleNoticed.finish,
    run: ofHello('finish'),
  },
  {
    id: 'F8',
    title: 'the end of the stream, once, and nothing after it',
    why: 'clients wait forever, or throw',
    noticedBy: ruleNoticed.end,
    forms: stream,
    run: ofHello('end'),
  },
  {
    id: 'F9',
    title: 'some text',
    why: 'an empty answer ends an agent silently',
    noticedBy: everyone,
    run: async (context) => holds((await hello(context)).text !== '', 'an answer with text', 'none'),
  },
  {
    id: 'F10',
    title: 'no usage unless requested',
    why: 'choices[0] of the usage chunk: IndexError',
    noticedBy: ['openai SDK (Python)'],
    doors: ['chat'],
    forms: stream,
    run: async (context) => noUsage(await hello(context)),
  },
  {
    id: 'F11',
    title: 'requested usage, once, with a correct total',
    why: 'clients count no tokens or count them twice, and compact too late',
    noticedBy: counters,
    run: async (context) => {
      const answer = await context.shared('counted')
      succeeded(answer)
      usageOnce(answer)
      noViolation(answer, 'usage')
      const { input = 0, output = 0 } = answer.usage ?? {}
      holds(input > 0 && output > 0, 'numbers above 0', answer.usage)
    },
  },
])
