import { expect, it } from 'vitest'
import { fromAnthropicError } from './errors.ts'

it.each([
  'prompt is too long: 210000 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 180000 + 64000 > 200000, decrease input length or `max_tokens`',
])('%s: too long for the model', (message) => {
  const body = { type: 'error', error: { type: 'invalid_request_error', message } }
  expect(fromAnthropicError({ backend: 'claude', status: 400, body })).toMatchObject({
    code: 'context-overflow',
    status: 400,
  })
})
