// Spans in OTLP's JSON encoding (opentelemetry-proto: docs/specification.md): ids in hex, 64-bit numbers and times as strings,
// enums as numbers. All text is scrubbed here.

import { isPlain, jsonString } from '../../base/json-string.ts'
import type { Attributes, AttributeValue, Span } from './span.ts'

export interface OtlpOptions {
  resource: Attributes
  scope: { name: string; version: string }
  scrub(text: string): string
}

/** A span as it occurs in a request. */
export const toOtlpSpan = (span: Span, { scrub }: Pick<OtlpOptions, 'scrub'>): string =>
  clean((words) => words.span(span), scrub)

/** An ExportTraceServiceRequest for a collector. */
export function toOtlpRequest(spans: readonly string[], { resource, scope, scrub }: OtlpOptions): string {
  const attributes = clean((words) => words.attributes(resource), scrub)
  const scoped = `{"scope":${JSON.stringify(scope)},"spans":[${spans.join(',')}]}`
  return `{"resourceSpans":[{"resource":{"attributes":${attributes}},"scopeSpans":[${scoped}]}]}`
}

type Scrub = (text: string) => string

/**
 * Writes first and scrubs the result as a whole: secrets are rare, and scrubbing each value takes several times as long. If the
 * result contains a secret, it is written again with each value scrubbed, because a cut in JSON may leave half an escape.
 */
function clean(write: (words: Words) => string, scrub: Scrub): string {
  const text = write(new Words(scrub, (word) => word))
  return scrub(text) === text ? text : write(new Words(scrub, scrub))
}

const statusError = 2
const isSampled = 0x001
/** The flag that says that `isRemote` of the parent is known. */
const knowsParent = 0x100
const isRemote = 0x200

const longestText = 1_024

class Words {
  readonly #scrub: Scrub
  /** For values that are never cut. */
  readonly #scrubShort: Scrub

  constructor(scrub: Scrub, scrubShort: Scrub) {
    this.#scrub = scrub
    this.#scrubShort = scrubShort
  }

  span(span: Span): string {
    const { parentSpanId, traceState, events, droppedEvents, links, error } = span
    const flags = isSampled | knowsParent | (span.hasRemoteParent ? isRemote : 0)
    let text = `{"traceId":"${span.traceId}","spanId":"${span.spanId}"`
    if (parentSpanId !== undefined) text += `,"parentSpanId":"${parentSpanId}"`
    if (traceState !== undefined) text += `,"traceState":${this.#text(traceState)}`
    text += `,"flags":${flags},"name":${this.#text(span.name)},"kind":${span.kind}`
    text += `,"startTimeUnixNano":"${toNanos(span.start)}"`
    text += `,"endTimeUnixNano":"${toNanos(Math.max(span.start, span.end))}"`
    text += `,"attributes":${this.attributes(span.attributes)}`
    if (events.length > 0) {
      const told = events.map(
        ({ name, at, attributes }) =>
          `{"timeUnixNano":"${toNanos(at)}","name":${jsonString(name)},"attributes":${this.attributes(attributes)}}`,
      )
      text += `,"events":[${told.join(',')}]`
    }
    if (droppedEvents > 0) text += `,"droppedEventsCount":${droppedEvents}`
    if (links.length > 0) text += `,"links":${JSON.stringify(links)}`
    if (!error) return `${text},"status":{}}`
    const message = error.message === undefined ? '' : `,"message":${this.#text(error.message)}`
    return `${text},"status":{"code":${statusError}${message}}}`
  }

  attributes(attributes: Attributes): string {
    let text = ''
    for (const [key, value] of attributes) {
      const written = value === undefined ? undefined : this.#value(value)
      if (written !== undefined) text += `${text === '' ? '' : ','}{"key":${quoted(key)},"value":${written}}`
    }
    return `[${text}]`
  }

  #value(value: AttributeValue): string | undefined {
    if (typeof value === 'string') return `{"stringValue":${this.#text(value)}}`
    if (typeof value === 'boolean') return `{"boolValue":${value}}`
    if (typeof value === 'number') return Number.isSafeInteger(value) ? `{"intValue":"${value}"}` : undefined
    if ('text' in value) return `{"stringValue":${quoted(this.#scrub(value.text))}}`
    if ('double' in value)
      return Number.isFinite(value.double) ? `{"doubleValue":${value.double}}` : undefined
    const entries = value.map((entry) => `{"stringValue":${this.#text(entry)}}`)
    return `{"arrayValue":{"values":[${entries.join(',')}]}}`
  }

  /** Scrub before cutting: half a secret is not recognized. */
  #text(text: string): string {
    if (text.length <= longestText) return quoted(this.#scrubShort(text))
    const whole = this.#scrub(text)
    return quoted(whole.length > longestText ? `${whole.slice(0, longestText - 1)}…` : whole)
  }
}

/** Microseconds: a number cannot hold more digits, nor does the clock have them. */
const toNanos = (milliseconds: number) => `${Math.round(milliseconds * 1000)}000`

/** Replaces lone surrogates: they have no UTF-8, and collectors refuse the whole request. */
function quoted(text: string): string {
  if (isPlain(text)) return `"${text}"`
  return JSON.stringify(/[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text)
}
