import { type Case, type Context, plainCases } from '../case.ts'
import { succeeded } from '../judge.ts'
import { bodyWith, json, listed } from './refusals.ts'

const whole = ['whole'] as const

/** The gateway answers this request. */
const taken = (
  id: string,
  title: string,
  more: Partial<Case> & { body?(context: Context): Record<string, unknown> },
) => ({
  id,
  title,
  why: 'real clients send it and are refused',
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

export const acceptedCases = plainCases('accepted', 'nothing', [
  taken('A1', 'content as a list of parts', {
    body: (context) => {
      const text = `Hello. ${context.mark}`
      return context.door.name === 'responses'
        ? { input: [user([{ type: 'input_text', text }])] }
        : { messages: [user([{ type: 'text', text }])] }
    },
  }),
  taken('A2', 'two user messages in a row', {
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
  taken('A7', 'settings that coding agents send', {
    doors: ['chat'],
    body: () => ({ store: false, n: 1, user: 'someone', presence_penalty: 0, frequency_penalty: 0 }),
  }),
  taken('A8', 'an explicit stream: false', { body: () => ({ stream: false }) }),
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
    why: 'real clients send it and are refused',
    forms: whole,
    cost: 1,
    run: async (context) => {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      const reply = await context.send({ body: bodyWith(context, {}), headers })
      succeeded(context.door.read(reply, 'whole'))
    },
  },
])
