import { describe, expect, it } from 'vitest'
import { alreadyAnswered } from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import type { Sink } from '../core/sink.ts'
import { AnswerHead } from './answer-head.ts'
import { respondError } from './respond.ts'

/** The headers about retries that the error is sent with. */
function retryOf(error: GatewayError): [shouldRetry: string | undefined, after: string | undefined] {
  let sent: Record<string, string> = {}
  const sink = {
    started: false,
    gone: false,
    start: (_status: number, headers: Record<string, string>) => {
      sent = headers
    },
    end: () => undefined,
  }
  const { status } = error
  respondError({ method: 'POST', head: new AnswerHead(), sink: sink as unknown as Sink }, error, {
    status,
    body: {},
  })
  return [sent['x-should-retry'], sent['retry-after']]
}

describe('whether a client is told to send its request again', () => {
  it.each<[string, GatewayError, ReturnType<typeof retryOf>]>([
    ['a backend that is down', new GatewayError('upstream-unavailable', 'down'), [undefined, '2']],
    ['a wrong request', new GatewayError('invalid-request', 'wrong'), ['false', undefined]],
    [
      'a quota, whenever it ends',
      new GatewayError('quota-exhausted', 'used up', { retryAfterMs: 9_000 }),
      ['false', '9'],
    ],
    ['results that are being answered', alreadyAnswered(), [undefined, '1']],
    ['a conflict that stays', new GatewayError('conflict', 'another result stands'), ['false', undefined]],
  ])('%s', (_, error, expected) => {
    expect(retryOf(error)).toEqual(expected)
  })

  it('the gateway does not repeat a request that is being answered', () => {
    expect(alreadyAnswered().retryable).toBe(false)
  })
})
