// Spans in OTLP's JSON (opentelemetry-proto: docs/specification.md): ids in hex, 64-bit numbers and times as text, enums as
// numbers. Everything that is text is scrubbed here, so that nothing gets past it.

import type { Attributes, AttributeValue, Span } from './span.ts'

export interface OtlpOptions {
  resource: Attributes
  scope: { name: string; version: string }
  scrub(text: string): string
}

/** One request for a collector: an ExportTraceServiceRequest. */
export function toOtlp(spans: readonly Span[], { resource, scope, scrub }: OtlpOptions): string {
  const body = {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource, scrub) },
        scopeSpans: [{ scope, spans: spans.map((span) => toOtlpSpan(span, scrub)) }],
      },
    ],
  }
  return JSON.stringify(body)
}

type Scrub = (text: string) => string

function toOtlpSpan(span: Span, scrub: Scrub): Record<string, unknown> {
  const { error, events, links } = span
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    ...(span.traceState === undefined ? {} : { traceState: span.traceState }),
    flags: flagsOf(span),
    name: shown(span.name, scrub),
    kind: span.kind,
    startTimeUnixNano: toNanos(span.start),
    endTimeUnixNano: toNanos(Math.max(span.start, span.end)),
    attributes: toAttributes(span.attributes, scrub),
    ...(events.length === 0
      ? {}
      : {
          events: events.map(({ name, at, attributes }) => ({
            timeUnixNano: toNanos(at),
            name,
            attributes: toAttributes(attributes, scrub),
          })),
        }),
    ...(span.droppedEvents === 0 ? {} : { droppedEventsCount: span.droppedEvents }),
    ...(links.length === 0 ? {} : { links }),
    status: error ? { code: statusError, ...toMessage(error.message, scrub) } : {},
  }
}

const statusError = 2
const isSampled = 0x001
/** Whether the parent is remote is known. */
const knowsParent = 0x100
const isRemote = 0x200

const flagsOf = ({ hasRemoteParent }: Span) => isSampled | knowsParent | (hasRemoteParent ? isRemote : 0)

const toMessage = (message: string | undefined, scrub: Scrub) =>
  message === undefined ? {} : { message: shown(message, scrub) }

/** To the microsecond: beyond that a number would not hold it, nor a clock know it. */
const toNanos = (milliseconds: number) => `${Math.round(milliseconds * 1000)}000`

function toAttributes(attributes: Attributes, scrub: Scrub): { key: string; value: unknown }[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    const written = value === undefined ? undefined : toValue(value, scrub)
    return written ? [{ key, value: written }] : []
  })
}

function toValue(value: AttributeValue, scrub: Scrub): Record<string, unknown> | undefined {
  if (typeof value === 'string') return { stringValue: shown(value, scrub) }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { intValue: String(value) } : undefined
  if ('text' in value) return { stringValue: wellFormed(scrub(value.text)) }
  if ('double' in value) return Number.isFinite(value.double) ? { doubleValue: value.double } : undefined
  return { arrayValue: { values: value.map((entry) => ({ stringValue: shown(entry, scrub) })) } }
}

const longestText = 1_024

/** Cut behind the scrubbing: half a secret would not be known as one. */
function shown(text: string, scrub: Scrub): string {
  const clean = scrub(text)
  return wellFormed(clean.length > longestText ? `${clean.slice(0, longestText - 1)}…` : clean)
}

/** Half a character has no UTF-8, and collectors refuse the whole request for it. */
const wellFormed = (text: string) => (/[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text)
