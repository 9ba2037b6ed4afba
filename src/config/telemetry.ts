// Trace settings: those of the file, then OpenTelemetry's standard variables. Only the file enables traces.

import { z } from 'zod'
import { isForbiddenAddress } from '../upstream/guard-address.ts'
import { baseUrl, headerName, headerText } from './values.ts'

const tracesPath = '/v1/traces'

export const telemetrySchema = z.strictObject({
  traces: z
    .boolean()
    .default(false)
    .describe('Send spans of each turn to an OpenTelemetry collector, by OTLP over HTTP.'),
  endpoint: baseUrl
    .refine((value) => !/\/v1\/traces\/*$/.test(value), 'must not end in /v1/traces: it is appended')
    .optional()
    .describe(
      'The collector; /v1/traces is appended. Default: OTEL_EXPORTER_OTLP_ENDPOINT, else http://127.0.0.1:4318.',
    ),
  headers: z
    .record(headerName, headerText)
    .optional()
    .describe('Extra headers, such as the key of a service.'),
  serviceName: z
    .string()
    .min(1)
    .optional()
    .describe('The service.name of the spans. Default: OTEL_SERVICE_NAME, else "dragoman".'),
  content: z.boolean().default(false).describe('Include prompts and answers in the spans.'),
  propagate: z.boolean().default(false).describe('Send the trace context to upstreams (traceparent).'),
})

type Telemetry = z.infer<typeof telemetrySchema>

export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'

const samplers = new Set<string>([
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] satisfies SamplerName[])

export interface TelemetrySettings {
  /** The URL that spans are posted to. */
  url: string
  headers: Record<string, string>
  /** Attributes of every span. */
  resource: Record<string, string>
  sampler: SamplerName
  /** For samplers that use a ratio. */
  ratio: number
  timeoutMs: number
  /** Invalid variables. */
  warnings: string[]
}

const defaultEndpoint = 'http://127.0.0.1:4318'
const defaultTimeoutMs = 10_000

/** Undefined if traces are off. */
export function readTelemetry(
  telemetry: Telemetry,
  variable: (name: string) => string | undefined = () => undefined,
): TelemetrySettings | undefined {
  const isDisabled = variable('OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  if (!telemetry.traces || isDisabled) return undefined
  const reading = new VariableReading(variable)
  const { serviceName } = telemetry
  const named = reading.pairs('OTEL_RESOURCE_ATTRIBUTES')
  const ownName = serviceName ?? reading.text('OTEL_SERVICE_NAME') ?? named['service.name'] ?? 'dragoman'
  const protocol =
    reading.text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? reading.text('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol === 'grpc')
    reading.warnings.push(
      'the protocol "grpc" is not supported; spans are sent as OTLP over HTTP (port 4318 of a collector, not 4317)',
    )
  return {
    url: urlFrom(telemetry, reading),
    headers: {
      ...reading.headers('OTEL_EXPORTER_OTLP_HEADERS'),
      ...reading.headers('OTEL_EXPORTER_OTLP_TRACES_HEADERS'),
      ...lowerCased(telemetry.headers ?? {}),
    },
    resource: { ...named, 'service.name': ownName },
    ...reading.sampler(),
    timeoutMs:
      reading.milliseconds('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') ??
      reading.milliseconds('OTEL_EXPORTER_OTLP_TIMEOUT') ??
      defaultTimeoutMs,
    warnings: reading.warnings,
  }
}

function urlFrom({ endpoint }: Telemetry, reading: VariableReading): string {
  const appended = (base: string) => base.replace(/(?<!\/)\/+$/, '') + tracesPath
  if (endpoint !== undefined) return appended(endpoint)
  const own = reading.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  return own ?? appended(reading.url('OTEL_EXPORTER_OTLP_ENDPOINT') ?? defaultEndpoint)
}

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]))

/** OpenTelemetry requires that invalid variables are ignored with a warning. */
class VariableReading {
  readonly warnings: string[] = []
  readonly #variable: (name: string) => string | undefined

  constructor(variable: (name: string) => string | undefined) {
    this.#variable = variable
  }

  text(name: string): string | undefined {
    return this.#variable(name)?.trim() || undefined
  }

  url(name: string): string | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const found = baseUrl.safeParse(value)
    if (!found.success)
      this.#ignore(name, 'must be an http:// or https:// URL without query, user or password')
    else if (isForbiddenAddress(hostOf(value)))
      this.#ignore(name, 'is a link-local or metadata address, which is not allowed')
    else return value
    return undefined
  }

  /** `key=value,key=value`, percent-encoded. */
  pairs(name: string): Record<string, string> {
    const entries = (this.text(name) ?? '').split(',').flatMap((pair) => {
      const at = pair.indexOf('=')
      if (pair.trim() === '') return []
      const key = decoded(pair.slice(0, at).trim())
      const value = decoded(pair.slice(at + 1).trim())
      if (at > 0 && key && value !== undefined) return [[key, value] as const]
      this.#ignore(name, 'must be key=value,key=value', 'in part')
      return []
    })
    return Object.fromEntries(entries)
  }

  headers(name: string): Record<string, string> {
    const entries = Object.entries(this.pairs(name)).filter(([key, value]) => {
      const isGood = headerName.safeParse(key).success && headerText.safeParse(value).success
      if (!isGood) this.#ignore(name, 'has an invalid header', 'in part')
      return isGood
    })
    return lowerCased(Object.fromEntries(entries))
  }

  milliseconds(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const number = Number(value)
    if (Number.isInteger(number) && number > 0 && number <= longestTimeoutMs) return number
    this.#ignore(name, `must be milliseconds, from 1 to ${longestTimeoutMs}`)
    return undefined
  }

  sampler(): { sampler: SamplerName; ratio: number } {
    const name = this.text('OTEL_TRACES_SAMPLER')
    const isKnown = name === undefined || samplers.has(name)
    if (!isKnown) this.#ignore('OTEL_TRACES_SAMPLER', `must be one of ${[...samplers].join(', ')}`)
    const sampler = (isKnown ? name : undefined) as SamplerName | undefined
    const given = this.text('OTEL_TRACES_SAMPLER_ARG')
    const ratio = given === undefined ? 1 : Number(given)
    if (ratio >= 0 && ratio <= 1) return { sampler: sampler ?? 'parentbased_always_on', ratio }
    this.#ignore('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1')
    return { sampler: sampler ?? 'parentbased_always_on', ratio: 1 }
  }

  /** Without the value: it may be a secret in the wrong variable. */
  #ignore(name: string, why: string, extent?: 'in part'): void {
    this.warnings.push(`the variable ${name} is ignored${extent ? ` ${extent}` : ''}: it ${why}`)
  }
}

/** Longer timeouts serve no purpose: no turn waits for an export. */
const longestTimeoutMs = 60_000

const hostOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '')

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export function telemetryProblems({ telemetry: { endpoint } }: { telemetry: Telemetry }): string[] {
  const host = endpoint === undefined ? '' : hostOf(endpoint)
  return isForbiddenAddress(host)
    ? [`telemetry.endpoint: ${host} is a link-local or metadata address, which is not allowed`]
    : []
}

/** Services accept keys in headers of any name: a long value counts as a secret, and so does one with a secret name. */
export const telemetrySecrets = (headers: Record<string, string> = {}): string[] =>
  Object.entries(headers)
    .filter(([name, value]) => value.length >= shortestKey || /auth|key|token|cookie|secret/i.test(name))
    // Also without the leading "Bearer".
    .flatMap(([, value]) => [value, value.split(' ').at(-1) ?? ''])

const shortestKey = 16
