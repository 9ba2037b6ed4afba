// What `dragoman doctor` says of traces.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkTraces } from '../../src/cli/check-traces.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { freePort } from '../end-to-end/wire.ts'
import { type Collector, startCollector } from './collector.ts'

let collector: Collector
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(() => collector.close())

function check(telemetry: Record<string, unknown>, env: Record<string, string> = {}) {
  const environment = readEnvironment({ HOME: '/nonexistent', ...env })
  const backends = { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } }
  const { config } = parseConfig(JSON.stringify({ backends, telemetry }), { environment })
  return checkTraces(config, environment)
}

it('off, nothing', async () => {
  expect(await check({ endpoint: collector.url })).toEqual([])
})

it('a collector that accepts them', async () => {
  expect(await check({ traces: true, endpoint: collector.url, headers: { 'api-key': 'k' } })).toEqual([
    { check: 'traces', status: 'ok', message: `${collector.url}/v1/traces accepts them` },
  ])
  expect(collector.requests[0]?.headers['api-key']).toBe('k')
})

it('one that does not', async () => {
  collector.replies.push({ status: 401 })
  const [finding] = await check({ traces: true, endpoint: collector.url })
  expect(finding).toMatchObject({ status: 'warning', message: expect.stringContaining('HTTP 401') })
})

it('one that is away, or switched off', async () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${await freePort()}`
  const [away] = await check({ traces: true }, { OTEL_EXPORTER_OTLP_ENDPOINT })
  expect(away).toMatchObject({ status: 'warning', message: expect.stringContaining('could not be reached') })
  const [off] = await check({ traces: true }, { OTEL_SDK_DISABLED: 'true' })
  expect(off).toMatchObject({ status: 'ok', message: expect.stringContaining('off') })
})
