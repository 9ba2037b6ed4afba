// Secrets go through every path of the gateway, success and failure, and come out of none.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { ask, readTool, user } from '../harness.ts'
import { callDelta, chunk, done, messageStart } from '../wire-cases/frames.ts'
import { canaries, type Observed, quotedCanary, startObserved, urlCanary } from './observed.ts'

let observed: Observed
beforeAll(async () => {
  observed = await startObserved()
})
afterAll(() => observed.close())
beforeEach(() => observed.clear())

const all = Object.values(canaries)
const echo = all.join(' | ')
const error = (fields: Record<string, unknown>) => ({ error: { message: 'no', type: 'x', ...fields } })

const rows: [string, string, Step[]][] = [
  ['success', 'openai/gpt-demo', [{ say: 'x' }]],
  ['success', 'anthropic/claude-demo', [{ say: 'x' }]],
  ['fallback', 'fallen', [{ say: 'x' }]],
  ['no connection', 'dead/x', []],
  ['unknown model', 'nothing', []],
  ...([400, 401, 403, 404, 408, 413, 429, 500, 529] as const).flatMap(
    (status): [string, string, Step[]][] => [
      [
        `${status} that repeats them`,
        'openai/gpt-demo',
        [{ status, body: error({ message: `Incorrect API key: ${echo}` }) }],
      ],
      [
        `${status} that repeats them`,
        'anthropic/claude-demo',
        [{ status, body: { type: 'error', ...error({ message: `invalid x-api-key ${echo}` }) } }],
      ],
      [`${status} in HTML`, 'openai/gpt-demo', [{ status, body: `<html>${echo}</html>` }]],
    ],
  ),
  [
    'an error with them in every field',
    'openai/gpt-demo',
    [{ status: 400, body: error({ param: echo, code: echo, type: echo }) }],
  ],
  ['an error that is only text', 'openai/gpt-demo', [{ status: 400, body: { error: echo } }]],
  ['an error in detail', 'openai/gpt-demo', [{ status: 422, body: { detail: echo } }]],
  [
    'a redirect',
    'openai/gpt-demo',
    [{ status: 302, headers: { location: `https://x/?key=${canaries.header}` }, body: echo }],
  ],
  ['HTML with 200', 'anthropic/claude-demo', [{ status: 200, body: `<html>${echo}</html>` }]],
  [
    'an error in the stream',
    'openai/gpt-demo',
    [
      chunk({ role: 'assistant', content: 'x' }),
      { wait: 5 },
      { frame: error({ message: echo, param: echo }) },
    ],
  ],
  [
    'an error in the stream',
    'anthropic/claude-demo',
    [messageStart, { frame: { type: 'error', error: { type: 'api_error', message: echo } }, event: 'error' }],
  ],
  ['an event that is not JSON', 'openai/gpt-demo', [{ raw: `data: ${echo}\n\n` }]],
  [
    'malformed arguments',
    'openai/gpt-demo',
    [
      callDelta({ index: 0, id: 'c', type: 'function', function: { name: 'read', arguments: echo } }),
      chunk({}, 'tool_calls'),
      done,
    ],
  ],
  [
    'a tool named so',
    'openai/gpt-demo',
    [
      callDelta({ index: 0, id: 'c', type: 'function', function: { name: echo, arguments: '{' } }),
      chunk({}, 'tool_calls'),
      done,
    ],
  ],
]

async function told(model: string, steps: Step[]): Promise<string> {
  for (const stream of [true, false]) {
    if (steps.length > 0) (model.startsWith('anthropic') ? observed.anthropic : observed.openai).play(steps)
    await observed.call(ask(model, { stream }))
    observed.openai.clear()
    observed.anthropic.clear()
  }
  return observed.everything()
}

it.each(rows)('%s (%s): none is told', async (_name, model, steps) => {
  const text = await told(model, steps)
  expect(all.filter((canary) => text.includes(canary))).toEqual([])
})

it('one that looks different inside of JSON is not told either', async () => {
  const text = await told('openai/gpt-demo', [{ status: 400, body: error({ message: quotedCanary }) }])
  expect(text.includes('quoted-canary')).toBe(false)
})

it('a password in a proxy URL is a secret too', async () => {
  const text = await told('openai/gpt-demo', [{ status: 400, body: error({ message: urlCanary }) }])
  expect(text.includes(urlCanary)).toBe(false)
})

it('one at the place where an excerpt is cut is not logged by half', async () => {
  const filled = 'x'.repeat(480) + canaries.header
  const first = await told('openai/gpt-demo', [{ status: 500, body: filled }])
  const second = await told('openai/gpt-demo', [{ raw: `data: ${filled}\n\n` }])
  expect((first + second).includes(canaries.header.slice(0, 16))).toBe(false)
})

it('a wrong key, and keys in the query, the path or the body, are not logged', async () => {
  const wrong = 'wrong-canary-ffffffffffffffff'
  await observed.call(ask('x'), { key: wrong })
  await observed.call(undefined, { key: wrong, path: `/v1/models?key=${wrong}`, method: 'GET' })
  await observed.call(undefined, { path: `/v1/models/x?key=${canaries.other}`, method: 'GET' })
  await observed.call(undefined, { path: `/v1/models/${canaries.other}`, method: 'GET' })
  await observed.call(`{"key": ${canaries.other}`)
  const said = observed.logs.join('')
  expect([wrong, ...all].filter((canary) => said.includes(canary))).toEqual([])
})

it('what was asked and answered is not logged', async () => {
  observed.openai.play(
    [{ say: 'answer-canary', pieces: 1 }],
    [{ call: { name: 'read', arguments: { path: 'argument-canary' } } }],
  )
  for (const _ of [1, 2])
    await observed.call({ model: 'openai/gpt-demo', messages: [user('prompt-canary')], tools: [readTool] })
  expect(observed.logs.length).toBeGreaterThan(0)
  expect(observed.logs.join('')).not.toMatch(/(prompt|answer|argument)-canary/)
})
