// A collector that is away, slow or refuses costs spans, and never a turn.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createLog } from '../../src/observe/log.ts'
import { Metrics } from '../../src/observe/metrics.ts'
import { Scrubber } from '../../src/observe/scrub.ts'
import { type ExporterPace, SpanExporter } from '../../src/observe/traces/exporter.ts'
import { type Span, spanKinds } from '../../src/observe/traces/span.ts'
import { newSpanId, newTraceId } from '../../src/observe/traces/trace-context.ts'
import { createUpstreamClient } from '../../src/upstream/client.ts'
import { freePort } from '../end-to-end/wire.ts'
import { ask, chat } from '../harness.ts'
import { type Collector, startCollector } from './collector.ts'
import { startTraced } from './traced.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function collect(): Promise<Collector> {
  const collector = await startCollector()
  closing.push(() => collector.close())
  return collector
}

function exporterFor(url: string, pace: Partial<ExporterPace> = {}) {
  const metrics = new Metrics()
  const logs: string[] = []
  const scrubber = new Scrubber()
  const exporter = new SpanExporter({
    client: createUpstreamClient(`${url}/v1/traces`),
    path: '',
    headers: {},
    timeoutMs: 30_000,
    otlp: { resource: [['service.name', 't']], scope: { name: 't', version: '0' }, scrub: (text) => text },
    metrics,
    log: createLog({ level: 'info', scrubber, write: (line) => logs.push(line) }),
    pace: { gatherMs: 1, baseDelayMs: 1, flushMs: 300, ...pace },
  })
  const counted = (outcome: string) =>
    Number(
      new RegExp(`^dragoman_telemetry_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(
        metrics.render(),
      )?.[1],
    )
  const add = (count: number, more: Partial<Span> = {}) => {
    for (let at = 0; at < count; at++) exporter.add(span(more))
  }
  return { exporter, counted, logs, add }
}

const span = (more: Partial<Span>): Span => ({
  ...{ traceId: newTraceId(), spanId: newSpanId(), parentSpanId: undefined, traceState: undefined },
  ...{ hasRemoteParent: false, name: 'chat m', kind: spanKinds.client, start: Date.now(), end: Date.now() },
  ...{ attributes: [], events: [], droppedEvents: 0, links: [], error: undefined },
  ...more,
})

/** So many megabytes of it. */
const withText = (megabytes: number): Partial<Span> => ({
  attributes: [['long', { text: 'x'.repeat(megabytes * 1024 * 1024) }]],
})

it('many spans are few requests, and all arrive', async () => {
  const collector = await collect()
  const { exporter, counted, add } = exporterFor(collector.url, { gatherMs: 10_000, flushMs: 60_000 })
  add(1_100)
  await exporter.close()
  expect(collector.problems).toEqual([])
  expect(collector.spans).toHaveLength(1_100)
  expect(collector.requests).toHaveLength(3)
  expect(collector.requests.every(({ path }) => path === '/v1/traces')).toBe(true)
  expect(counted('sent')).toBe(1_100)
})

it('large ones make smaller batches', async () => {
  const collector = await collect()
  const { exporter, add } = exporterFor(collector.url, { gatherMs: 10_000, flushMs: 60_000 })
  add(10, withText(2.1))
  await exporter.close()
  expect(collector.spans).toHaveLength(10)
  expect(collector.requests).toHaveLength(5)
})

it.each([429, 502, 503, 504])('%i is tried again', async (status) => {
  const collector = await collect()
  collector.replies.push({ status }, { status, headers: { 'retry-after': '0' } })
  const { counted, add, logs } = exporterFor(collector.url)
  add(3)
  await collector.until(3)
  await expect.poll(() => counted('sent')).toBe(3)
  expect(collector.requests).toHaveLength(3)
  expect(logs.map((line) => JSON.parse(line).message)).toEqual([
    'traces cannot be sent',
    'traces are sent again',
  ])
})

it.each([400, 401, 404, 413, 500])('%i is not', async (status) => {
  const collector = await collect()
  collector.replies.push({ status })
  const { counted, add } = exporterFor(collector.url)
  add(3)
  await expect.poll(() => counted('refused')).toBe(3)
  expect(collector.requests).toHaveLength(1)
})

it('what a collector did not take of a batch is counted', async () => {
  const collector = await collect()
  collector.replies.push({ body: { partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } } })
  const { counted, add } = exporterFor(collector.url)
  add(5)
  await expect.poll(() => counted('sent')).toBe(3)
  expect(counted('refused')).toBe(2)
})

it('a collector that is away costs its spans, after some tries, and is named once', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const { counted, add, logs } = exporterFor(url)
  add(2)
  await expect.poll(() => counted('unreachable')).toBe(2)
  add(2)
  await expect.poll(() => counted('unreachable')).toBe(4)
  expect(logs).toHaveLength(1)
  expect(JSON.parse(logs[0] ?? '{}')).toMatchObject({ level: 'warn', endpoint: url })
})

it('what it holds is bounded, in number and in bytes', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const few = exporterFor(url, { maxQueued: 10, gatherMs: 10_000 })
  few.add(25)
  expect(few.counted('queue-full')).toBe(15)
  const large = exporterFor(url, { baseDelayMs: 10_000 })
  large.add(40, withText(1))
  expect(large.counted('queue-full')).toBeGreaterThan(0)
  await Promise.all([few.exporter.close(), large.exporter.close()])
  expect(few.counted('unreachable')).toBe(10)
})

/** Takes connections, and answers none. */
async function silentServer(): Promise<string> {
  const server = createServer(() => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  server.on('connection', (socket) => closing.push(() => socket.destroy()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('one that never answers does not keep the gateway from stopping', async () => {
  const { exporter, counted, add } = exporterFor(await silentServer(), { flushMs: 50 })
  add(600)
  await exporter.close()
  expect(counted('unreachable')).toBe(600)
  add(1)
  expect(counted('queue-full')).toBe(1)
})

it.each(['silent', 'away', 'failing'] as const)('turns do not notice one that is %s', async (how) => {
  const collector = await collect()
  const url = {
    silent: await silentServer(),
    away: `http://127.0.0.1:${await freePort()}`,
    failing: collector.url,
  }[how]
  collector.replies.push(...Array.from({ length: 100 }, () => ({ status: 500 })))
  const traced = await startTraced({ telemetry: { endpoint: url }, pace: { flushMs: 50, maxQueued: 8 } })
  closing.push(() => traced.close())
  for (let at = 0; at < 20; at++) {
    const { status, json } = await chat(traced.url, ask('openai/gpt-demo'))
    expect([status, json.choices.length]).toEqual([200, 1])
  }
  const metrics = () => fetch(`${traced.url}/metrics`).then((answer) => answer.text())
  await expect
    .poll(metrics)
    .toMatch(/dragoman_telemetry_spans_total\{outcome="(queue-full|refused|unreachable)"\} [1-9]/)
})
