// What needs no scripted upstream: refusals, what must be accepted, and the shape of every answer.

import type { Answer, Rule } from '../../clients/answer.ts'
import { parsed, shapesAt, textAt } from '../../clients/json.ts'
import { type Case, type Context, NotJudged, plainCases } from '../case.ts'
import { holds, noViolation, refused, same, succeeded } from '../judge.ts'
import { unknownModel } from '../upstream/server.ts'

const whole = ['whole'] as const
const stream = ['stream'] as const
const json = { 'content-type': 'application/json' }

const bodyWith = ({ door, model, form, mark }: Context, more: Record<string, unknown>): string =>
  JSON.stringify({
    ...door.body({ model, form, messages: [{ role: 'user', text: `Hello. ${mark}` }], maxTokens: 64 }),
    ...more,
  })

const listed = ({ door }: Context) => (door.name === 'responses' ? 'input' : 'messages')

const refusals = plainCases('refusals', 'nothing', [
  {
    id: 'R1',
    title: 'a body that is no JSON: 400',
    why: 'a 500 makes clients try again, for nothing',
    forms: whole,
    run: async ({ send }) => refused(await send({ body: '{"model":', headers: json }), [400]),
  },
  {
    id: 'R2',
    title: 'an empty body: 400',
    why: 'a 500 makes clients try again, for nothing',
    forms: whole,
    run: async ({ send }) => refused(await send({ body: '', headers: json }), [400, 415]),
  },
  {
    id: 'R3',
    title: 'a model that does not exist: 404, as an error and never as a stream',
    why: 'users look for the fault everywhere but in the name',
    cost: 1,
    run: async (context) => {
      const reply = await context.send({ body: bodyWith(context, { model: unknownModel }), headers: json })
      refused(reply, [404, 400])
      holds(reply.status === 404, 'HTTP 404', `HTTP ${reply.status}: ${reply.text}`)
    },
  },
  {
    id: 'R4',
    title: 'a wrong key: 401',
    why: 'clients ask for another key on 401 alone',
    forms: whole,
    run: async (context) => {
      if (!context.keyed) throw new NotJudged('no key was given (--key)')
      const key = 'conform-wrong-key'
      const headers = { ...json, authorization: `Bearer ${key}`, 'x-api-key': key }
      const reply = await context.send({ body: bodyWith(context, {}), headers })
      const {
        error,
        reply: { status },
      } = context.door.read(reply, 'whole')
      if (status === 200 && !error) throw new NotJudged('any key is accepted here')
      refused(reply, [401, 403])
    },
  },
  {
    id: 'R5',
    title: 'no conversation at all: 400',
    why: 'a 500 makes clients try again, for nothing',
    forms: whole,
    run: async (context) =>
      refused(
        await context.send({ body: bodyWith(context, { [listed(context)]: undefined }), headers: json }),
        [400, 422],
      ),
  },
  {
    id: 'R6',
    title: 'a conversation of the wrong type: 400',
    why: 'a 500 makes clients try again, for nothing',
    forms: whole,
    run: async (context) =>
      refused(
        await context.send({ body: bodyWith(context, { [listed(context)]: 7 }), headers: json }),
        [400, 422],
      ),
  },
  {
    id: 'R7',
    title: 'an empty conversation: 400',
    why: 'the upstream is asked for nothing, and paid for it',
    doors: ['chat', 'messages'],
    forms: whole,
    run: async (context) =>
      refused(await context.send({ body: bodyWith(context, { messages: [] }), headers: json }), [400, 422]),
  },
  {
    id: 'R8',
    title: 'a role that does not exist: 400',
    why: 'a message is lost without a word',
    doors: ['chat', 'messages'],
    forms: whole,
    run: async (context) =>
      refused(
        await context.send({
          body: bodyWith(context, { messages: [{ role: 'wizard', content: `hi ${context.mark}` }] }),
          headers: json,
        }),
        [400, 422],
      ),
  },
  {
    id: 'R9',
    title: 'a body that is a list: 400',
    why: 'a 500 makes clients try again, for nothing',
    forms: whole,
    run: async ({ send }) => refused(await send({ body: '[]', headers: json }), [400, 422]),
  },
  {
    id: 'R10',
    title: 'a route that does not exist: 404, in JSON',
    why: 'SDKs show a web page in place of a reason',
    doors: ['chat'],
    forms: whole,
    run: async ({ send }) =>
      refused(await send({ path: '/conform/no-such-route', body: '{}', headers: json }), [404]),
  },
  {
    id: 'R11',
    title: 'GET on a route for POST: 404 or 405, never 500',
    why: 'probes of clients and balancers look like failures',
    forms: whole,
    run: async ({ send }) => {
      const { status, text } = await send({ method: 'GET' })
      holds(status === 404 || status === 405, 'HTTP 405 or 404', `HTTP ${status}: ${text}`)
    },
  },
  {
    id: 'R12',
    title: 'models are listed, each with its id',
    why: 'clients offer their users nothing to choose from',
    doors: ['chat'],
    forms: whole,
    run: async ({ send }) => {
      const { status, text } = await send({ method: 'GET', path: '/models' })
      same('the status', status, 200)
      const models = shapesAt(parsed(text), 'data')
      holds(
        textAt(parsed(text), 'object') === 'list' && models.every((model) => textAt(model, 'id') !== ''),
        'a list of models with ids',
        text,
      )
    },
  },
])

