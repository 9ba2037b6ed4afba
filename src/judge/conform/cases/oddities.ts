// Undocumented output of real servers, and fields that future ones may add. None of it may reach the client unchanged.

import type { Answer } from '../../clients/answer.ts'
import { type Case, scriptedCases } from '../case.ts'
import { calls, errorShaped, holds, noViolation, same, succeeded } from '../judge.ts'
import { everyone, ruleNoticed } from '../noticed.ts'
import * as anthropic from '../upstream/anthropic.ts'
import * as openai from '../upstream/openai.ts'
import { eventStream, jsonAnswer, type Play } from '../upstream/played.ts'
import { says, turn } from '../upstream/turn.ts'
import { tools } from './tools.ts'

const both = ['openai', 'anthropic'] as const
const text = 'hello there'

const saidIt = (answer: Answer) => {
  succeeded(answer)
  same('the text', answer.text, text)
}

const oddFinish: Play = ({ kind, stream }) => {
  if (kind === 'openai')
    return stream
      ? openai.chunks([openai.chunk({ content: text })], 'eos')
      : openai.completion({ content: text }, 'eos')
  const block = { type: 'text', text }
  if (!stream) return anthropic.message([block], 'some_new_reason')
  const start = anthropic.blockStart(0, { type: 'text', text: '' })
  return anthropic.events(
    [start, anthropic.blockDelta(0, { type: 'text_delta', text }), anthropic.blockStop(0)],
    'some_new_reason',
  )
}

/** Streams if no stream was requested, and the other way round. */
const otherForm: Play = (request) => says(text)({ ...request, stream: !request.stream })

const oddErrors = [{ error: 'the flux capacitor is missing' }, { detail: 'the flux capacitor is missing' }]

