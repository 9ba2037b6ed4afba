// Door and upstream speak one dialect: what the gateway does not know passes unchanged, in both directions. Services add fields,
// blocks and betas faster than gateways learn them.

import type { Answer } from '../../clients/answer.ts'
import type { Shape } from '../../clients/json.ts'
import { type Case, type Context, scriptedCases } from '../case.ts'
import { answered, asked, calls, holds, succeeded } from '../judge.ts'
import * as anthropic from '../upstream/anthropic.ts'
import * as openai from '../upstream/openai.ts'
import type { Play } from '../upstream/played.ts'
import { says } from '../upstream/turn.ts'
import { both, contains } from './request-parts.ts'
import { github, read, tools } from './tools.ts'

/** A value that cannot be mistaken, with a mark of its own. */
const novelty = (mark: string) => ({ some_new_field: { mark, list: [1, null] } })
const noveltyText = (mark: string) => JSON.stringify(novelty(mark)).slice(1, -1)

const reached = (answer: Answer, context: Context, ...marks: string[]): void => {
  answered(answer)
  contains(context, ...marks.map(noveltyText))
}

const arrived = (answer: Answer, ...texts: string[]): void => {
  succeeded(answer)
  for (const text of texts)
    holds(answer.reply.text.includes(text), `${text} in the answer`, answer.reply.text)
}

const userItem = ({ mark }: Context, part: Shape, message: Shape = {}) => ({
  messages: [
    {
      role: 'raw' as const,
      items: [{ role: 'user', content: [{ type: 'text', text: `go ${mark}` }, part], ...message }],
    },
  ],
})

const toolIn = (door: string): Shape =>
  door === 'chat'
    ? { type: 'function', function: { name: 'read', parameters: read.schema, ...novelty('tool') } }
    : { name: 'read', input_schema: read.schema, ...novelty('tool') }

const same = { sameDialect: true, upstreams: both, doors: ['chat', 'messages'] as const }

const requests = scriptedCases('same dialect', [
  {
    id: 'U41',
    title: 'an unknown field of the request reaches the upstream',
    why: 'a setting that the gateway does not know yet has no effect, silently',
    noticedBy: ['Claude Code', 'AI SDK'],
    ...same,
    ask: { more: novelty('top') },
    play: says('so'),
    judge: (answer, context) => reached(answer, context, 'top'),
  },
  {
    id: 'U41b',
    title: 'unknown fields of a message, a part and a tool reach the upstream',
    why: 'cache marks, signatures and tool settings are lost, silently',
    noticedBy: ['Claude Code', 'AI SDK'],
    ...same,
    ask: (context) => ({
      ...userItem(context, { type: 'text', text: 'on', ...novelty('part') }, novelty('message')),
      more: { tools: [toolIn(context.door.name)] },
    }),
    play: says('so'),
    judge: (answer, context) => reached(answer, context, 'message', 'part', 'tool'),
  },
  {
    id: 'U42',
    title: 'an unknown content part of the request reaches the upstream',
    why: 'the model does not see what the user gave it',
    noticedBy: ['Claude Code'],
    ...same,
    ask: (context) => userItem(context, { type: 'some_new_part', ...novelty('block') }),
    play: says('so'),
    judge: (answer, context) => reached(answer, context, 'block'),
  },
])

const beta = 'some-new-beta-2026-11-01'

/** The header names betas that the request needs. */
const betaCase: Case = {
  id: 'U43',
  group: 'same dialect',
  title: 'an unknown value of anthropic-beta reaches the upstream',
  why: '"Extra inputs are not permitted": the field comes without its beta',
  noticedBy: ['Claude Code', 'Anthropic SDK'],
  needs: 'scripted',
  sameDialect: true,
  doors: ['messages'],
  forms: ['stream', 'whole'],
  upstreams: ['anthropic'],
  play: says('so'),
  run: async (context) => {
    const { door, model, form, mark, expected } = context
    const body = door.body({ model, form, messages: [{ role: 'user', text: `go ${mark}` }] })
    const headers = { 'content-type': 'application/json', 'anthropic-beta': `${beta},other-beta` }
    answered(door.read(await context.send({ body: JSON.stringify(body), headers }), form))
    asked(context)
    const came = String(expected.seen.at(-1)?.headers['anthropic-beta'])
    holds(came.includes(beta), `${beta} in the header anthropic-beta`, came)
  },
}

