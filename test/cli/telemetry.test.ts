// Traces of the real program: by the file and by variables, from one process and from several, to its very end.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { isNightly } from '../depth.ts'
import { type Collector, startCollector } from '../telemetry/collector.ts'
import { Home } from './program.ts'

const home = new Home()
let openai: Sim
let collector: Collector
beforeAll(async () => {
  openai = await startOpenAISim()
  collector = await startCollector()
})
afterAll(() => Promise.all([openai.close(), collector.close()]))
afterEach(() => {
  const problems = [...collector.problems]
  collector.clear()
  expect(problems).toEqual([])
})

const settings = (telemetry: unknown) => ({
  auth: 'none',
  backends: { box: { kind: 'openai', baseUrl: `${openai.url}/v1` } },
  telemetry,
})

const ask = (url: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ model: 'box/gpt-demo', messages: [{ role: 'user', content: 'hi' }] }),
  }).then((answer) => answer.text())

const variables = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-vendor-team=key-of-the-collector-0815',
  OTEL_SERVICE_NAME: 'by-variable',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
})

it('the remaining spans are sent at shutdown', async () => {
  const running = await home.serve(settings({ traces: true }), [], { env: variables() })
  await ask(running.url)
  expect(collector.spans).toEqual([])
  const { code, output } = await running.stop()
  expect(code).toBe(0)
  expect(collector.spans).toHaveLength(2)
  expect(collector.spans[0]?.resource).toMatchObject({
    'service.name': 'by-variable',
    'deployment.environment.name': 'test',
  })
  expect(collector.requests[0]?.headers['x-vendor-team']).toBe('key-of-the-collector-0815')
  expect(output).not.toContain('key-of-the-collector')
})

it.runIf(isNightly)('each worker exports its own turns, and metrics are summed', async () => {
  const running = await home.serve(settings({ traces: true }), ['--workers', '2'], { env: variables() })
  for (let at = 0; at < 8; at++) await ask(running.url)
  const metrics = await (await fetch(`${running.url}/metrics`)).text()
  expect(metrics).toMatch(/^dragoman_telemetry_spans_total\{outcome="sent"\} \d+$/m)
  expect(metrics.match(/^dragoman_build_info\{.*\} 1$/gm)).toHaveLength(1)
  await running.stop()
  expect(collector.spans).toHaveLength(16)
  const workers = new Set(collector.spans.map(({ resource }) => resource['dragoman.worker']))
  expect([...workers].sort()).toEqual([1, 2])
  expect(new Set(collector.spans.map(({ resource }) => resource['service.instance.id'])).size).toBe(2)
})

it('a collector that is away does not keep the program from starting, serving and stopping', async () => {
  const running = await home.serve(settings({ traces: true, endpoint: 'http://127.0.0.1:9' }))
  expect(await ask(running.url)).toContain('choices')
  expect((await running.stop()).code).toBe(0)
})

it('`config check` says where they go', async () => {
  const file = home.write('traced.jsonc', settings({ traces: true, propagate: true }))
  const { stdout } = await home.run(['config', 'check', file], {
    env: { ...variables(), OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
  })
  expect(stdout).toContain(
    `traces        to ${collector.url}/v1/traces as by-variable, traceidratio 0.1, without content, trace context sent upstream`,
  )
  const off = home.write('untraced.jsonc', settings({}))
  expect((await home.run(['config', 'check', off])).stdout).not.toContain('traces')
})

it('`doctor` checks that they would arrive, and lists ignored settings', async () => {
  const file = home.write('doctor.jsonc', settings({ traces: true }))
  const { stdout } = await home.run(['doctor', '--config', file], {
    env: { ...variables(), OTEL_TRACES_SAMPLER: 'nonsense' },
  })
  const lines = stdout.split('\n').map((line) => line.replace(/ +/g, ' '))
  expect(lines).toContain(`ok traces: ${collector.url}/v1/traces accepts them`)
  expect(lines).toContainEqual(
    expect.stringContaining('warning traces: the variable OTEL_TRACES_SAMPLER is ignored'),
  )
  // The collector takes it, the strict reader does not: it is empty.
  expect(collector.problems.splice(0)).toEqual([expect.stringContaining('an empty envelope')])
})
