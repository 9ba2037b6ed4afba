import { describe, expect, it } from 'vitest'
import { fromGeminiError } from './upstream-errors.ts'

const type = (name: string) => ({ '@type': `type.googleapis.com/google.rpc.${name}` })
const errorOf = (status: number, error: object, more: object = {}) =>
  fromGeminiError({ backend: 'google', status, body: { error: { message: 'no', ...error } }, ...more })
const quota = (...ids: string[]) => ({
  details: [{ ...type('QuotaFailure'), violations: ids.map((quotaId) => ({ quotaId })) }],
})

describe("an error of Google's", () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'invalid-request'],
    [400, 'FAILED_PRECONDITION', 'invalid-request'],
    [401, 'UNAUTHENTICATED', 'upstream-credential'],
    [403, 'PERMISSION_DENIED', 'upstream-credential'],
    [404, 'NOT_FOUND', 'not-found'],
    [409, 'ABORTED', 'conflict'],
    [429, 'RESOURCE_EXHAUSTED', 'rate-limited'],
    [499, 'CANCELLED', 'upstream-unavailable'],
    [500, 'INTERNAL', 'upstream-unavailable'],
    [503, 'UNAVAILABLE', 'upstream-unavailable'],
    [504, 'DEADLINE_EXCEEDED', 'timeout'],
  ])('%i %s is %s, as the answer and inside of a stream', (status, word, code) => {
    expect(errorOf(status, { code: status, status: word }).code).toBe(code)
    expect(errorOf(200, { code: status, status: word }).code).toBe(code)
    expect(errorOf(200, { status: word }).code).toBe(code)
  })

  it('is read inside of a list, and kept as it came for a client of the dialect', () => {
    const body = { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }
    const error = fromGeminiError({ backend: 'google', status: 400, body: [body] })
    expect(error).toMatchObject({ code: 'invalid-request', said: { form: 'gemini', status: 400, body } })
  })

  it('names a wrong key by its detail or its words, although it is a 400', () => {
    const details = [{ ...type('ErrorInfo'), reason: 'API_KEY_INVALID' }]
    expect(errorOf(400, { status: 'INVALID_ARGUMENT', details }).code).toBe('upstream-credential')
    const message = 'API key not valid. Please pass a valid API key.'
    expect(errorOf(400, { status: 'INVALID_ARGUMENT', message }).code).toBe('upstream-credential')
  })

  it('names an overflow', () => {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
    expect(errorOf(400, { status: 'INVALID_ARGUMENT', message }).code).toBe('context-overflow')
  })

  it('names a model that does not exist', () => {
    const message = 'models/x is not found for API version v1beta, or is not supported for generateContent.'
    expect(errorOf(404, { status: 'NOT_FOUND', message })).toMatchObject({ detail: 'model_not_found' })
  })

  it.each([
    [{ details: [{ ...type('RetryInfo'), retryDelay: '27s' }] }, 27_000],
    [{ details: [{ ...type('RetryInfo'), retryDelay: '34.4s' }] }, 34_400],
    [{ message: 'Please retry in 27.431s.' }, 27_431],
    [{ details: [{ ...type('RetryInfo'), retryDelay: 'soon' }] }, 7_000],
    [{}, 7_000],
  ])('says when to try again: %j', (more, retryAfterMs) => {
    expect(errorOf(429, { status: 'RESOURCE_EXHAUSTED', ...more }, { retryAfterMs: 7_000 })).toMatchObject({
      code: 'rate-limited',
      retryAfterMs,
    })
  })

  it.each([
    [{ message: 'Quota exceeded for metric: x, limit: 0, model: y' }, true],
    [quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), true],
    [quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier', 'TokensPerMinutePerProject'), true],
    [quota('GenerateRequestsPerDayPerProject'), undefined],
    [quota('GenerateRequestsPerDayPerProject', 'GenerateRequestsPerDayPerProjectPerModel'), undefined],
  ])('tells a quota of one model from one of the project: %j', (more, ofModel) => {
    const error = errorOf(429, { status: 'RESOURCE_EXHAUSTED', ...more })
    expect([error.code, error.ofModel]).toEqual(['quota-exhausted', ofModel])
    expect(errorOf(402, { status: 'RESOURCE_EXHAUSTED' }).ofModel).toBeUndefined()
  })

  it.each([
    { message: 'Quota exceeded for metric: x, limit: 0, model: y' },
    { details: [{ ...type('QuotaFailure'), violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] }] },
  ])('of a quota that seconds do not mend is final: %j', (more) => {
    expect(errorOf(429, { status: 'RESOURCE_EXHAUSTED', ...more })).toMatchObject({
      code: 'quota-exhausted',
      retryable: false,
    })
  })
})
