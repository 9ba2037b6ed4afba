// What the tests of routes by need share: two keys, requests of a tool loop, refusals of requests that are too long.

import type { Step } from '../../sim/script.ts'
import { answered, type Body, called, readTool, user } from '../harness.ts'

export const keys = ['laptop', 'ci'].map((name) => ({ name, key: `${name}-key-0123456789` }))
export const as = (name: string) => ({
  authorization: `Bearer ${name}-key-0123456789`,
  'x-goog-api-key': `${name}-key-0123456789`,
})
export const row = (when: Body, use: string | string[]) => ({ when, use })

export const start = (model: string): Body => ({ model, messages: [user('go')], tools: [readTool] })
export const step = (id: string): Step[] => [{ call: { name: 'read', arguments: { path: id }, id } }]
export const history = (model: string, ...contents: unknown[]): Body => ({
  model,
  tools: [readTool],
  messages: [
    user('go'),
    ...contents.flatMap((content, at) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [called(`call_${at}`, 'read', { path: `call_${at}` })],
      },
      answered(`call_${at}`, content),
    ]),
  ],
})

/** Refusals of services. */
export const tooLong = {
  anthropic: {
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 225010 tokens > 200000 maximum' },
    },
  },
  openai: { status: 400, body: { error: { message: 'too long', code: 'context_length_exceeded' } } },
  gemini: {
    status: 400,
    body: {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    },
  },
}
