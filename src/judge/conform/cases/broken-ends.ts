// T13 to T15: answers that break off or fail before their end.

import type { Answer } from '../../clients/answer.ts'
import { scriptedCases } from '../case.ts'
import { failed, holds, noticed, noViolation, same, succeeded } from '../judge.ts'
import * as anthropic from '../upstream/anthropic.ts'
import * as openai from '../upstream/openai.ts'
import { eventStream, jsonAnswer, type Piece, type Play } from '../upstream/played.ts'
import { says } from '../upstream/turn.ts'
import { github } from './tools.ts'

/** A stream that begins with some text and continues with `then`. */
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

const dying = (fault: 'reset' | 'fin') => ({
  why: 'half an answer passes for a whole one: the agent goes on with it',
  link: github('BerriAI/litellm/issues/33404'),
  upstreams: ['openai', 'anthropic'] as const,
  forms: ['stream'] as const,
  failing: true,
  play: begun(() => [fault]),
  judge: (answer: Answer) => noticed(answer),
})

export const brokenEndCases = scriptedCases('ends', [
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
