// A piece of work with its beginning and end, before it is written in any format.

/** By OTLP's numbers. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const

/** A plain number is a whole one; `text` is never cut. */
export type AttributeValue =
  | string
  | number
  | boolean
  | readonly string[]
  | { double: number }
  | { text: string }

/** What is undefined is left out. In pairs: of that many names that are not known in advance, objects are slow to make. */
export type Attributes = readonly (readonly [name: string, value: AttributeValue | undefined])[]

export interface SpanEvent {
  name: string
  /** Milliseconds since 1970, with fractions; so are all times here. */
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
  /** Of events that were too many. */
  droppedEvents: number
  links: readonly { traceId: string; spanId: string }[]
  /** It did not succeed; the words for it, where they may be told. */
  error: { message: string | undefined } | undefined
}
