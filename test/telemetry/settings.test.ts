// Where traces go, by the file and by OpenTelemetry's variables.

import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/config/config-error.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { readTelemetry } from '../../src/config/telemetry.ts'

const configOf = (telemetry: unknown) =>
  parseConfig(
    JSON.stringify({ backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } }, telemetry }),
    { environment: readEnvironment({ HOME: '/nonexistent' }) },
  )

const settings = (telemetry: Record<string, unknown>, variables: Record<string, string> = {}) =>
  readTelemetry(configOf({ traces: true, ...telemetry }).config.telemetry, (name) => variables[name])

it('is off unless it is switched on, whatever the variables say', () => {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'otlp' }
  expect(
    readTelemetry(configOf(undefined).config.telemetry, (name) => variables[name as never]),
  ).toBeUndefined()
  expect(settings({ traces: false }, variables)).toBeUndefined()
  expect(settings({}, { ...variables, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
  expect(settings({}, { ...variables, OTEL_SDK_DISABLED: '1' })).toBeDefined()
})

it.each([
  [{}, {}, 'http://127.0.0.1:4318/v1/traces'],
  [{ endpoint: 'https://otel.example/base/' }, {}, 'https://otel.example/base/v1/traces'],
  [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, 'http://c:4318/v1/traces'],
  [{}, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:1/own' }, 'http://c:1/own'],
  [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/x' },
    'http://b/x',
  ],
  [
    { endpoint: 'http://file' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/x' },
    'http://file/v1/traces',
  ],
  // Empty is not set.
  [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, 'http://127.0.0.1:4318/v1/traces'],
])('%j and %j lead to %s', (telemetry, variables, url) => {
  expect(settings(telemetry, variables)).toMatchObject({ url, warnings: [] })
})

it('names and headers come from both, the file first', () => {
  const variables = {
    OTEL_SERVICE_NAME: 'by-variable',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,team=a%20b,service.name=other',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=general,X-Both=variable',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'api-key=traces%3D1',
  }
  const found = settings({ headers: { 'x-both': 'file' } }, variables)
  expect(found?.headers).toEqual({ 'api-key': 'traces=1', 'x-both': 'file' })
  expect(found?.resource).toEqual({
    'service.name': 'by-variable',
    'deployment.environment.name': 'test',
    team: 'a b',
  })
  expect(settings({ serviceName: 'by-file' }, variables)?.resource['service.name']).toBe('by-file')
  const { OTEL_SERVICE_NAME: _name, ...rest } = variables
  expect(settings({}, rest)?.resource['service.name']).toBe('other')
  expect(settings({})?.resource['service.name']).toBe('dragoman')
})

describe('what cannot be read', () => {
  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret-pass@collector'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://169.254.169.254/'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'novalue'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%0d%0ab'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '-1'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ])('%s=%s is said, and ignored', (name, value) => {
    const found = settings({}, { [name]: value })
    expect(found?.warnings).toHaveLength(1)
    expect(found?.warnings[0]).not.toContain('secret-pass')
    expect(found).toMatchObject({ ...settings({}), warnings: found?.warnings })
  })

  it.each([
    [{ endpoint: 'http://c:4318/v1/traces' }, 'telemetry.endpoint: must not end in /v1/traces'],
    [{ endpoint: 'http://a:b@c' }, 'telemetry.endpoint: must have no query'],
    [{ endpoint: 'http://169.254.169.254' }, 'telemetry.endpoint: 169.254.169.254 is a link-local'],
    [{ trace: true }, 'telemetry.trace: unknown key; did you mean "traces"?'],
    [{ headers: { 'a b': 'x' } }, 'telemetry.headers'],
  ])('%j is an error in the file', (telemetry, message) => {
    expect(() => configOf(telemetry)).toThrow(ConfigError)
    expect(() => configOf(telemetry)).toThrow(message)
  })
})

it('keys of collectors are secrets, whatever their header is called', () => {
  const { secrets } = configOf({
    headers: {
      'x-vendor-team': 'a-key-of-a-service-0123',
      authorization: 'Basic dXNlcjpw',
      'x-set': 'short',
    },
  })
  expect(secrets).toEqual(expect.arrayContaining(['a-key-of-a-service-0123', 'dXNlcjpw']))
  expect(secrets).not.toContain('short')
})
