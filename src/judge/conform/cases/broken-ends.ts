// T13 to T15: answers that break off or fail before their end.

import type { Answer } from '../../clients/answer.ts'
import { scriptedCases } from '../case.ts'
import { failed, failedByStatus, noticed, noViolation, same, succeeded } from '../judge.ts'
import { everyone } from '../noticed.ts'
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

/** Agents such as Claude Code and Codex retry errors in the stream, too. */
const byStatus = ['openai SDK', 'AI SDK', 'Anthropic SDK'] as const

const dying = (fault: 'reset' | 'fin') => ({
  why: 'the agent mistakes half an answer for a complete one and continues',
  noticedBy: everyone,
  link: github('BerriAI/litellm/issues/33404'),
  upstreams: ['openai', 'anthropic'] as const,
  forms: ['stream'] as const,
  failing: true,
  play: begun(() => [fault]),
  judge: (answer: Answer) => noticed(answer),
})

export const brokenEndCases = scriptedCases('ends', [
  {
    id: 'T13',
    title: 'the upstream resets the connection in mid-answer: an error, no clean end',
    ...dying('reset'),
  },
  {
    id: 'T13b',
    title: 'the upstream closes the connection in mid-answer: an error, no clean end',
    ...dying('fin'),
  },
  {
    id: 'T13c',
    title: 'the upstream disconnects before the first event: an HTTP error status',
    why: 'the client sees 200 and does not retry',
    noticedBy: byStatus,
    link: github('router-for-me/CLIProxyAPI/issues/4904'),
    upstreams: ['openai', 'anthropic'],
    failing: true,
    play: ({ stream }) =>
      stream
        ? eventStream(['reset'])
        : { headers: { 'content-type': 'application/json' }, pieces: ['{"id":', 'reset'] },
    judge: (answer) => failedByStatus(answer, 500),
  },
  {
    id: 'T13d',
    title: 'a message without message_stop is incomplete',
    why: 'the agent mistakes half an answer for a complete one',
    noticedBy: everyone,
    upstreams: ['anthropic'],
    forms: ['stream'],
    failing: true,
    play: begun(() => [anthropic.blockStop(0), anthropic.messageDelta('end_turn'), 'fin']),
    judge: (answer) => failed(answer),
  },
  {
    id: 'T14',
    title: 'finish_reason without [DONE] is a success',
    why: '502 for a complete answer',
    noticedBy: everyone,
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
    title: 'an answer without finish_reason gets one or is an error',
    why: 'SDKs throw "missing finish_reason"',
    noticedBy: ['openai SDK', 'AI SDK', 'OpenCode'],
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
    title: 'an error inside the stream reaches the client as an error and ends its stream properly',
    why: 'the connection drops, or the answer just stops',
    noticedBy: everyone,
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
    title: 'an error event before any content, under HTTP 200, becomes an error status',
    why: 'clients decide by the status whether to retry',
    noticedBy: byStatus,
    upstreams: ['openai', 'anthropic'],
    forms: ['stream'],
    failing: true,
    play: ({ kind }) =>
      eventStream(kind === 'openai' ? [errorFrame(kind)] : [anthropic.messageStart(), errorFrame(kind)]),
    judge: (answer) => failedByStatus(answer, 400),
  },
  {
    id: 'T15c',
    title: 'an error body under HTTP 200 becomes an error status',
    why: 'SDKs read it as an answer without choices, and crash',
    noticedBy: everyone,
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
    judge: (answer) => failedByStatus(answer, 400),
  },
  {
    id: 'T15d',
    title: "a plain answer is the upstream's text",
    why: 'without it nothing else matters',
    noticedBy: everyone,
    upstreams: ['openai', 'anthropic'],
    play: says('Hello, Ünïcode 🙂!'),
    judge: (answer) => {
      succeeded(answer)
      same('text and reason', [answer.text, answer.finish], ['Hello, Ünïcode 🙂!', 'stop'])
    },
  },
])
