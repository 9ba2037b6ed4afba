import { describe, expect, it } from 'vitest'
import { openaiErrorBody } from '../errors/openai-error.ts'
import { fromChatError, toolTextHint } from './errors.ts'

const read = (status: number, body: unknown) => fromChatError({ backend: 'box', status, body })

it('a 404 that names the model means an unknown model, any other 404 a wrong address', () => {
  const refuse = (message: string) =>
    fromChatError({ backend: 'box', status: 404, body: { error: { message, type: 'not_found_error' } } })
  expect(refuse("model 'x' not found")).toMatchObject({
    detail: 'model_not_found',
    message: "box: model 'x' not found",
  })
  expect(refuse('Not Found').message).toContain('baseUrl')
})

it.each([
  ['Invalid URL (POST /chat/completions)', true],
  ['Unknown request URL: POST /chat/completions. Please check the URL for typos', true],
  ['Not Found', true],
  ['Container cntr_1 not found', false],
  ['The model `x` does not exist', false],
])('404 "%s": the backend and its "baseUrl" are named, where the address is wrong', (message, isLost) => {
  const type = 'invalid_request_error'
  const error = read(404, { error: { message, type, param: null, code: null } })
  const body = openaiErrorBody(error) as { error: { message: string } }
  expect(body.error.message).toBe(isLost ? `box: ${message} (HTTP 404; is its "baseUrl" right?)` : message)
  expect(error.status).toBe(404)
})

describe('fromChatError', () => {
  it.each([
    ['registry.ollama.ai/library/gemma3:4b does not support tools', true],
    ['"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', true],
    ["Unsupported parameter: 'tools'.", true],
    ["Unsupported parameter: 'tool_choice'.", false],
    ['tools.0.function.name: is too long', false],
  ])('gives a hint about a model without tool support: %s', (message, isOne) => {
    const error = read(400, { error: { message } })
    expect(error.message).toBe(`box: ${message}${isOne ? toolTextHint : ''}`)
    expect(read(500, { error: { message } }).message).toBe(`box: ${message}`)
  })

  it.each([
    [
      "FastAPI's details (Mistral, vLLM)",
      {
        detail: [{ type: 'extra_forbidden', loc: ['body', 'store'], msg: 'Extra inputs are not permitted' }],
      },
      'box: body.store: Extra inputs are not permitted',
    ],
    [
      'the same, one deeper',
      { object: 'error', message: { detail: [{ loc: ['body', 'x'], msg: 'no' }] }, code: null },
      'box: body.x: no',
    ],
    [
      "OpenRouter's providers",
      { error: { message: 'Provider returned error', code: 400, metadata: { raw: '{"message":"bad id"}' } } },
      'box: Provider returned error: {"message":"bad id"}',
    ],
    ['nothing', { error: { metadata: {} } }, 'box: HTTP 422 without an explanation'],
  ])('passes on the error text of %s', (_who, body, message) => {
    expect(read(422, body)).toMatchObject({ code: 'invalid-request', message })
  })

  it.each([
    'the request exceeds the available context size, try increasing it',
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
    "This model's maximum context length is 4096 tokens.",
  ])('%s: context overflow', (message) => {
    expect(read(400, { error: { message } }).code).toBe('context-overflow')
  })
})

it('a refusal without text is an overflow if the service is known to send such refusals', () => {
  const refusal = { backend: 'box', body: undefined, excerpt: '' }
  expect(fromChatError({ ...refusal, status: 400 }, { silentOverflow: true }).code).toBe('context-overflow')
  expect(fromChatError({ ...refusal, status: 413 }, { silentOverflow: true }).code).toBe('context-overflow')
  expect(fromChatError({ ...refusal, status: 401 }, { silentOverflow: true }).code).toBe(
    'upstream-credential',
  )
  expect(fromChatError({ ...refusal, status: 400 }).code).toBe('invalid-request')
})

it('an unreadable call of the model can be retried', () => {
  const error = read(400, { error: { message: 'Failed to call a function', code: 'tool_use_failed' } })
  expect([error.code, error.retryable]).toEqual(['upstream-protocol', true])
})
