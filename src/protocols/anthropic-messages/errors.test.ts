import { expect, it } from 'vitest'
import { errorCodes, GatewayError } from '../../core/errors.ts'
import { fromAnthropicError, messagesErrorBody } from './errors.ts'

it.each([
  'prompt is too long: 210000 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 180000 + 64000 > 200000, decrease input length or `max_tokens`',
])('%s: context overflow', (message) => {
  const body = { type: 'error', error: { type: 'invalid_request_error', message } }
  expect(fromAnthropicError({ backend: 'claude', status: 400, body })).toMatchObject({
    code: 'context-overflow',
    status: 400,
  })
})

it.each([
  { type: 'error', error: { type: 'invalid_request_error', message: 'no such beta' } },
  { error: 'no such beta' },
  { detail: 'no such beta' },
  { message: 'no such beta' },
])('%j: the error text of a proxy is passed on', (body) => {
  const error = fromAnthropicError({ backend: 'claude', status: 400, body })
  expect([error.code, error.message]).toEqual(['invalid-request', 'claude: no such beta'])
})

it.each(errorCodes)("%s has Anthropic's error shape, with only its message", (code) => {
  const error = new GatewayError(code, 'prompt is too long', {
    cause: 'secret',
    upstream: { excerpt: 'secret' },
  })
  const body = messagesErrorBody(error, 'turn_1')
  expect(body).toEqual({
    type: 'error',
    error: { type: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/), message: 'prompt is too long' },
    request_id: 'turn_1',
  })
})

it('a failure of the service is not reported as overload', () => {
  const typeOf = (status: number) =>
    messagesErrorBody(new GatewayError('upstream-unavailable', 'x', { status })).error
  expect(typeOf(503)).toMatchObject({ type: 'overloaded_error' })
  expect(typeOf(500)).toMatchObject({ type: 'api_error' })
})

it.each([
  ['maximum context length is 10', 'prompt is too long: maximum context length is 10'],
  ['x: prompt is too long: 2 > 1', 'x: prompt is too long: 2 > 1'],
  [
    'x: input length and `max_tokens` exceed context limit',
    'x: input length and `max_tokens` exceed context limit',
  ],
])('overflow message: %s', (message, shown) => {
  expect(messagesErrorBody(new GatewayError('context-overflow', message))).toMatchObject({
    error: { message: shown },
  })
})
