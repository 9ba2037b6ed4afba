import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { ErrorDetailsSchema } from '../../../proto/gen/aiserver/v1/service_pb.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { ConnectError } from '../connect/end-stream.ts'
import { toCursorError } from './errors.ts'

interface Detail {
  error: number
  title?: string
  detail?: string
  isRetryable?: boolean
}

function refusal(code: string, detail?: Detail, message = 'Error'): ConnectError {
  if (!detail) return { code, message, details: [] }
  const { error, title = '', detail: text = '', isRetryable } = detail
  const value = toBinary(
    ErrorDetailsSchema,
    create(ErrorDetailsSchema, {
      error,
      details: { title, detail: text, ...(isRetryable === undefined ? {} : { isRetryable }) },
    }),
  )
  return { code, message, details: [{ type: 'aiserver.v1.ErrorDetails', value }] }
}

const errorOf = (connect: ConnectError, more = {}) => toCursorError({ backend: 'box', connect, ...more })

const details: [ErrorCode, number, boolean, number[]][] = [
  ['unauthenticated', 401, false, [1, 2, 3, 4, 6, 11, 12, 18, 38, 42]],
  ['forbidden', 403, false, [23, 53, 54, 58, 64, 65]],
  ['not-found', 404, false, [5, 61, 39]],
  ['quota-exhausted', 402, false, [9, 10, 44, 45]],
  ['rate-limited', 429, true, [7, 8, 14, 22, 34, 35, 41, 50, 51]],
  ['unsupported', 400, false, [28, 30, 40]],
  ['context-overflow', 400, false, [20, 43]],
  ['invalid-request', 400, false, [31, 33, 36, 60]],
  ['timeout', 504, true, [25, 55]],
  ['upstream-unavailable', 502, true, [13, 56, 57, 59]],
  ['upstream-unavailable', 503, true, [63]],
  ['canceled', 499, false, [21]],
]

const connectCodes: [string, ErrorCode, number, boolean][] = [
  ['unauthenticated', 'unauthenticated', 401, false],
  ['permission_denied', 'forbidden', 403, false],
  ['not_found', 'not-found', 404, false],
  ['invalid_argument', 'invalid-request', 400, false],
  ['failed_precondition', 'invalid-request', 400, false],
  ['out_of_range', 'invalid-request', 400, false],
  ['already_exists', 'conflict', 409, false],
  ['resource_exhausted', 'rate-limited', 429, true],
  ['deadline_exceeded', 'timeout', 504, true],
  ['unavailable', 'upstream-unavailable', 503, true],
  ['internal', 'upstream-unavailable', 502, true],
  ['unknown', 'upstream-unavailable', 502, true],
  ['data_loss', 'upstream-unavailable', 502, true],
  ['canceled', 'upstream-unavailable', 503, true],
  ['aborted', 'upstream-unavailable', 503, true],
  ['unimplemented', 'unsupported', 400, false],
  ['a code of tomorrow', 'upstream-unavailable', 502, true],
]

