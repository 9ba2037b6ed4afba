// T10 to T15: how answers end, and what becomes of those that do not.

import type { Answer } from '../../clients/answer.ts'
import { type Case, scriptedCases } from '../case.ts'
import { calls, failed, holds, noticed, noViolation, same, succeeded } from '../judge.ts'
import * as anthropic from '../upstream/anthropic.ts'
import * as openai from '../upstream/openai.ts'
import { eventStream, jsonAnswer, type Piece, type Play } from '../upstream/played.ts'
import { says, turn } from '../upstream/turn.ts'
import { github, tools } from './tools.ts'

const ask = { tools }
const pathA = '{"path":"a"}'
const half = '{"path":"b","content":"hal'

/** The beginning of an answer with some text, and then. */
const begun =
  (then: (kind: 'openai' | 'anthropic') => readonly Piece[], text = 'half an answer'): Play =>
  ({ kind }) =>
    eventStream(
      kind === 'openai'
        ? [openai.role, openai.chunk({ content: text }), ...then(kind)]
        : [
            anthropic.messageStart(),
            anthropic.blockStart(0, { type: 'text', text: '' }),
            anthropic.blockDelta(0, { type: 'text_delta', text }),
            ...then(kind),
          ],
    )

const errorFrame = (kind: 'openai' | 'anthropic') =>
  kind === 'openai'
    ? openai.data({ error: { message: 'the model is overloaded', type: 'server_error', code: 500 } })
    : anthropic.event({
        type: 'error',
        error: { type: 'overloaded_error', message: 'the model is overloaded' },
      })

const cutOff: Play = (request) =>
  request.kind === 'anthropic' && !request.stream
    ? // A whole message has no half input: the service sends what it could read of it.
      anthropic.message(
        [
          { type: 'tool_use', id: 'call_a', name: 'read', input: { path: 'a' } },
          { type: 'tool_use', id: 'call_b', name: 'write', input: {} },
        ],
        'max_tokens',
      )
    : turn(
        [
          { call: 'read', id: 'call_a', input: pathA },
          { call: 'write', id: 'call_b', input: half },
        ],
        'length',
      )(request)

const reasons = scriptedCases('ends', [
  {
    id: 'T10',
    title: 'calls that end with "stop" end with tool_calls',
    why: "the agent's loop ends before the tool is run",
    link: github('vercel/ai/issues/12218'),
    upstreams: ['openai', 'anthropic'],
    ask,
    play: turn([{ call: 'read', id: 'call_a', input: pathA }], 'stop'),
    judge: (answer) => {
      calls(answer, [['read', { path: 'a' }]])
      same('the reason', answer.finish, 'tool_calls')
    },
  },
  {
    id: 'T10b',
    title: 'calls end with tool_calls',
    why: 'the agent does not run them',
    upstreams: ['openai', 'anthropic'],
    ask,
    play: turn([{ text: 'Let me see.' }, { call: 'read', id: 'call_a', input: pathA }], 'tool_calls'),
    judge: (answer) => {
      calls(answer, [['read', { path: 'a' }]])
      same('the reason', answer.finish, 'tool_calls')
      same('the text', answer.text, 'Let me see.')
    },
  },
  {
    id: 'T11',
    title: 'tool_calls without a call is an error, not an empty answer',
    why: 'an endless loop, or an agent that stops without a word',
    link: github('mastra-ai/mastra/pull/14187'),
    upstreams: ['openai', 'anthropic'],
    failing: true,
    ask,
    play: turn([], 'tool_calls'),
    judge: (answer) => failed(answer),
  },
  {
    id: 'T11b',
    title: 'text that says tool_calls without a call is kept, with another reason',
    why: 'an endless loop, or text that was paid for is thrown away',
    link: github('mastra-ai/mastra/pull/14187'),
    upstreams: ['openai', 'anthropic'],
    ask,
    play: turn([{ text: 'I will read it.' }], 'tool_calls'),
    judge: (answer) => {
      succeeded(answer)
      same('the text', answer.text, 'I will read it.')
      holds(answer.finish !== 'tool_calls', 'a reason other than tool_calls', answer.finish)
    },
  },
  {
    id: 'T12',
    title: 'cut off inside arguments: length, and complete calls are kept',
    why: 'it is reported as complete, and half a file is written',
    link: github('experientiallabs/experiential/issues/758'),
    upstreams: ['openai', 'anthropic'],
    ask,
    play: cutOff,
    judge: (answer) => {
      succeeded(answer)
      same('the reason', answer.finish, 'length')
      same('the first call', [answer.calls[0]?.name, answer.calls[0]?.arguments], ['read', pathA])
    },
  },
  {
    id: 'T12b',
    title: 'cut off inside arguments: the broken call is never shown',
    why: 'clients run it, or store it and are refused from then on',
    link: github('theopenco/llmgateway/pull/2997'),
    upstreams: ['openai', 'anthropic'],
    ask,
    play: cutOff,
    judge: (answer) =>
      same(
        'names of the calls',
        answer.calls.map(({ name }) => name),
        ['read'],
      ),
  },
  {
    id: 'T12c',
    title: 'arguments that are no JSON are an error, never a call',
    why: 'every strict upstream refuses the conversation from then on',
    link: github('MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/55'),
    upstreams: ['openai', 'anthropic'],
    forms: ['stream'],
    failing: true,
    ask,
    play: turn([{ call: 'write', id: 'call_b', input: half }], 'tool_calls'),
    judge: (answer) => failed(answer),
  },
  {
    id: 'T12d',
    title: 'text that is cut off ends with length',
    why: 'half an answer passes for a whole one',
    upstreams: ['openai', 'anthropic'],
    play: turn([{ text: 'and so' }], 'length'),
    judge: (answer) => {
      succeeded(answer)
      same('reason and text', [answer.finish, answer.text], ['length', 'and so'])
    },
  },
  {
    id: 'T12e',
    title: 'a refusal or a content filter says so',
    why: 'an empty answer, and nobody knows why',
    upstreams: ['openai', 'anthropic'],
    play: turn([{ text: 'I' }], 'content_filter'),
    judge: (answer) => {
      if (answer.reply.status >= 400 || answer.error) return failed(answer)
      same('the reason', answer.finish, 'content_filter')
    },
  },
])

