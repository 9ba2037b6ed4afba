// A traced gateway with simulators and a strict collector.

import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { ExporterPace } from '../../src/observe/traces/exporter.ts'
import { type Bench, type BenchOptions, startBench } from '../harness.ts'
import { type Collector, startCollector } from './collector.ts'
import type { ReceivedSpan } from './strict-otlp.ts'

export interface Traced extends Bench {
  collector: Collector
}

export interface TracedOptions extends Omit<BenchOptions, 'settings'> {
  settings?: Record<string, unknown>
  telemetry?: Record<string, unknown>
  /** OpenTelemetry's own. */
  variables?: Record<string, string>
  pace?: Partial<ExporterPace>
}

/** Sent at once, tried again at once. */
export const quickPace = { gatherMs: 5, baseDelayMs: 1, flushMs: 1_000 }

export async function startTraced(options: TracedOptions = {}): Promise<Traced> {
  const collector = await startCollector()
  const { telemetry, variables = {}, pace, settings, gateway, ...rest } = options
  const bench = await startBench({
    ...rest,
    settings: { telemetry: { traces: true, endpoint: collector.url, ...telemetry }, ...settings },
    gateway: {
      connect: { variable: (name) => variables[name] },
      tracePace: { ...quickPace, ...pace },
      ...gateway,
    },
  })
  return {
    ...bench,
    collector,
    async close() {
      await bench.close()
      await collector.close()
    },
  }
}

/** For all tests of a `describe`; what was not OTLP fails the test it came in. */
export function useTraced(options: TracedOptions = {}): Traced {
  const traced = {} as Traced
  beforeAll(async () => {
    Object.assign(traced, await startTraced(options))
  })
  afterAll(() => traced.close())
  afterEach(() => {
    const problems = [...traced.collector.problems]
    traced.collector.clear()
    for (const sim of [traced.anthropic, traced.openai, traced.cursor, traced.text]) sim.clear()
    traced.logs.length = 0
    expect(problems).toEqual([])
  })
  return traced
}

export const kinds = { internal: 1, server: 2, client: 3 }

export const turnOf = (spans: readonly ReceivedSpan[]) => spans.find(({ kind }) => kind === kinds.server)

export const attemptsOf = (spans: readonly ReceivedSpan[]) =>
  spans.filter(({ kind }) => kind === kinds.client)

export const toolsOf = (spans: readonly ReceivedSpan[]) => spans.filter(({ kind }) => kind === kinds.internal)
