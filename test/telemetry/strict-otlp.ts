// A strict check of OTLP's JSON by its specification: every field known, every id and time well-formed.

type Json = Record<string, unknown>

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  traceState: string | undefined
  flags: number
  name: string
  kind: number
  startNanos: bigint
  endNanos: bigint
  attributes: Record<string, unknown>
  events: { name: string; nanos: bigint; attributes: Record<string, unknown> }[]
  links: { traceId: string; spanId: string }[]
  status: { code?: number; message?: string }
  resource: Record<string, unknown>
}

export class OtlpProblem extends Error {}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new OtlpProblem(what)
}

function fields(
  value: unknown,
  at: string,
  allowed: readonly string[],
  needed: readonly string[] = [],
): Json {
  demand(isObject(value), `${at} is no object`)
  for (const key of Object.keys(value)) demand(allowed.includes(key), `${at}.${key} is not known`)
  for (const key of needed) demand(value[key] !== undefined, `${at}.${key} is missing`)
  return value
}

function list(value: unknown, at: string): unknown[] {
  demand(Array.isArray(value), `${at} is no list`)
  return value
}

function text(value: unknown, at: string): string {
  demand(typeof value === 'string', `${at} is no string`)
  demand(Buffer.from(value).toString() === value, `${at} has half a character in it`)
  return value
}

function id(value: unknown, at: string, length: number): string {
  const found = text(value, at)
  demand(new RegExp(`^[0-9a-f]{${length}}$`).test(found), `${at} is no id: ${found}`)
  demand(!/^0+$/.test(found), `${at} is only zeros`)
  return found
}

/** A 64-bit number is a decimal string. */
function long(value: unknown, at: string, least: bigint): bigint {
  demand(typeof value === 'string' && /^-?\d+$/.test(value), `${at} is no 64-bit number as text`)
  const number = BigInt(value)
  demand(number >= least && number < 2n ** 63n, `${at} is out of range: ${value}`)
  return number
}

function uint32(value: unknown, at: string): number {
  demand(Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32, `${at} is no uint32`)
  return Number(value)
}

function anyValue(value: unknown, at: string): unknown {
  const kinds = ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue']
  const found = fields(value, at, kinds)
  const [kind, ...more] = Object.keys(found)
  demand(kind !== undefined && more.length === 0, `${at} needs exactly one kind of value`)
  const inner = found[kind]
  if (kind === 'stringValue') return text(inner, at)
  if (kind === 'intValue') return Number(long(inner, at, -(2n ** 63n)))
  if (kind === 'boolValue') {
    demand(typeof inner === 'boolean', `${at} is no boolean`)
    return inner
  }
  if (kind === 'doubleValue') {
    demand(typeof inner === 'number', `${at} is no number`)
    return { double: inner }
  }
  const { values } = fields(inner, at, ['values'], ['values'])
  return list(values, at).map((entry, index) => anyValue(entry, `${at}[${index}]`))
}

function attributes(value: unknown, at: string): Record<string, unknown> {
  const found = new Map<string, unknown>()
  for (const [index, entry] of list(value, at).entries()) {
    const { key, value: inner } = fields(entry, `${at}[${index}]`, ['key', 'value'], ['key', 'value'])
    const name = text(key, `${at}[${index}].key`)
    demand(name !== '' && !found.has(name), `${at}: the key ${name} is empty or twice there`)
    found.set(name, anyValue(inner, `${at}.${name}`))
  }
  return Object.fromEntries(found)
}

/** In this millennium. */
const leastNanos = 1_500_000_000_000_000_000n

const spanFields = [
  'traceId',
  'spanId',
  'parentSpanId',
  'traceState',
  'flags',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'events',
  'droppedEventsCount',
  'links',
  'status',
]
const neededFields = ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano']

function readSpan(value: unknown, at: string, resource: Json): ReceivedSpan {
  const span = fields(value, at, spanFields, neededFields)
  const startNanos = long(span.startTimeUnixNano, `${at}.startTimeUnixNano`, leastNanos)
  const endNanos = long(span.endTimeUnixNano, `${at}.endTimeUnixNano`, startNanos)
  const kind = Number(span.kind)
  demand(Number.isInteger(span.kind) && kind >= 1 && kind <= 5, `${at}.kind is none`)
  demand(text(span.name, `${at}.name`) !== '', `${at}.name is empty`)
  uint32(span.droppedEventsCount ?? 0, `${at}.droppedEventsCount`)
  const events = list(span.events ?? [], `${at}.events`).map((entry, index) => {
    const where = `${at}.events[${index}]`
    const event = fields(entry, where, ['timeUnixNano', 'name', 'attributes'], ['timeUnixNano', 'name'])
    return {
      name: text(event.name, where),
      nanos: long(event.timeUnixNano, where, leastNanos),
      attributes: attributes(event.attributes ?? [], where),
    }
  })
  const links = list(span.links ?? [], `${at}.links`).map((entry, index) => {
    const where = `${at}.links[${index}]`
    const link = fields(entry, where, ['traceId', 'spanId'], ['traceId', 'spanId'])
    return { traceId: id(link.traceId, where, 32), spanId: id(link.spanId, where, 16) }
  })
  const status = fields(span.status ?? {}, `${at}.status`, ['code', 'message'])
  demand([undefined, 0, 1, 2].includes(status.code as number), `${at}.status.code is none`)
  return {
    traceId: id(span.traceId, `${at}.traceId`, 32),
    spanId: id(span.spanId, `${at}.spanId`, 16),
    parentSpanId: span.parentSpanId === undefined ? undefined : id(span.parentSpanId, `${at}.parent`, 16),
    traceState: span.traceState === undefined ? undefined : text(span.traceState, `${at}.traceState`),
    flags: uint32(span.flags ?? 0, `${at}.flags`),
    name: span.name as string,
    kind,
    startNanos,
    endNanos,
    attributes: attributes(span.attributes ?? [], `${at}.attributes`),
    events,
    links,
    status: status as ReceivedSpan['status'],
    resource,
  }
}

/** The spans of a request; throws for what a strict collector would refuse. */
export function readOtlp(body: string): ReceivedSpan[] {
  const { resourceSpans } = fields(JSON.parse(body), 'request', ['resourceSpans'], ['resourceSpans'])
  const spans = list(resourceSpans, 'resourceSpans').flatMap((entry, index) => {
    const at = `resourceSpans[${index}]`
    const of = fields(entry, at, ['resource', 'scopeSpans', 'schemaUrl'], ['resource', 'scopeSpans'])
    const resource = attributes(fields(of.resource, at, ['attributes']).attributes, `${at}.resource`)
    demand(typeof resource['service.name'] === 'string', `${at} has no service.name`)
    return list(of.scopeSpans, at).flatMap((scoped, place) => {
      const where = `${at}.scopeSpans[${place}]`
      const inner = fields(scoped, where, ['scope', 'spans', 'schemaUrl'], ['spans'])
      fields(inner.scope, `${where}.scope`, ['name', 'version'], ['name'])
      return list(inner.spans, where).map((span, number) =>
        readSpan(span, `${where}.spans[${number}]`, resource),
      )
    })
  })
  demand(spans.length > 0, 'an empty envelope')
  const ids = spans.map(({ spanId }) => spanId)
  demand(new Set(ids).size === ids.length, 'a span id is there twice')
  return spans
}
