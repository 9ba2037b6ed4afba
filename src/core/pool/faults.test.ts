import { describe, expect, it } from 'vitest'
import { type ErrorCode, GatewayError, type GatewayErrorOptions } from '../errors.ts'
import { faultOf } from './faults.ts'

const fault = (code: ErrorCode, options: GatewayErrorOptions = {}, message = 'box: no') =>
  faultOf(new GatewayError(code, message, options), { countsByModel: true })

const http = (status: number, excerpt = '') => ({ upstream: { status, excerpt } })

describe('faultOf', () => {
  it.each([
    ['invalid-request', http(400)],
    ['context-overflow', http(400)],
    ['payload-too-large', http(413)],
    ['conflict', http(409)],
    ['canceled', {}],
    ['internal', {}],
    ['not-found', http(404)],
    ['upstream-unavailable', { ownFault: true }],
  ] satisfies [ErrorCode, GatewayErrorOptions][])('%s is about the request', (code, options) => {
    expect(fault(code, options)).toMatchObject({ kind: 'request', scope: 'none' })
  })

  it.each([
    ['upstream-unavailable', http(529)],
    ['upstream-protocol', http(200)],
    ['timeout', {}],
  ] satisfies [ErrorCode, GatewayErrorOptions][])('%s is about the service', (code, options) => {
    expect(fault(code, options)).toMatchObject({ kind: 'service', scope: 'none' })
  })

  it('an outdated client or a challenge is a matter of the configuration', () => {
    expect(fault('unsupported', http(400)).kind).toBe('config')
    expect(fault('upstream-challenge', http(403)).kind).toBe('config')
  })

  it('a refused key needs a login, without a time', () => {
    expect(fault('upstream-credential', http(401, 'invalid x-api-key'))).toEqual({
      kind: 'auth',
      scope: 'account',
      reason: 'its key or login was refused (HTTP 401)',
    })
    expect(fault('upstream-credential', http(403, 'This API key was revoked.')).kind).toBe('auth')
  })

  it('words of abuse stop the search', () => {
    for (const said of ['Your token was invalidated', 'suspicious activity', 'account suspended'])
      expect(fault('upstream-credential', http(403, said))).toMatchObject({ kind: 'auth', isFinal: true })
  })

  it('what an account may not do is about the model', () => {
    expect(fault('upstream-credential', http(403, 'Not allowed to sample from it.'))).toMatchObject({
      kind: 'model',
      scope: 'model',
      forMs: 300_000,
    })
    // The service names the plan, or something that may be mended at once.
    const plan = 'The model is not included in your plan.'
    const halfDay = { kind: 'model', scope: 'model', forMs: 43_200_000 }
    expect(fault('upstream-credential', http(403, plan))).toMatchObject(halfDay)
    expect(fault('not-found', { ...http(404, plan), detail: 'model_not_found' })).toMatchObject(halfDay)
    expect(fault('upstream-credential', http(403, 'Please upgrade your client.'))).toMatchObject({
      forMs: 300_000,
    })
    expect(fault('not-found', { ...http(404), detail: 'model_not_found' })).toMatchObject({ kind: 'model' })
  })

  it('a rate limit lasts as the service says, for the model where it counts so', () => {
    expect(fault('rate-limited', { retryAfterMs: 2_000 })).toMatchObject({
      kind: 'rate',
      scope: 'model',
      forMs: 2_000,
    })
    const error = new GatewayError('rate-limited', 'no')
    expect(faultOf(error, { countsByModel: false })).toMatchObject({ scope: 'account', forMs: undefined })
  })

  it('a limit of hours or weeks is a used-up quota', () => {
    const weeks = 21 * 86_400_000
    expect(fault('rate-limited', { retryAfterMs: weeks })).toMatchObject({ kind: 'money', forMs: weeks })
    expect(fault('quota-exhausted')).toMatchObject({ kind: 'money', scope: 'account', forMs: 3_600_000 })
    expect(fault('quota-exhausted', { retryAfterMs: 400 * 86_400_000 }).forMs).toBe(31 * 86_400_000)
  })

  it('a used-up quota of one model leaves the others', () => {
    expect(fault('quota-exhausted', { ofModel: true })).toMatchObject({
      kind: 'money',
      scope: 'model',
      reason: 'its quota for the model is used up',
    })
  })

  it('a 429 about a feature is about the request', () => {
    const message = 'claude: Extra usage is required for long context requests.'
    expect(fault('rate-limited', http(429), message).kind).toBe('request')
  })
})