export const oddityCases: readonly Case[] = scriptedCases('oddities', [
  {
    id: 'U14',
    title: 'an unknown finish reason becomes a known one, or reaches a client of the same service',
    why: 'typed SDKs throw, or the answer seems unfinished',
    noticedBy: ['async-openai (Rust)'],
    upstreams: both,
    play: oddFinish,
    judge: (answer, { door, upstream }) => {
      saidIt(answer)
      // Anthropic adds reasons, and asks its clients to expect that.
      const isOwn = door.name === 'messages' && upstream === 'anthropic'
      if (!isOwn || answer.rawFinish !== 'some_new_reason') noViolation(answer, 'finish')
    },
  },
  {
    id: 'U15',
    title: 'chunks without choices or delta, and tool_calls that are null or empty, do no harm',
    why: 'the gateway crashes in mid-answer',
    noticedBy: everyone,
    upstreams: ['openai'],
    forms: ['stream'],
    play: () =>
      eventStream([
        openai.role,
        openai.data({ id: 'x', object: 'chat.completion.chunk', choices: null }),
        openai.data({ id: 'x', choices: [{ index: 0 }] }),
        openai.chunk({ content: null, tool_calls: null }),
        openai.chunk({ content: text, tool_calls: [] }),
        openai.chunk({}, 'stop'),
        openai.done,
      ]),
    judge: (answer) => {
      saidIt(answer)
      same('the reason', answer.finish, 'stop')
      noViolation(answer, 'shape')
    },
  },
  {
    id: 'U16',
    title: 'a role in every delta reaches the client once',
    why: 'SDKs begin a new message at each role',
    noticedBy: ruleNoticed.role,
    upstreams: ['openai'],
    forms: ['stream'],
    play: () =>
      openai.chunks(
        [...text].map((content) => openai.chunk({ role: 'assistant', content })),
        'stop',
      ),
    judge: (answer) => {
      saidIt(answer)
      noViolation(answer, 'role')
    },
  },
  {
    id: 'U17',
    title: 'ids, models and times that change in mid-answer stay the same for the client',
    why: 'clients mistake one answer for several',
    noticedBy: ruleNoticed.constant,
    upstreams: ['openai'],
    forms: ['stream'],
    play: () =>
      openai.chunks(
        [...text].map((content, at) =>
          openai.chunk({ content }, null, { id: `c-${at}`, created: at, model: `m-${at}` }),
        ),
        'stop',
      ),
    judge: (answer) => {
      saidIt(answer)
      noViolation(answer, 'constant')
    },
  },
  {
    id: 'U18',
    title: 'arguments sent as an object become text',
    why: 'the client gets [object Object], or throws',
    noticedBy: everyone,
    upstreams: ['openai'],
    ask: { tools },
    play: ({ stream }) => {
      const call = { id: 'call_a', type: 'function', function: { name: 'read', arguments: { path: 'a' } } }
      return stream
        ? openai.chunks([openai.callDelta({ index: 0, ...call })], 'tool_calls')
        : openai.completion({ tool_calls: [call] }, 'tool_calls')
    },
    judge: (answer) => {
      calls(answer, [['read', { path: 'a' }]])
      noViolation(answer, 'call')
    },
  },
  {
    id: 'U19',
    title: 'unknown kinds of events, blocks and deltas are ignored',
    why: 'every answer fails on the day the service adds one',
    noticedBy: everyone,
    upstreams: ['anthropic'],
    forms: ['stream'],
    play: () =>
      anthropic.events(
        [
          anthropic.event({ type: 'some_new_event', data: 1 }),
          anthropic.event({ type: 'ping' }),
          anthropic.blockStart(0, { type: 'some_new_block' }),
          anthropic.blockDelta(0, { type: 'some_new_delta', data: 'x' }),
          anthropic.blockStop(0),
          anthropic.blockStart(1, { type: 'text', text: '' }),
          anthropic.blockDelta(1, { type: 'some_new_delta', data: 'x' }),
          anthropic.blockDelta(1, { type: 'text_delta', text }),
          anthropic.blockStop(1),
        ],
        'end_turn',
      ),
    judge: saidIt,
  },
  {
    id: 'U20',
    title: 'a stream instead of a whole answer, or the reverse, is understood',
    why: 'some servers always stream, or never: the client gets an empty answer',
    noticedBy: everyone,
    upstreams: both,
    play: otherForm,
    judge: (answer) => {
      saidIt(answer)
      same('the reason', answer.finish, 'stop')
      noViolation(answer, 'type')
    },
  },
  {
    id: 'U21',
    title: 'thinking in the field "reasoning" is not part of the answer',
    why: "the user sees the model's thinking, and the client sends it back as an answer",
    noticedBy: everyone,
    upstreams: ['openai'],
    play: ({ stream }) =>
      stream
        ? openai.chunks([openai.chunk({ reasoning: 'hm' }), openai.chunk({ content: text })], 'stop')
        : openai.completion({ content: text, reasoning: 'hm' }, 'stop'),
    judge: saidIt,
  },
  {
    id: 'U22',
    title: 'text sent as a list of parts becomes text',
    why: 'the client gets [object Object] or an empty answer',
    noticedBy: everyone,
    upstreams: ['openai'],
    play: ({ stream }) => {
      const content = [{ type: 'text', text }]
      return stream
        ? openai.chunks([openai.chunk({ content })], 'stop')
        : openai.completion({ content }, 'stop')
    },
    judge: saidIt,
  },
  ...oddErrors.map((body, at) => ({
    id: `U23${['', 'b'][at]}`,
    title: `an error as ${JSON.stringify(Object.keys(body)[0])} with only a text gets the shape that clients read`,
    why: 'clients show "undefined" instead of a reason',
    noticedBy: everyone,
    upstreams: both,
    play: () => jsonAnswer(400, body),
    judge: (answer: Answer) => {
      holds(answer.reply.status === 400, 'HTTP 400', `HTTP ${answer.reply.status}: ${answer.reply.text}`)
      errorShaped(answer.reply)
      holds(answer.reply.text.includes('flux capacitor'), "the upstream's own words", answer.reply.text)
    },
  })),
  {
    id: 'U24',
    title: 'text before, between and after calls is kept',
    why: "the model's explanations are lost",
    noticedBy: everyone,
    upstreams: both,
    ask: { tools },
    play: turn(
      [
        { text: 'one ' },
        { call: 'read', id: 'call_a', input: '{"path":"a"}' },
        { text: 'two ' },
        { call: 'read', id: 'call_b', input: '{"path":"b"}' },
        { text: 'three' },
      ],
      'tool_calls',
    ),
    judge: (answer) => {
      calls(answer, [
        ['read', { path: 'a' }],
        ['read', { path: 'b' }],
      ])
      same('the text', answer.text, 'one two three')
    },
  },
])
