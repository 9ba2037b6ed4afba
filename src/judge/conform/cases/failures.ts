// Refusals and failures of the upstream, and the errors that the client must see.

import { type Answer, isStream } from '../../clients/answer.ts'
import { type Case, scriptedCases } from '../case.ts'
import { errorShaped, failed, holds } from '../judge.ts'
import { everyone } from '../noticed.ts'
import { anthropicError } from '../upstream/anthropic.ts'
import { openaiError } from '../upstream/openai.ts'
import type { Play } from '../upstream/played.ts'

const both = ['openai', 'anthropic'] as const

const refusal =
  (
    status: number,
    types: { openai: string; anthropic: string },
    message: string,
    code: string | null = null,
  ): Play =>
  ({ kind }) =>
    kind === 'openai'
      ? openaiError(status, types.openai, message, code)
      : anthropicError(status, types.anthropic, message)

function status(answer: Answer, wanted: readonly number[]): void {
  const { reply } = answer
  holds(wanted.includes(reply.status), `HTTP ${wanted.join(' or ')}`, `HTTP ${reply.status}: ${reply.text}`)
  errorShaped(reply)
}

const invalid = { openai: 'invalid_request_error', anthropic: 'invalid_request_error' }
const serverSide = [500, 502, 503, 504, 529]

export const failureCases: readonly Case[] = scriptedCases('failures', [
  {
    id: 'U8',
    title: '429 stays 429, and Retry-After is forwarded',
    why: 'clients give up, or retry at once',
    noticedBy: everyone,
    upstreams: both,
    failing: true,
    play: (request) => {
      const types = { openai: 'rate_limit_error', anthropic: 'rate_limit_error' }
      const played = refusal(429, types, 'slow down')(request)
      return { ...played, headers: { ...played.headers, 'retry-after': '60' } }
    },
    judge: (answer, { door }) => {
      status(answer, [429])
      const after = answer.reply.headers['retry-after']
      const delay = /"retryDelay":\s*"\d/.test(answer.reply.text)
      // Gemini CLI reads only this.
      if (door.name === 'gemini') return holds(delay, 'a retryDelay in the details', answer.reply.text)
      holds(Number(after) > 0, 'a Retry-After header', after)
    },
  },
  {
    id: 'U9',
    title: "the upstream's 400 stays a 400, with its message",
    why: 'users cannot correct a request without the reason',
    noticedBy: everyone,
    upstreams: both,
    play: refusal(400, invalid, 'The flux capacitor is missing.'),
    judge: (answer) => {
      status(answer, [400])
      holds(answer.reply.text.includes('flux capacitor'), "the upstream's own words", answer.reply.text)
    },
  },
  {
    id: 'U10',
    title: 'a conversation that is too long is a 400 that clients recognize',
    why: 'agents compact the conversation only if they recognize the error',
    noticedBy: everyone,
    upstreams: both,
    play: refusal(
      400,
      invalid,
      "prompt is too long: 210000 tokens > 200000 maximum. This model's maximum context length is 200000 tokens.",
      'context_length_exceeded',
    ),
    judge: (answer) => {
      status(answer, [400, 413])
      holds(
        /context_length_exceeded|too long|maximum context length|context window/i.test(answer.reply.text),
        'context_length_exceeded, or a message that says so',
        answer.reply.text,
      )
    },
  },
  {
    id: 'U11',
    title: "the upstream's 500 is a 5xx error",
    why: 'clients do not retry, or blame the request',
    noticedBy: everyone,
    upstreams: both,
    failing: true,
    play: refusal(500, { openai: 'server_error', anthropic: 'api_error' }, 'boom'),
    judge: (answer) => status(answer, serverSide),
  },
  {
    id: 'U12',
    title: 'a web page instead of an answer is an error: 5xx, or in the stream',
    why: 'an empty answer or a crash',
    noticedBy: everyone,
    upstreams: both,
    failing: true,
    play: () => ({
      headers: { 'content-type': 'text/html' },
      pieces: ['<!doctype html><title>Sign in</title>'],
    }),
    judge: (answer) => (isStream(answer.reply) ? failed(answer) : status(answer, serverSide)),
  },
  {
    id: 'U13',
    title: 'an answer that is not JSON is a 5xx error',
    why: 'an empty answer or a crash',
    noticedBy: everyone,
    upstreams: both,
    forms: ['whole'],
    failing: true,
    play: () => ({ headers: { 'content-type': 'application/json' }, pieces: ['{"id":"x","choices":'] }),
    judge: (answer) => status(answer, serverSide),
  },
])