const dying = (fault: 'reset' | 'fin') => ({
  why: 'half an answer passes for a whole one: the agent goes on with it',
  link: github('BerriAI/litellm/issues/33404'),
  upstreams: ['openai', 'anthropic'] as const,
  forms: ['stream'] as const,
  failing: true,
  play: begun(() => [fault]),
  judge: (answer: Answer) => noticed(answer),
})

const broken = scriptedCases('ends', [
  { id: 'T13', title: 'the upstream resets in mid-answer: an error, no clean end', ...dying('reset') },
  { id: 'T13b', title: 'the upstream hangs up in mid-answer: an error, no clean end', ...dying('fin') },
  {
    id: 'T13c',
    title: 'the upstream dies before the first event: an HTTP status',
    why: 'a retry would have helped, but the client saw 200',
    link: github('router-for-me/CLIProxyAPI/issues/4904'),
    upstreams: ['openai', 'anthropic'],
    failing: true,
    play: ({ stream }) =>
      stream
        ? eventStream(['reset'])
        : { headers: { 'content-type': 'application/json' }, pieces: ['{"id":', 'reset'] },
    judge: (answer) => {
      holds(
        answer.reply.status >= 500,
        'an HTTP status from 500 on',
        `HTTP ${answer.reply.status}: ${answer.reply.text}`,
      )
      failed(answer)
    },
  },
  {
    id: 'T13d',
    title: 'a message without message_stop has no end',
    why: 'half an answer passes for a whole one',
    upstreams: ['anthropic'],
    forms: ['stream'],
    failing: true,
    play: begun(() => [anthropic.blockStop(0), anthropic.messageDelta('end_turn'), 'fin']),
    judge: (answer) => failed(answer),
  },
  {
    id: 'T14',
    title: 'finish_reason without [DONE] is a success',
    why: '502 for an answer that was complete',
    link: github('router-for-me/CLIProxyAPI/issues/5028'),
    upstreams: ['openai'],
    forms: ['stream'],
    play: () => eventStream([openai.role, openai.chunk({ content: 'hi' }), openai.chunk({}, 'stop')]),
    judge: (answer) => {
      succeeded(answer)
      same('text and reason', [answer.text, answer.finish], ['hi', 'stop'])
      noViolation(answer, 'end')
    },
  },
  {
    id: 'T14b',
    title: 'an answer without finish_reason gets one, or is an error',
    why: 'SDKs throw "missing finish_reason"',
    upstreams: ['openai'],
    failing: true,
    play: ({ stream }) =>
      stream
        ? eventStream([openai.role, openai.chunk({ content: 'hi' }), openai.done])
        : openai.completion({ content: 'hi' }, null),
    judge: (answer) => {
      if (answer.reply.status >= 400 || answer.error) return failed(answer)
      noViolation(answer, 'finish')
    },
  },
  {
    id: 'T15',
    title: 'an error inside the stream reaches the client as one, and ends it properly',
    why: 'the socket drops, or the answer just stops',
    link: github('BerriAI/litellm/pull/39748'),
    upstreams: ['openai', 'anthropic'],
    forms: ['stream'],
    failing: true,
    play: begun((kind) => [errorFrame(kind)], 'so far'),
    judge: (answer) => {
      failed(answer)
      noViolation(answer, 'end')
    },
  },
  {
    id: 'T15b',
    title: 'an error before any content, under HTTP 200, is a status',
    why: 'clients retry by status alone',
    upstreams: ['openai', 'anthropic'],
    forms: ['stream'],
    failing: true,
    play: ({ kind }) =>
      eventStream(kind === 'openai' ? [errorFrame(kind)] : [anthropic.messageStart(), errorFrame(kind)]),
    judge: (answer) => {
      holds(
        answer.reply.status >= 400,
        'an HTTP status from 400 on',
        `HTTP ${answer.reply.status}: ${answer.reply.text}`,
      )
      failed(answer)
    },
  },
  {
    id: 'T15c',
    title: 'a body that is an error, under HTTP 200, is a status',
    why: 'SDKs take it for an answer without choices, and crash',
    upstreams: ['openai', 'anthropic'],
    forms: ['whole'],
    failing: true,
    play: ({ kind }) =>
      jsonAnswer(
        200,
        kind === 'openai'
          ? { error: { message: 'boom', type: 'server_error', code: 500 } }
          : { type: 'error', error: { type: 'api_error', message: 'boom' } },
      ),
    judge: (answer) => {
      holds(
        answer.reply.status >= 400,
        'an HTTP status from 400 on',
        `HTTP ${answer.reply.status}: ${answer.reply.text}`,
      )
      failed(answer)
    },
  },
  {
    id: 'T15d',
    title: 'a plain answer is what the upstream said',
    why: 'nothing else matters if this does not hold',
    upstreams: ['openai', 'anthropic'],
    play: says('Hello, Ünïcode 🙂!'),
    judge: (answer) => {
      succeeded(answer)
      same('text and reason', [answer.text, answer.finish], ['Hello, Ünïcode 🙂!', 'stop'])
    },
  },
])

export const endCases: readonly Case[] = [...reasons, ...broken]
