import { describe, expect, it } from 'vitest'
import { errorCodes, GatewayError } from '../core/errors.ts'
import { readLine, writeLine } from './relay-messages.ts'
import { readError } from './relayed-error.ts'

const throughTheWire = (error: GatewayError, scrub = (text: string) => text) =>
  (readLine(writeLine({ error }, scrub)) as { error: GatewayError }).error

const shown = ({
  code,
  status,
  message,
  retryable,
  param,
  retryAfterMs,
  detail,
  upstream,
}: GatewayError) => ({
  ...{ code, status, message, retryable, param, retryAfterMs, detail, upstream },
})

describe('an error of another instance', () => {
  it.each(errorCodes)('keeps the code %s', (code) => {
    const error = new GatewayError(code, 'what to do')
    const read = throughTheWire(error)
    expect(read).toBeInstanceOf(GatewayError)
    expect(shown(read)).toEqual(shown(error))
  })

  it('keeps all its public fields', () => {
    const error = new GatewayError('rate-limited', 'later', {
      status: 529,
      param: 'messages[2]',
      retryAfterMs: 1_500,
      retryable: false,
      detail: 'overloaded_error',
      upstream: { status: 529 },
    })
    expect(shown(throughTheWire(error))).toEqual(shown(error))
  })

  it('is the same inside a turn', () => {
    const error = new GatewayError('timeout', 'too slow', { retryAfterMs: 10 })
    const line = readLine(writeLine({ events: [{ type: 'turn-error', error }] }, (text) => text))
    const [event] = (line as { events: { error: GatewayError }[] }).events
    expect(event?.error).toBeInstanceOf(GatewayError)
    expect(shown(event?.error as GatewayError)).toEqual(shown(error))
  })

  it('contains no upstream excerpt, cause or secret', () => {
    const error = new GatewayError('upstream-protocol', 'bad: canary', {
      cause: new Error('inside'),
      upstream: { status: 500, excerpt: 'private words' },
    })
    const text = writeLine({ error }, (message) => message.replace('canary', '[secret]'))
    expect(text).toContain('bad: [secret]')
    expect(text).not.toMatch(/canary|private|inside/)
  })

  it.each([undefined, null, 1, 'x', [], {}, { code: '__proto__', message: 5, status: 200, upstream: 'x' }])(
    'an invalid error (%j) becomes a generic one',
    (value) => {
      const error = readError(value)
      expect([error.code, error.status]).toEqual(['internal', 500])
    },
  )
})
