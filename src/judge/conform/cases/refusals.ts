// Requests that a gateway must refuse, with an error that clients can read. No scripted upstream is needed.

import { parsed, shapesAt, textAt } from '../../clients/json.ts'
import { type Context, NotJudged, plainCases, Unmet } from '../case.ts'
import { holds, refused, same } from '../judge.ts'
import { everyone, nobody } from '../noticed.ts'
import { unknownModel } from '../upstream/server.ts'

const whole = ['whole'] as const
export const json = { 'content-type': 'application/json' }

export const bodyWith = ({ door, model, form, mark }: Context, more: Record<string, unknown>): string =>
  JSON.stringify({
    ...door.body({ model, form, messages: [{ role: 'user', text: `Hello. ${mark}` }], maxTokens: 64 }),
    ...more,
  })

/** The field that holds the conversation. */
export const listed = ({ door }: Context) =>
  ({ chat: 'messages', messages: 'messages', responses: 'input', gemini: 'contents' })[door.name]

/** One entry of it, in the dialect's own form. */
export const entry = ({ door }: Context, role: 'user' | 'assistant' | 'wizard', text: string) =>
  door.name === 'gemini'
    ? { role: role === 'assistant' ? 'model' : role, parts: [{ text }] }
    : { role, content: text }

export const refusalCases = plainCases('refusals', 'nothing', [
  {
    id: 'R1',
    title: 'a body that is not JSON: 400',
    why: 'a 500 makes clients retry in vain',
    noticedBy: nobody,
    forms: whole,
    run: async ({ send }) => refused(await send({ body: '{"model":', headers: json }), [400]),
  },
  {
    id: 'R2',
    title: 'an empty body: 400',
    why: 'a 500 makes clients retry in vain',
    noticedBy: nobody,
    forms: whole,
    run: async ({ send }) => refused(await send({ body: '', headers: json }), [400, 415]),
  },
  {
    id: 'R3',
    title: 'a model that does not exist: 404 with an error, never a stream',
    why: 'users cannot see that the model name is wrong',
    noticedBy: ['Claude Code', 'Codex'],
    cost: 1,
    run: async (context) => {
      const reply = await context.send({
        model: unknownModel,
        body: bodyWith(context, context.door.name === 'gemini' ? {} : { model: unknownModel }),
        headers: json,
      })
      refused(reply, [404, 400])
      // The message says it, too.
      if (reply.status === 400) throw new Unmet('HTTP 404', `HTTP 400: ${reply.text}`, nobody)
    },
  },
  {
    id: 'R4',
    title: 'a wrong key: 401',
    why: 'clients ask for another key only on 401',
    noticedBy: everyone,
    forms: whole,
    run: async (context) => {
      if (!context.keyed) throw new NotJudged('no key was given (--key)')
      const key = 'conform-wrong-key'
      const headers = { ...json, authorization: `Bearer ${key}`, 'x-api-key': key, 'x-goog-api-key': key }
      const reply = await context.send({ body: bodyWith(context, {}), headers })
      const {
        error,
        reply: { status },
      } = context.door.read(reply, 'whole')
      if (status === 200 && !error) throw new NotJudged('the gateway accepts any key')
      refused(reply, [401, 403])
    },
  },
  {
    id: 'R5',
    title: 'no conversation: 400',
    why: 'a 500 makes clients retry in vain',
    noticedBy: nobody,
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
    why: 'a 500 makes clients retry in vain',
    noticedBy: nobody,
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
    why: 'the user pays for an empty request',
    noticedBy: nobody,
    doors: ['chat', 'messages', 'gemini'],
    forms: whole,
    run: async (context) =>
      refused(
        await context.send({ body: bodyWith(context, { [listed(context)]: [] }), headers: json }),
        [400, 422],
      ),
  },
  {
    id: 'R8',
    title: 'a role that does not exist: 400',
    why: 'a message is dropped silently',
    noticedBy: nobody,
    doors: ['chat', 'messages', 'gemini'],
    forms: whole,
    run: async (context) =>
      refused(
        await context.send({
          body: bodyWith(context, { [listed(context)]: [entry(context, 'wizard', `hi ${context.mark}`)] }),
          headers: json,
        }),
        [400, 422],
      ),
  },
  {
    id: 'R9',
    title: 'a body that is a list: 400',
    why: 'a 500 makes clients retry in vain',
    noticedBy: nobody,
    forms: whole,
    run: async ({ send }) => refused(await send({ body: '[]', headers: json }), [400, 422]),
  },
  {
    id: 'R10',
    title: 'a route that does not exist: 404, in JSON',
    why: 'SDKs show a web page instead of a reason',
    noticedBy: nobody,
    doors: ['chat'],
    forms: whole,
    run: async ({ send }) =>
      refused(await send({ path: '/conform/no-such-route', body: '{}', headers: json }), [404]),
  },
  {
    id: 'R11',
    title: 'GET on a route for POST: 404 or 405, never 500',
    why: 'probes of clients and balancers look like failures',
    noticedBy: nobody,
    forms: whole,
    run: async ({ send }) => {
      const { status, text } = await send({ method: 'GET' })
      holds(status === 404 || status === 405, 'HTTP 405 or 404', `HTTP ${status}: ${text}`)
    },
  },
  {
    id: 'R12',
    title: 'the model list has an id for each model',
    why: 'clients cannot offer models to choose from',
    noticedBy: ['Cline', 'Continue'],
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
