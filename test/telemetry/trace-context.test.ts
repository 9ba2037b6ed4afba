// Trace context: parents, sampling and propagation.

import { describe, expect, it } from 'vitest'
import { createSampler } from '../../src/observe/traces/sampler.ts'
import { newSpanId, newTraceId, readParent, traceHeaders } from '../../src/observe/traces/trace-context.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

describe('traceparent', () => {
  it.each([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    // A later version may have more.
    [`cc-${traceId}-${spanId}-01-what-the-future-brings`, true],
    [` 00-${traceId}-${spanId}-01 `, true],
  ])('%s is one', (header, isSampled) => {
    expect(readParent(header, undefined)).toEqual({ traceId, spanId, isSampled, state: undefined })
  })

  it.each([
    undefined,
    '',
    'nonsense',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    // As two headers of this name arrive.
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ])('%s is none', (header) => {
    expect(readParent(header, 'a=b')).toBeUndefined()
  })

  it('is written as it is read', () => {
    const own = { isSampled: true, state: 'vendor=x' }
    const { traceparent, tracestate } = traceHeaders(newTraceId(), newSpanId(), own)
    expect(readParent(traceparent, tracestate)).toMatchObject({ isSampled: true, state: 'vendor=x' })
  })
})

describe('tracestate', () => {
  const stateOf = (state: string) => readParent(`00-${traceId}-${spanId}-01`, state)?.state

  it.each([
    ['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
    [' a=1 , , b=2', 'a=1,b=2'],
  ])('%s is passed on', (given, kept) => expect(stateOf(given)).toBe(kept))

  it.each(['', 'novalue', 'a=b=c', 'UPPER=1', 'a=\u00e9', `a=${'x'.repeat(600)}`])('%s is not', (given) =>
    expect(stateOf(given)).toBeUndefined(),
  )
})

describe('sampler', () => {
  const asked = (isSampled: boolean) => ({ traceId, spanId, isSampled, state: undefined })

  it.each([
    ['always_on', true, true, true],
    ['always_off', false, false, false],
    ['parentbased_always_on', true, true, false],
    ['parentbased_always_off', false, true, false],
  ] as const)('%s', (name, alone, below, belowUnsampled) => {
    const isSampled = createSampler(name, 1)
    expect([
      isSampled(traceId, undefined),
      isSampled(traceId, asked(true)),
      isSampled(traceId, asked(false)),
    ]).toEqual([alone, below, belowUnsampled])
  })

  it.each([0, 0.25, 1])('a ratio of %d', (ratio) => {
    const isSampled = createSampler('parentbased_traceidratio', ratio)
    const ids = Array.from({ length: 4_000 }, newTraceId)
    const taken = ids.filter((id) => isSampled(id, undefined)).length / ids.length
    expect(Math.abs(taken - ratio)).toBeLessThan(ratio % 1 === 0 ? 1e-9 : 0.05)
    expect(isSampled(traceId, asked(true))).toBe(true)
    expect(createSampler('traceidratio', 0)(traceId, asked(true))).toBe(false)
  })
})