const openaiNovelties: Play = ({ stream }) =>
  stream
    ? openai.chunks(
        [
          openai.chunk({ content: 'hi', ...novelty('delta') }, null, novelty('chunk')),
          openai.chunk({ content: '!' }),
        ],
        'stop',
      )
    : openai.completion({ content: 'hi!', ...novelty('delta') }, 'stop', novelty('chunk'))

const anthropicNovelties: Play = ({ stream }) => {
  if (!stream) {
    const played = anthropic.message([{ type: 'text', text: 'hi!', ...novelty('delta') }], 'end_turn')
    const body = { ...(JSON.parse(String(played.pieces[0])) as Shape), ...novelty('chunk') }
    return { ...played, pieces: [JSON.stringify(body)] }
  }
  return anthropic.events(
    [
      anthropic.blockStart(0, { type: 'text', text: '', ...novelty('chunk') }),
      anthropic.blockDelta(0, { type: 'text_delta', text: 'hi!', ...novelty('delta') }),
      anthropic.blockStop(0),
    ],
    'end_turn',
  )
}

const signature = { google: { thought_signature: 'c2lnbmVkLWJ5LWNvbmZvcm0=' } }
const signed = { ...openai.call('call_a', 'read', '{"path":"a"}'), extra_content: signature }
const newBlock = { type: 'some_new_block', ...novelty('block') }

const answers = scriptedCases('same dialect', [
  {
    id: 'U44',
    title: 'unknown fields of the answer reach the client',
    why: 'what a service adds is lost until the gateway learns it',
    noticedBy: ['Claude Code'],
    ...same,
    play: (request) => (request.kind === 'openai' ? openaiNovelties : anthropicNovelties)(request),
    judge: (answer) => arrived(answer, noveltyText('chunk'), noveltyText('delta')),
  },
  {
    id: 'U44b',
    title: 'an unknown field of a call reaches the client: the signature of a Gemini model',
    why: '"Function call is missing a thought_signature": the agent cannot take its second step',
    noticedBy: ['AI SDK', 'OpenCode'],
    link: github('theopenco/llmgateway/issues/1267'),
    ...same,
    upstreams: ['openai'],
    doors: ['chat'],
    ask: { tools },
    play: ({ stream }) =>
      stream
        ? openai.chunks([openai.callDelta({ index: 0, ...signed })], 'tool_calls')
        : openai.completion({ tool_calls: [signed] }, 'tool_calls'),
    judge: (answer) => {
      calls(answer, [['read', { path: 'a' }]])
      arrived(answer, JSON.stringify(signature).slice(1, -1))
    },
  },
  {
    id: 'U45',
    title: 'an unknown block of the answer reaches the client',
    why: 'server tools, citations and compactions are lost, and the next request is refused without them',
    noticedBy: ['Claude Code', 'Anthropic SDK'],
    ...same,
    upstreams: ['anthropic'],
    doors: ['messages'],
    play: ({ stream }) =>
      stream
        ? anthropic.events(
            [
              anthropic.blockStart(0, newBlock),
              anthropic.blockDelta(0, { type: 'some_new_delta', ...novelty('delta') }),
              anthropic.blockStop(0),
            ],
            'end_turn',
          )
        : anthropic.message([newBlock, { type: 'other_block', ...novelty('delta') }], 'end_turn'),
    judge: (answer) => arrived(answer, noveltyText('block'), noveltyText('delta')),
  },
])

export const sameDialectCases: readonly Case[] = [...requests, betaCase, ...answers]
