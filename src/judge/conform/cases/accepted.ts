import type { DoorName } from '../../clients/answer.ts'
import { type Case, type Context, plainCases } from '../case.ts'
import { answered, noViolation } from '../judge.ts'
import { type Client, everyone, nobody } from '../noticed.ts'
import { bodyWith, entry, json, listed } from './refusals.ts'

const whole = ['whole'] as const

/** The gateway answers this request. */
const taken = (
  id: string,
  title: string,
  noticedBy: readonly Client[],
  more: Partial<Case> & { body?(context: Context): Record<string, unknown> },
) => ({
  id,
  title,
  why: 'real clients send it and are refused',
  noticedBy,
  forms: whole,
  cost: 1,
  ...more,
  run: async (context: Context) => {
    const { body = () => ({}) } = more
    const reply = await context.send({ body: bodyWith(context, body(context)), headers: json })
    answered(context.door.read(reply, 'whole'))
  },
})

const user = (content: unknown) => ({ role: 'user', content })
const first = (context: Context) => entry(context, 'user', `Hello. ${context.mark}`)
const rest: readonly DoorName[] = ['chat', 'messages', 'responses']

export const acceptedCases = plainCases('accepted', 'nothing', [
  taken('A1', 'content as a list of parts', ['OpenCode', 'Claude Code', 'Codex'], {
    doors: rest,
    body: (context) => {
      const text = `Hello. ${context.mark}`
      return context.door.name === 'responses'
        ? { input: [user([{ type: 'input_text', text }])] }
        : { messages: [user([{ type: 'text', text }])] }
    },
  }),
  taken('A2', 'two user messages in a row', everyone, {
    body: (context) => ({ [listed(context)]: [first(context), entry(context, 'user', 'Are you there?')] }),
  }),
  taken('A3', 'a conversation with answers in it', everyone, {
    body: (context) => ({
      [listed(context)]: [
        first(context),
        entry(context, 'assistant', 'Hi.'),
        entry(context, 'user', 'Go on.'),
      ],
    }),
  }),
  taken('A4', 'the role developer', ['AI SDK', 'openai SDK', 'Codex'], {
    doors: ['chat', 'responses'],
    body: (context) => ({ [listed(context)]: [{ role: 'developer', content: 'Be brief.' }, first(context)] }),
  }),
  taken('A5', 'max_completion_tokens', ['AI SDK', 'openai SDK'], {
    doors: ['chat'],
    body: () => ({ max_tokens: undefined, max_completion_tokens: 64 }),
  }),
  taken('A6', 'optional settings that are null', nobody, {
    doors: ['chat'],
    body: () => ({ stop: null, temperature: null, top_p: null, response_format: null, stream_options: null }),
  }),
  taken('A7', 'settings that coding agents send', ['AI SDK', 'openai SDK'], {
    doors: ['chat'],
    body: () => ({ store: false, n: 1, user: 'someone', presence_penalty: 0, frequency_penalty: 0 }),
  }),
  {
    id: 'A8',
    title: 'no field "stream": a whole answer',
    why: 'SDKs leave it out, and read a stream as text',
    noticedBy: ['openai SDK', 'Anthropic SDK', 'AI SDK'],
    doors: rest,
    forms: whole,
    cost: 1,
    run: async (context) => {
      const reply = await context.send({ body: bodyWith(context, { stream: undefined }), headers: json })
      const answer = context.door.read(reply, 'whole')
      answered(answer)
      noViolation(answer, 'type')
    },
  },
  taken('A9', 'the system prompt as blocks', ['Claude Code'], {
    doors: ['messages'],
    body: () => ({ system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }] }),
  }),
  taken('A10', 'input as plain text', ['openai SDK'], {
    doors: ['responses'],
    body: ({ mark }) => ({ input: `Hello. ${mark}`, instructions: 'Be brief.' }),
  }),
  taken('A12', 'settings that Gemini CLI sends', ['Gemini CLI'], {
    doors: ['gemini'],
    body: () => ({
      systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
      generationConfig: { temperature: 1, topP: 0.95, topK: 64, thinkingConfig: { includeThoughts: true } },
    }),
  }),
  taken('A13', 'field names in snake_case', ['Google GenAI SDK'], {
    doors: ['gemini'],
    body: () => ({
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      generation_config: { max_output_tokens: 64 },
    }),
  }),
  {
    id: 'A11',
    title: 'a content-type with charset',
    why: 'real clients send it and are refused',
    noticedBy: ['OpenAI SDK (.NET)'],
    forms: whole,
    cost: 1,
    run: async (context) => {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      const reply = await context.send({ body: bodyWith(context, {}), headers })
      answered(context.door.read(reply, 'whole'))
    },
  },
])
