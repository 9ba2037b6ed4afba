import { expect, it } from 'vitest'
import type { Frame, FrameBody } from '../tapes/frame.ts'
import { attemptsOf } from './attempts.ts'

const frames = (...bodies: [number, FrameBody][]): Frame[] =>
  bodies.map(([at, body]) => ({ at, turn: 'turn_a', ...body }))
const target = (backend: string): FrameBody => ({
  ...{ side: 'gateway', do: 'target', kind: 'openai', settings: {} },
  ...{ backend, model: 'm' },
})
const failure = { side: 'gateway', do: 'failure', model: 'm' } as const
const end = { calls: 0, inputTokens: 0, outputTokens: 0 }

it('lists each attempt with status, error body, wait and what came next', () => {
  const seen = attemptsOf(
    frames(
      [
        0,
        {
          ...failure,
          backend: 'c',
          code: 'upstream-unavailable',
          message: 'left alone',
          next: 'fallback',
          skipped: true,
        },
      ],
      [1, target('a')],
      [2, { side: 'upstream', do: 'response', exchange: 1, status: 429, headers: {} }],
      [3, { side: 'upstream', do: 'data', exchange: 1, text: 'slow down' }],
      [
        4,
        {
          ...failure,
          backend: 'a',
          code: 'rate-limited',
          message: 'a: slow down',
          status: 429,
          next: 'retry',
          waitMs: 7,
        },
      ],
      [12, target('a')],
      [13, { side: 'upstream', do: 'error', exchange: 2, message: 'a: reset' }],
      [14, { ...failure, backend: 'a', code: 'upstream-unavailable', message: 'a: reset', next: 'fallback' }],
      [15, target('b')],
      [16, { side: 'upstream', do: 'response', exchange: 3, status: 200, headers: {} }],
      [17, { side: 'upstream', do: 'data', exchange: 3, text: 'an answer' }],
      [20, { side: 'gateway', do: 'finish', outcome: 'stop', ...end }],
    ),
  )
  expect(seen).toMatchObject([
    { backend: 'c', outcome: 'skipped', code: 'upstream-unavailable', next: 'fallback' },
    {
      backend: 'a',
      outcome: 'failed',
      status: 429,
      code: 'rate-limited',
      body: 'slow down',
      next: 'retry',
      waitMs: 7,
      milliseconds: 3,
    },
    { backend: 'a', outcome: 'failed', code: 'upstream-unavailable', message: 'a: reset', milliseconds: 2 },
    { backend: 'b', outcome: 'answered', status: 200, milliseconds: 5 },
  ])
  expect(seen.at(-1)?.body).toBeUndefined()
})

it('reads a tape of an older version, which has no failures', () => {
  const seen = attemptsOf(
    frames(
      [1, target('a')],
      [2, { side: 'upstream', do: 'error', exchange: 1, message: 'a: reset' }],
      [
        5,
        {
          side: 'gateway',
          do: 'finish',
          outcome: 'upstream-unavailable',
          ...end,
          error: { code: 'upstream-unavailable', message: 'a: reset' },
        },
      ],
    ),
  )
  expect(seen).toMatchObject([{ outcome: 'failed', code: 'upstream-unavailable', message: 'a: reset' }])
})

it('keeps the beginning of a long error body, and is running until its end', () => {
  const data: FrameBody = { side: 'upstream', do: 'data', exchange: 1, text: 'x'.repeat(1_500) }
  const status: FrameBody = { side: 'upstream', do: 'response', exchange: 1, status: 500, headers: {} }
  const [attempt] = attemptsOf(frames([1, target('a')], [2, status], [3, data], [4, data]))
  expect([attempt?.body?.length, attempt?.outcome]).toEqual([2_000, 'running'])
})
