import { expect, it } from 'vitest'
import { limitWindows } from './limit-headers.ts'

const now = Date.parse('2026-11-18T12:00:00Z')

it("reads Anthropic's limits, with times", () => {
  const headers = {
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '20',
    'anthropic-ratelimit-requests-reset': '2026-11-18T12:00:30Z',
    'anthropic-ratelimit-tokens-limit': '1000',
    'anthropic-ratelimit-tokens-remaining': '0',
  }
  expect(limitWindows('anthropic', headers, now)).toEqual([
    { name: 'requests', limit: 50, remaining: 20, reset: now + 30_000 },
  ])
})

it.each([
  ['6m0s', 360_000],
  ['1h2m', 3_720_000],
  ['20ms', 20],
  ['1.5s', 1_500],
])("reads OpenAI's limits, with the duration %s", (reset, ms) => {
  const headers = {
    'x-ratelimit-limit-tokens': '1000',
    'x-ratelimit-remaining-tokens': '5000',
    'x-ratelimit-reset-tokens': reset,
  }
  expect(limitWindows('openai', headers, now)).toEqual([
    { name: 'tokens', limit: 1000, remaining: 1000, reset: now + ms },
  ])
})

it.each(['', 'soon', '1', '-5s', '9999999999d', `${'1'.repeat(50)}s`])('knows nothing from %j', (reset) => {
  const headers = {
    'x-ratelimit-limit-tokens': '1000',
    'x-ratelimit-remaining-tokens': '5',
    'x-ratelimit-reset-tokens': reset,
  }
  expect(limitWindows('openai', headers, now)).toEqual([])
})
