import { describe, expect, it } from 'vitest'
import { SessionLost } from './backend.ts'
import { Breakers, type Permit } from './breaker.ts'
import { type ErrorCode, errorCodes, GatewayError, type GatewayErrorOptions } from './errors.ts'

const address = { backend: 'box', model: 'm' }
const down = new GatewayError('upstream-unavailable', 'box: HTTP 503')

function bench() {
  const told: string[] = []
  const clock = { now: 0 }
  const breakers = new Breakers({
    now: () => clock.now,
    onOpen: ({ model }, { message }) => told.push(`${model} open: ${message}`),
    onClose: ({ model }) => told.push(`${model} closed`),
  })
  const permit = (to = address): Permit => {
    const found = breakers.ask(to)
    if (found instanceof GatewayError) throw found
    return found
  }
  const fail = (times: number, failure: unknown = down) => {
    for (let at = 0; at < times; at++) permit().failed(GatewayError.from(failure))
  }
  const isRefused = (to = address) => breakers.ask(to) instanceof GatewayError
  return { breakers, clock, told, permit, fail, isRefused }
}

describe('a breaker', () => {
  it('opens after five failures in a row, and reports it once', () => {
    const { breakers, told, fail, permit, isRefused } = bench()
    fail(4)
    permit().succeeded()
    expect(breakers.size).toBe(0)
    fail(4)
    expect([isRefused(), told]).toEqual([false, []])
    fail(1)
    expect([isRefused(), told]).toEqual([true, ['m open: box: HTTP 503']])
    expect(breakers.open).toEqual([address])
  })

  it('is for one model of one backend', () => {
    const { fail, isRefused } = bench()
    fail(5)
    expect(isRefused({ backend: 'box', model: 'n' })).toBe(false)
    expect(isRefused({ backend: 'other', model: 'm' })).toBe(false)
  })

  it('says how much time is left', () => {
    const { breakers, clock, fail } = bench()
    fail(5)
    clock.now = 12_300
    expect(breakers.ask(address)).toMatchObject({ status: 503, retryable: true, retryAfterMs: 17_700 })
  })

  const words = 'box: template error near "the plan for Monday"'
  it.each([
    [new GatewayError('upstream-unavailable', words, { upstream: { status: 500 } }), 'HTTP 500.'],
    [
      new GatewayError('upstream-unavailable', words, { upstream: { status: 200 } }),
      'an error in its answer.',
    ],
    [new GatewayError('upstream-protocol', words), 'its answer could not be read.'],
    [new GatewayError('timeout', 'box: no progress for 120 s.'), 'box: no progress for 120 s.'],
  ])(
    'tells other callers how it failed, without what the service said about the request',
    (failure, told) => {
      const { breakers, fail } = bench()
      fail(5, failure)
      const { message } = breakers.ask(address) as GatewayError
      expect(message.slice(message.indexOf('The last'))).toBe(`The last failure: ${told}`)
    },
  )

  it('lets one probe through after 30 s, and the others once it has succeeded', () => {
    const { clock, told, fail, permit, isRefused } = bench()
    fail(5)
    clock.now = 29_999
    expect(isRefused()).toBe(true)
    clock.now = 30_000
    const probe = permit()
    expect(isRefused()).toBe(true)
    probe.succeeded()
    expect(isRefused()).toBe(false)
    expect(told).toEqual(['m open: box: HTTP 503', 'm closed'])
  })

  it('stays open as long again if the probe fails, without a report', () => {
    const { clock, told, fail, permit, isRefused } = bench()
    fail(5)
    clock.now = 30_000
    permit().failed(down)
    clock.now = 59_999
    expect(isRefused()).toBe(true)
    clock.now = 60_000
    permit().succeeded()
    expect(told).toHaveLength(2)
  })

  it.each([
    ['was canceled', (probe: Permit) => probe.unknown()],
    [
      'was refused because of its request',
      (probe: Permit) => probe.failed(new GatewayError('invalid-request', 'x')),
    ],
  ])('lets the next probe through if the first %s', (_how, end) => {
    const { clock, fail, permit, isRefused } = bench()
    fail(5)
    clock.now = 30_000
    end(permit())
    permit()
    expect(isRefused()).toBe(true)
  })

  it('lets another probe through if the first takes too long', () => {
    const { clock, fail, permit, isRefused } = bench()
    fail(5)
    clock.now = 30_000
    const slow = permit()
    clock.now = 60_000
    const next = permit()
    slow.failed(down)
    expect(isRefused()).toBe(true)
    next.succeeded()
    expect(isRefused()).toBe(false)
  })

  it('does not count requests that were running when it opened', () => {
    const { clock, fail, permit, isRefused } = bench()
    const under = [permit(), permit(), permit()]
    fail(5)
    clock.now = 20_000
    for (const one of under) one.failed(down)
    clock.now = 30_000
    expect(isRefused()).toBe(false)
  })

  const statuses = [400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 499]
  it.each(statuses)('HTTP %i never counts, with any error code', (status) => {
    const { breakers, fail } = bench()
    for (const code of errorCodes) fail(10, new GatewayError(code, 'x', { upstream: { status } }))
    expect(breakers.size).toBe(0)
  })

  const counting: [ErrorCode, GatewayErrorOptions][] = [
    ['upstream-unavailable', {}],
    ['upstream-unavailable', { upstream: { status: 529 } }],
    ['upstream-unavailable', { upstream: { status: 200 } }],
    ['upstream-protocol', { upstream: { status: 200 } }],
    ['timeout', { retryable: false }],
    ['timeout', { upstream: { status: 504 } }],
  ]
  it.each(counting)('%s %j counts', (code, options) => {
    const { fail, isRefused } = bench()
    fail(5, new GatewayError(code, 'x', options))
    expect(isRefused()).toBe(true)
  })

  it('nothing else does: requests, credentials, quotas, captchas, our own limits and bugs, sessions that are lost', () => {
    const { breakers, fail } = bench()
    const counted = new Set(counting.map(([code]) => code))
    for (const code of errorCodes) if (!counted.has(code)) fail(10, new GatewayError(code, 'x'))
    fail(10, new GatewayError('upstream-unavailable', 'all connections are full', { ownFault: true }))
    fail(10, new SessionLost('gone'))
    fail(10, new TypeError('bug'))
    expect(breakers.size).toBe(0)
  })

  it('is bounded for names that clients invent', () => {
    const { breakers, permit } = bench()
    for (let at = 0; at < 3_000; at++) permit({ backend: 'box', model: `m${at}` }).failed(down)
    expect(breakers.size).toBe(1_000)
    permit({ backend: 'box', model: 'x'.repeat(1_000_000) }).failed(down)
    expect(breakers.size).toBe(1_000)
  })
})
