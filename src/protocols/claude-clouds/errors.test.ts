import { describe, expect, it } from 'vitest'
import { cannotCount, fromBedrockError } from './bedrock-errors.ts'
import { fromVertexError } from './vertex-errors.ts'

const bedrock = (type: string, status: number, message: string) =>
  fromBedrockError({
    backend: 'cloud',
    status,
    body: { message },
    excerpt: JSON.stringify({ message }),
    errorType: `${type}:http://internal.amazon.com/`,
  })

describe('Bedrock', () => {
  it.each([
    [
      'ThrottlingException',
      429,
      'Too many tokens, please wait before trying again.',
      'rate-limited',
      'Too many',
    ],
    ['ThrottlingException', 429, 'Too many tokens per day, please wait.', 'quota-exhausted', 'per day'],
    ['ServiceQuotaExceededException', 400, 'over', 'quota-exhausted', 'over'],
    ['ValidationException', 400, 'The provided model identifier is invalid.', 'not-found', 'identifier'],
    ['ValidationException', 400, 'Input is too long for requested model.', 'context-overflow', 'too long'],
    ['ValidationException', 400, 'messages: wrong', 'invalid-request', 'messages: wrong'],
    [
      'ValidationException',
      400,
      'Invocation of model ID x with on-demand throughput isn’t supported.',
      'invalid-request',
      'set "inferenceProfile"',
    ],
    ['ResourceNotFoundException', 404, 'gone', 'not-found', 'gone'],
    ['ModelTimeoutException', 408, 'slow', 'timeout', 'slow'],
    ['ModelErrorException', 424, 'broken', 'upstream-unavailable', 'broken'],
    ['ModelNotReadyException', 429, 'cold', 'upstream-unavailable', 'cold'],
    ['ServiceUnavailableException', 503, 'busy', 'upstream-unavailable', 'busy'],
    [
      'InvalidSignatureException',
      403,
      'Signature expired: a is now earlier than b',
      'upstream-credential',
      'clock',
    ],
    [
      'InvalidSignatureException',
      403,
      'Credential should be scoped to a valid region.',
      'upstream-credential',
      '"region"',
    ],
    ['ExpiredTokenException', 403, 'The security token … is expired', 'upstream-credential', 'have expired'],
    ['UnrecognizedClientException', 403, 'invalid', 'upstream-credential', 'correct the access key'],
    ['AccessDeniedException', 403, "You don't have access", 'upstream-credential', 'Bedrock console'],
  ])('%s %i %s', (type, status, text, code, words) => {
    const error = bedrock(type, status, text)
    expect(error.code).toBe(code)
    expect(error.message).toContain(words)
  })

  it('a throttled request waits longer than others, because no header says how long', () => {
    expect(bedrock('ThrottlingException', 429, 'wait').retryAfterMs).toBe(2_000)
  })

  it('of a proxy, or without a kind, is read as any other', () => {
    const refusal = { backend: 'cloud', status: 503, body: undefined, excerpt: '<html><title>Down</title>' }
    expect(fromBedrockError(refusal)).toMatchObject({ code: 'upstream-unavailable' })
    const typed = { backend: 'cloud', status: 400, body: { __type: 'a.b#ThrottlingException', Message: 'm' } }
    expect(fromBedrockError(typed)).toMatchObject({ code: 'rate-limited', message: 'cloud: m' })
  })

  it('knows models that cannot be counted', () => {
    const words = "The provided model doesn't support counting tokens."
    expect(cannotCount(bedrock('ValidationException', 400, words))).toBe(true)
    expect(cannotCount(bedrock('ValidationException', 400, 'other'))).toBe(false)
  })
})

describe('Vertex', () => {
  const vertex = (status: number, name: string, message: string, listed = false) => {
    const body = { error: { code: status, message, status: name } }
    return fromVertexError({ backend: 'cloud', status, body: listed ? [body] : body, excerpt: '' })
  }

  it.each([
    [401, 'UNAUTHENTICATED', 'invalid credentials', 'upstream-credential', 'gcloud auth'],
    [403, 'PERMISSION_DENIED', 'denied', 'upstream-credential', 'Vertex AI User'],
    [404, 'NOT_FOUND', 'Publisher Model `x` was not found', 'not-found', '"region"'],
    [
      400,
      'FAILED_PRECONDITION',
      'Project x is not allowed to use Publisher Model y',
      'not-found',
      'Model Garden',
    ],
    [429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for aiplatform', 'rate-limited', 'may be 0'],
    [429, 'RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.', 'rate-limited', 'try again'],
    [503, 'UNAVAILABLE', 'down', 'upstream-unavailable', 'down'],
  ])('%i %s: %s', (status, name, text, code, words) => {
    for (const listed of [false, true]) {
      const error = vertex(status, name, text, listed)
      expect([error.code, error.message]).toEqual([code, expect.stringContaining(words)])
    }
  })

  it('leaves a quota to the client, and tries again when the service is full', () => {
    expect(vertex(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for x').retryAfterMs).toBe(60_000)
    expect(vertex(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted.').retryAfterMs).toBeUndefined()
  })

  it("passes Claude's own errors on", () => {
    const body = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 2 > 1' },
    }
    const error = fromVertexError({ backend: 'cloud', status: 400, body })
    expect(error).toMatchObject({ code: 'context-overflow', said: { form: 'anthropic', body } })
  })
})