/** Sent as it is, and answered. */
const taken = (
  id: string,
  title: string,
  more: Partial<Case> & { body?(context: Context): Record<string, unknown> },
) => ({
  id,
  title,
  why: 'real clients send it, and are refused',
  forms: whole,
  cost: 1,
  ...more,
  run: async (context: Context) => {
    const { body = () => ({}) } = more
    const reply = await context.send({ body: bodyWith(context, body(context)), headers: json })
    succeeded(context.door.read(reply, 'whole'))
  },
})

const user = (content: unknown) => ({ role: 'user', content })
const first = ({ mark }: Context) => user(`Hello. ${mark}`)

const accepted = plainCases('accepted', 'nothing', [
  taken('A1', 'content as a list of parts', {
    body: (context) => {
      const text = `Hello. ${context.mark}`
      return context.door.name === 'responses'
        ? { input: [user([{ type: 'input_text', text }])] }
        : { messages: [user([{ type: 'text', text }])] }
    },
  }),
  taken('A2', 'two messages of the user in a row', {
    body: (context) => ({ [listed(context)]: [first(context), user('Are you there?')] }),
  }),
  taken('A3', 'a conversation with answers in it', {
    body: (context) => ({
      [listed(context)]: [first(context), { role: 'assistant', content: 'Hi.' }, user('Go on.')],
    }),
  }),
  taken('A4', 'the role developer', {
    doors: ['chat', 'responses'],
    body: (context) => ({ [listed(context)]: [{ role: 'developer', content: 'Be brief.' }, first(context)] }),
  }),
  taken('A5', 'max_completion_tokens', {
    doors: ['chat'],
    body: () => ({ max_tokens: undefined, max_completion_tokens: 64 }),
  }),
  taken('A6', 'optional settings that are null', {
    doors: ['chat'],
    body: () => ({ stop: null, temperature: null, top_p: null, response_format: null, stream_options: null }),
  }),
  taken('A7', 'settings that coding agents send along', {
    doors: ['chat'],
    body: () => ({ store: false, n: 1, user: 'someone', presence_penalty: 0, frequency_penalty: 0 }),
  }),
  taken('A8', 'stream: false, said', { body: () => ({ stream: false }) }),
  taken('A9', 'the system prompt as blocks', {
    doors: ['messages'],
    body: () => ({ system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }] }),
  }),
  taken('A10', 'input as plain text', {
    doors: ['responses'],
    body: ({ mark }) => ({ input: `Hello. ${mark}`, instructions: 'Be brief.' }),
  }),
  {
    id: 'A11',
    title: 'a content-type with charset',
    why: 'real clients send it, and are refused',
    forms: whole,
    cost: 1,
    run: async (context) => {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      const reply = await context.send({ body: bodyWith(context, {}), headers })
      succeeded(context.door.read(reply, 'whole'))
    },
  },
])

const ofHello =
  (...rules: Rule[]) =>
  async (context: Context) =>
    noViolation(await hello(context), ...rules)

async function hello({ shared }: Context): Promise<Answer> {
  const answer = await shared('hello')
  succeeded(answer)
  return answer
}

const shapes = plainCases('shapes', 'nothing', [
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

export const plainAnswerCases: readonly Case[] = [...refusals, ...accepted, ...shapes]
