// The export of any span is valid OTLP without secrets.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Scrubber } from '../../src/observe/scrub.ts'
import { toOtlpRequest, toOtlpSpan } from '../../src/observe/traces/otlp.ts'
import { type Attributes, type Span, spanKinds } from '../../src/observe/traces/span.ts'
import { newSpanId, newTraceId } from '../../src/observe/traces/trace-context.ts'
import { anyCharacter } from '../fuzz/any-character.ts'
import { readOtlp } from './strict-otlp.ts'

const secret = 'sk-canary-"quoted\\slash"-0815'
/** As escapes end, and across the place where long texts are cut. */
const plainSecret = 'nu0041-sk-canary-plain-4711'
const scrubber = new Scrubber()
scrubber.add(secret, plainSecret)

const options = {
  resource: [['service.name', 'test']] as const,
  scope: { name: 'dragoman', version: '0' },
  scrub: (text: string) => scrubber.scrub(text),
}

const toOtlp = (spans: readonly Span[], to: typeof options) =>
  toOtlpRequest(
    spans.map((each) => toOtlpSpan(each, to)),
    to,
  )

const span = (more: Partial<Span> = {}): Span => ({
  traceId: newTraceId(),
  spanId: newSpanId(),
  parentSpanId: undefined,
  hasRemoteParent: false,
  traceState: undefined,
  name: 'chat m',
  kind: spanKinds.server,
  start: Date.now(),
  end: Date.now() + 1.5,
  attributes: [],
  events: [],
  droppedEvents: 0,
  links: [],
  error: undefined,
  ...more,
})

/** With halves of characters, and with the secret in the middle. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'a', '"', '\\', '\0', '\n', '😀') }),
  fc.string().map((text) => `${text}${secret}${text}`),
  fc.string().map((text) => `${text}\n\\${plainSecret}${text}`),
  fc.nat(60).map((more) => `${'x'.repeat(980 + more)}${plainSecret}`),
  fc.string({ minLength: 2_000, maxLength: 3_000 }),
)
const anyValue = fc.oneof(
  anyText,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(undefined),
  fc.array(anyText, { maxLength: 3 }),
  fc.double().map((double) => ({ double })),
  anyText.map((text) => ({ text })),
)
const anyAttributes = fc
  .dictionary(fc.string({ minLength: 1, maxLength: 10 }), anyValue, { maxKeys: 6 })
  .map((found) => Object.entries(found) as Attributes)

it('is OTLP for any attributes, names, events and errors', () => {
  fc.assert(
    fc.property(anyAttributes, anyText, anyText, (attributes, name, message) => {
      const body = toOtlp(
        [
          span({
            name: `chat ${name}`,
            attributes,
            events: [{ name: 'e', at: Date.now(), attributes }],
            error: { message },
          }),
          span({
            parentSpanId: newSpanId(),
            traceState: `a=${plainSecret}`,
            links: [{ traceId: newTraceId(), spanId: newSpanId() }],
          }),
        ],
        options,
      )
      expect(readOtlp(body)).toHaveLength(2)
      expect(body).not.toContain('sk-canary')
      expect(body).not.toMatch(/slash|nu0041-sk/)
    }),
  )
})

it('keeps kinds of values apart', () => {
  const attributes = Object.entries({
    ...{ text: 'a', whole: 3, real: { double: 1 }, yes: true, list: ['x'], none: undefined },
  })
  const [read] = readOtlp(toOtlp([span({ attributes })], options))
  expect(read?.attributes).toEqual({ text: 'a', whole: 3, real: { double: 1 }, yes: true, list: ['x'] })
})

it('leaves out numbers that are none, and cuts texts that are too long', () => {
  const attributes = {
    nan: Number.NaN,
    half: 1.5,
    never: { double: Number.POSITIVE_INFINITY },
    long: 'x'.repeat(5_000),
  }
  const [read] = readOtlp(toOtlp([span({ attributes: Object.entries(attributes) })], options))
  expect(Object.keys(read?.attributes ?? {})).toEqual(['long'])
  expect(String(read?.attributes.long).length).toBe(1_024)
})

it('never ends before it begins, whatever clocks do', () => {
  const start = Date.now()
  const [read] = readOtlp(toOtlp([span({ start, end: start - 5_000 })], options))
  expect(read?.endNanos).toBe(read?.startNanos)
})
