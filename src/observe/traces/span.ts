// A span, independent of the export format.

/** OTLP's numbers. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const

/** A plain number is an integer; `text` is never cut. */
export type AttributeValue =
  | string
  | number
  | boolean
  | readonly string[]
  | { double: number }
  | { text: string }

/** Undefined values are omitted. Pairs, because objects with many dynamic keys are slow to create. */
export type Attributes = readonly (readonly [name: string, value: AttributeValue | undefined])[]

export interface SpanEvent {
  name: string
  /** Milliseconds since 1970 with fractions, like all times here. */
  at: number
  attributes: Attributes
}

export interface Span {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  /** The parent is in another process. */
  hasRemoteParent: boolean
  traceState: string | undefined
  name: string
  kind: (typeof spanKinds)[keyof typeof spanKinds]
  start: number
  end: number
  attributes: Attributes
  events: readonly SpanEvent[]
  /** How many events exceeded the limit. */
  droppedEvents: number
  links: readonly { traceId: string; spanId: string }[]
  /** Set on failure; the message only where it may be exported. */
  error: { message: string | undefined } | undefined
}
