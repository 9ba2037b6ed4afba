// OpenTelemetry traces without its SDK: a few spans per turn and one stable, small request format suffice. The SDK is a dozen
// packages and needs hooks on the hot path. See docs/telemetry.md.

import { randomUUID } from 'node:crypto'
import { version } from '../../base/version.ts'
import type { Config } from '../../config/schema.ts'
import { readTelemetry, type TelemetrySettings, telemetrySecrets } from '../../config/telemetry.ts'
import type { Caller } from '../../core/caller.ts'
import type { ToolResult } from '../../core/request.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import type { TraceBeginning, Tracer, TurnTrace } from '../tracing.ts'
import type { Observing } from '../turn-observer.ts'
import { placesOf } from './backend-places.ts'
import { type ExporterPace, SpanExporter } from './exporter.ts'
import { createSampler, type Sampler } from './sampler.ts'
import { toolSpan } from './tool-span.ts'
import { ToolWaits } from './tool-waits.ts'
import { newSpanId, newTraceId, type RemoteParent, readParent, traceHeaders } from './trace-context.ts'
import { RecordedTrace, type TraceContext, type TraceDesk } from './turn-trace.ts'

interface TracerOptions extends Pick<Observing, 'log' | 'metrics' | 'scrubber'> {
  config: Config
  /** Those of the configuration in force; default: those of `config`. */
  backends?: () => Config['backends']
  connect: { environmentProxy?: boolean; variable?(name: string): string | undefined }
  worker: number | undefined
  pace?: Partial<ExporterPace> | undefined
}

/** Undefined if the environment disables it. */
export function createTracer(options: TracerOptions): Tracer | undefined {
  const { config, connect, log, scrubber } = options
  const settings = readTelemetry(config.telemetry, connect.variable)
  if (!settings) return undefined
  scrubber.add(...telemetrySecrets(settings.headers))
  for (const warning of settings.warnings) log.warn(`telemetry: ${warning}`)
  const exporter = createExporter(settings, options)
  const { content, propagate } = config.telemetry
  return new TurnTracer(createSampler(settings.sampler, settings.ratio), exporter, {
    ...{
      places: placesOf(options.backends ?? (() => config.backends)),
      waits: new ToolWaits(),
      content,
      propagate,
    },
    scrub: (text) => scrubber.scrub(text),
    done: (span) => exporter.add(span),
  })
}

function createExporter(settings: TelemetrySettings, options: TracerOptions): SpanExporter {
  const { connect, worker, metrics, log, scrubber, pace } = options
  const { url, headers, timeoutMs } = settings
  const client = createUpstreamClient(url, {
    name: 'telemetry',
    environmentProxy: connect.environmentProxy,
  })
  const resource = {
    'service.version': version,
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
    'telemetry.sdk.name': 'dragoman',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    'dragoman.worker': worker,
    ...settings.resource,
  }
  const scope = { name: 'dragoman', version }
  const path = new URL(url).pathname === '/' ? '/' : ''
  const scrub = (text: string) => scrubber.scrub(text)
  return new SpanExporter({
    ...{ client, path, headers, timeoutMs, metrics, log, pace },
    otlp: { resource: Object.entries(resource), scope, scrub },
  })
}

class TurnTracer implements Tracer {
  readonly #isSampled: Sampler
  readonly #exporter: SpanExporter
  readonly #desk: TraceDesk

  constructor(isSampled: Sampler, exporter: SpanExporter, desk: TraceDesk) {
    this.#isSampled = isSampled
    this.#exporter = exporter
    this.#desk = desk
  }

  begin(turn: TraceBeginning): TurnTrace | undefined {
    const { header, caller, request } = turn
    const parent = readParent(header('traceparent'), header('tracestate'))
    const traceId = parent?.traceId ?? newTraceId()
    const isSampled = this.#isSampled(traceId, parent)
    const trace = isSampled ? this.#record(turn, traceId, parent) : undefined
    const last = request.messages.findLast(({ role }) => role === 'tool' || role === 'assistant')
    if (last?.role === 'tool') this.arrived(last.results, caller, trace?.context)
    return trace ?? (parent && this.#desk.propagate ? new PassedOn(parent) : undefined)
  }

  #record(turn: TraceBeginning, traceId: string, parent: RemoteParent | undefined): RecordedTrace {
    const context = { traceId, spanId: newSpanId(), parentSpanId: parent?.spanId, state: parent?.state }
    return new RecordedTrace(turn, context, this.#desk)
  }

  /** `by`: the turn that brought the results. */
  arrived(results: readonly ToolResult[], caller: Caller, by?: TraceContext): void {
    for (const { result, wait } of this.#desk.waits.take(caller, results)) {
      const { name, since, traceId, spanId, traceState } = wait
      this.#desk.done({
        ...toolSpan({ callId: result.callId, name, isError: result.isError === true }),
        ...{ traceId, parentSpanId: spanId, traceState, start: since, end: Date.now() },
        links: by ? [{ traceId: by.traceId, spanId: by.spanId }] : [],
      })
    }
  }

  close(): Promise<void> {
    return this.#exporter.close()
  }
}

const nothing = () => undefined

/** An unsampled trace: upstreams still receive its context. */
class PassedOn implements TurnTrace {
  readonly #headers: Record<string, string>
  readonly see = undefined
  readonly failed = nothing
  readonly skipped = nothing
  readonly answering = nothing
  readonly called = nothing
  readonly ran = nothing
  readonly finish = nothing

  constructor({ traceId, spanId, state }: RemoteParent) {
    this.#headers = traceHeaders(traceId, spanId, { isSampled: false, state })
  }

  attempt(): Record<string, string> {
    return this.#headers
  }
}