describe('toCursorError', () => {
  const numbers = details.flatMap(([code, status, retryable, list]) =>
    list.map((number) => [number, code, status, retryable] as const),
  )
  it.each(numbers)('detail %i is %s, whatever the code around it', (number, code, status, retryable) => {
    for (const around of ['internal', 'resource_exhausted', 'unauthenticated']) {
      const error = errorOf(refusal(around, { error: number }))
      expect(error).toMatchObject({ code, status, retryable })
      expect(error.message).toMatch(/^box: .{5,}/)
      expect(error.message).not.toMatch(/^box: Error/)
    }
  })

  it.each(connectCodes)('%s without a detail is %s', (connect, code, status, retryable) => {
    const error = errorOf(refusal(connect))
    expect(error).toMatchObject({ code, status, retryable })
    expect(error.message).not.toMatch(/Error/)
  })

  it.each([0, 29, 52, 62, 46, 999, -1])('detail %i leaves the meaning to the code', (number) => {
    const error = errorOf(refusal('permission_denied', { error: number, title: 'Team', detail: 'Ask them' }))
    expect(error).toMatchObject({ code: 'forbidden', message: 'box: Team: Ask them' })
  })

  it('names a model that is not there', () => {
    for (const connect of [refusal('internal', { error: 5 }), refusal('not_found')])
      expect(errorOf(connect)).toMatchObject({ code: 'not-found', detail: 'model_not_found' })
    expect(errorOf(refusal('internal', { error: 39 })).detail).toBeUndefined()
  })

  it('has the text of the detail, once', () => {
    const said = (title: string, detail: string, message?: string) =>
      errorOf(refusal('internal', { error: 57, title, detail }, message)).message
    expect(said('Overloaded', 'Try later.')).toBe('box: Overloaded: Try later.')
    expect(said('Same', 'Same')).toBe('box: Same')
    expect(said('Error', 'Only this helps')).toBe('box: Only this helps')
    expect(said('', '', 'in the plain message')).toBe('box: in the plain message')
    expect(said('Error', ' ', '[internal] Error')).toMatch(/^box: .*Error|failed/)
    expect(said('', '')).toBe('box: the upstream failed (error 57)')
    expect(said('x'.repeat(5000), '').length).toBeLessThan(1100)
  })

  it('says whose credential was refused', () => {
    expect(errorOf(refusal('unauthenticated')).message).toMatch(
      /credential that the gateway has for backend "box"/,
    )
  })

  it.each([
    refusal('resource_exhausted', { error: 28 }),
    refusal('internal', { error: 30, isRetryable: true }),
    refusal('internal', { error: 40 }),
    refusal('resource_exhausted', { error: 8, title: 'Update Required', detail: 'Get the newest' }),
    refusal('invalid_argument', undefined, '[400] Update Required for Composer 2'),
  ])('tells of an outdated client (%#)', (connect) => {
    const error = errorOf(connect, { clientVersion: 'cli-1' })
    expect(error).toMatchObject({ code: 'unsupported', status: 400, retryable: false })
    expect(error.message).toContain(
      '(Cursor wants a newer client version than "cli-1"; set "clientVersion" of backend "box" to a current one)',
    )
  })

  it('names the causes that a bare resource_exhausted may have', () => {
    const { message } = errorOf(refusal('resource_exhausted'))
    for (const cause of ['rate limit', 'quota', 'clientVersion', 'too long']) expect(message).toContain(cause)
    expect(errorOf(refusal('resource_exhausted', undefined, 'Slow down')).message).toBe('box: Slow down')
  })

  it('follows is_retryable, unless a retry cannot help', () => {
    const retryable = (error: number, isRetryable: boolean) =>
      errorOf(refusal('internal', { error, isRetryable })).retryable
    expect([retryable(57, false), retryable(57, true)]).toEqual([false, true])
    expect([retryable(22, false), retryable(36, true)]).toEqual([false, true])
    expect([retryable(9, true), retryable(21, true), retryable(30, true)]).toEqual([false, false, false])
  })

  it('tolerates malformed details', () => {
    const junk = [
      { type: 'aiserver.v1.ErrorDetails', value: Buffer.from([0xff, 0xff, 0xff]) },
      { type: 'google.rpc.RetryInfo', value: Buffer.from([1]) },
    ]
    const good = refusal('internal', { error: 9, title: 'Limit' }).details
    expect(errorOf({ code: 'unavailable', message: 'x', details: junk }).code).toBe('upstream-unavailable')
    expect(errorOf({ code: 'unavailable', message: 'x', details: [...junk, ...good] }).code).toBe(
      'quota-exhausted',
    )
  })

  it.each([
    [464, 'upstream-protocol', /HTTP 464: this version of HTTP is not taken there/],
    [401, 'unauthenticated', /not logged in \(the credential/],
    [403, 'forbidden', /HTTP 403 without an explanation/],
    [404, 'not-found', /HTTP 404; is its "baseUrl" right/],
    [413, 'payload-too-large', /HTTP 413/],
    [429, 'rate-limited', /HTTP 429/],
    [500, 'upstream-unavailable', /HTTP 500/],
    [503, 'upstream-unavailable', /HTTP 503/],
    [504, 'timeout', /HTTP 504/],
  ])('HTTP %i alone is %s', (httpStatus, code, message) => {
    const error = toCursorError({ backend: 'box', httpStatus, excerpt: '<html>', retryAfterMs: 5 })
    expect(error).toMatchObject({
      code,
      retryAfterMs: 5,
      upstream: { status: httpStatus, excerpt: '<html>' },
    })
    expect(error.message).toMatch(message)
  })

  it('uses the status of a refusal without a code, and otherwise the code', () => {
    const unknown = { code: 'unknown', message: 'Too many', details: [] }
    expect(toCursorError({ backend: 'box', connect: unknown, httpStatus: 429 }).code).toBe('rate-limited')
    const named = { code: 'unauthenticated', message: 'x', details: [] }
    expect(toCursorError({ backend: 'box', connect: named, httpStatus: 500 }).code).toBe('unauthenticated')
  })
})
