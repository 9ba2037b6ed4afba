// The spans of one turn: the turn as the client sees it, and a child span for each upstream attempt.

import { longestRemembered, TurnCollector } from '../../core/collect.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { Usage } from '../../core/events.ts'
import { sessionOf, sessionOfResults } from '../../core/session-id.ts'
import type { ToolRun, TraceBeginning, TraceEnd, TurnTrace } from '../tracing.ts'
import { events, names } from './attributes.ts'
import type { Places } from './backend-places.ts'
import { contentOf } from './content.ts'
import { finishReason } from './finish-reason.ts'
import { type Attributes, type Span, type SpanEvent, spanKinds } from './span.ts'
import { toolSpan } from './tool-span.ts'
import type { ToolWaits } from './tool-waits.ts'
import { newSpanId, traceHeaders } from './trace-context.ts'

/** Shared by all turns. */
export interface TraceDesk {
  places: Places
  waits: ToolWaits
  content: boolean
  propagate: boolean
  scrub(text: string): string
  done(span: Span): void
}

export interface TraceContext {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  state: string | undefined
}

interface Attempt {
  spanId: string
  backendName: string
  model: string
  startedAt: number
  responseModel: string | undefined
}

interface AttemptEnd {
  error?: GatewayError
  attributes?: Attributes
  endedAt?: number
}

/** The limit of events per span. */
const mostEvents = 32

export class RecordedTrace implements TurnTrace {
  readonly context: TraceContext
  readonly #turn: TraceBeginning
  readonly #desk: TraceDesk
  readonly #startedAt = performance.now()
  /** Converts the clock of `performance` to the wall clock, as of the start of the turn. */
  readonly #epoch = Date.now() - performance.now()
  readonly #events: SpanEvent[] = []
  readonly #answer: TurnCollector | undefined
  readonly see: TurnTrace['see']
  #attempt: Attempt | undefined
  #attempts = 0
  /** Several attempts succeeded, and the answer joins their output. */
  #isJoined = false
  #target: { backendName: string; responseModel: string | undefined } | undefined
  #conversation: string | undefined

  constructor(turn: TraceBeginning, context: TraceContext, desk: TraceDesk) {
    this.#turn = turn
    this.context = context
    this.#desk = desk
    this.#conversation = sessionOfResults(turn.request.messages)
    const answer = desk.content ? new TurnCollector({ maxLength: longestRemembered }) : undefined
    this.#answer = answer
    this.see = answer && ((batch) => answer.push(batch))
  }

  attempt({ backendName, model }: { backendName: string; model: string }) {
    if (this.#attempt) this.#isJoined = true
    this.#endAttempt({})
    const spanId = newSpanId()
    this.#attempt = { spanId, backendName, model, startedAt: performance.now(), responseModel: undefined }
    this.#attempts++
    const { traceId, state } = this.context
    return this.#desk.propagate ? traceHeaders(traceId, spanId, { isSampled: true, state }) : undefined
  }

  failed(error: GatewayError, next: string): void {
    this.#endAttempt({ error, attributes: [[names.next, next]] })
  }

  skipped({ backend, model }: { backend: string; model: string }): void {
    this.#addEvent(events.skipped, performance.now(), [
      [names.backend, backend],
      [names.requestModel, model],
    ])
  }

  answering(model: string): void {
    if (this.#attempt) this.#attempt.responseModel ??= model
  }

  called(callId: string, name: string): void {
    const { traceId, spanId, state: traceState } = this.context
    const since = this.#epoch + performance.now()
    this.#conversation ??= sessionOf(callId)
    this.#desk.waits.add(this.#turn.caller, callId, { name, since, traceId, spanId, traceState })
  }

  ran({ callId, name, startedAt, isError }: ToolRun): void {
    // The attempt ends here; the tool run is not part of it.
    if (this.#attempt) this.#isJoined = true
    this.#endAttempt({ endedAt: startedAt })
    const { traceId, spanId: parentSpanId, state: traceState } = this.context
    this.#desk.done({
      ...toolSpan({ callId, name, isError }),
      ...{ traceId, parentSpanId, traceState, links: [] },
      ...{ start: this.#epoch + startedAt, end: this.#epoch + performance.now() },
    })
  }

  finish(end: TraceEnd): void {
    const { turnId, caller, client, door, model, request } = this.#turn
    const { error, outcome, firstOutputAt } = end
    this.#endAttempt({
      ...(error ? { error } : {}),
      attributes: [...answerAttributes(end, this.#isJoined), ...this.#firstChunk(firstOutputAt)],
    })
    // After the span of the attempt, which contains it.
    const now = performance.now()
    if (firstOutputAt !== undefined) this.#addEvent(events.firstOutput, firstOutputAt, [])
    for (const note of end.notes) this.#addEvent(events.note, now, [[names.note, note]])
    const place = this.#target && this.#desk.places.get(this.#target.backendName)
    this.#done({
      spanId: this.context.spanId,
      parentSpanId: this.context.parentSpanId,
      name: `chat ${model}`,
      kind: spanKinds.server,
      startedAt: this.#startedAt,
      endedAt: now,
      error,
      attributes: [
        [names.operation, 'chat'],
        [names.provider, place?.provider ?? 'dragoman'],
        [names.requestModel, model],
        [names.responseModel, this.#target?.responseModel],
        [names.stream, request.stream || undefined],
        [names.outputType, request.responseFormat && 'json'],
        [names.maxTokens, request.maxOutputTokens],
        [names.temperature, double(request.temperature)],
        [names.topP, double(request.topP)],
        [names.topK, double(request.topK)],
        [names.conversation, this.#conversation],
        ...answerAttributes(end),
        [names.turn, turnId],
        [names.key, caller.key],
        [names.client, client],
        [names.door, door],
        [names.backend, this.#target?.backendName],
        [names.session, end.session],
        [names.outcome, outcome],
        [names.attempts, this.#attempts],
        [names.toolCalls, end.calls],
        [names.errorType, error?.code],
        ...this.#content(),
      ],
      events: this.#events,
    })
  }

  #endAttempt({ error, attributes = [], endedAt = performance.now() }: AttemptEnd): void {
    const attempt = this.#attempt
    if (!attempt) return
    this.#attempt = undefined
    const { spanId, backendName, model, startedAt, responseModel } = attempt
    const place = this.#desk.places.get(backendName)
    this.#target = { backendName, responseModel }
    this.#done({
      spanId,
      parentSpanId: this.context.spanId,
      name: `chat ${model}`,
      kind: spanKinds.client,
      startedAt,
      endedAt,
      error,
      events: [],
      attributes: [
        [names.operation, 'chat'],
        [names.provider, place?.provider],
        [names.requestModel, model],
        [names.responseModel, responseModel],
        [names.stream, this.#turn.request.stream || undefined],
        [names.serverAddress, place?.address],
        [names.serverPort, place?.port],
        [names.backend, backendName],
        [names.attempt, this.#attempts],
        ...attributes,
        [names.errorType, error?.code],
        [names.httpStatus, error?.upstream?.status],
      ],
    })
  }

  /** Plain object literals: spreads take several times as long. */
  #done({ spanId, parentSpanId, name, kind, startedAt, endedAt, attributes, events, error }: Finished): void {
    const { traceId, state } = this.context
    this.#desk.done({
      traceId,
      spanId,
      parentSpanId,
      hasRemoteParent: kind === spanKinds.server && parentSpanId !== undefined,
      traceState: state,
      name,
      kind,
      start: this.#epoch + startedAt,
      end: this.#epoch + endedAt,
      attributes,
      events: events.slice(0, mostEvents),
      droppedEvents: Math.max(0, events.length - mostEvents),
      links: [],
      // Error messages of upstreams may quote the request.
      error: error && { message: this.#desk.content ? error.message : undefined },
    })
  }

  #firstChunk(firstOutputAt: number | undefined): Attributes {
    const { request } = this.#turn
    const attempt = this.#attempt
    if (!request.stream || !attempt || firstOutputAt === undefined || this.#isJoined) return []
    return [[names.firstChunk, { double: Math.max(0, firstOutputAt - attempt.startedAt) / 1000 }]]
  }

  #addEvent(name: string, at: number, attributes: Attributes): void {
    this.#events.push({ name, at: this.#epoch + at, attributes })
  }

  #content(): Attributes {
    const answer = this.#answer
    if (!answer) return []
    const { parts, reason } = answer.turn
    const told = answer.error ? { parts, reason: 'error' } : { parts, reason }
    return contentOf(this.#turn.request, answer.tooLong ? undefined : told, this.#desk.scrub)
  }
}

interface Finished extends Pick<Span, 'spanId' | 'parentSpanId' | 'name' | 'kind' | 'attributes' | 'events'> {
  startedAt: number
  endedAt: number
  error: GatewayError | undefined
}

const double = (value: number | undefined) => (value === undefined ? undefined : { double: value })

/** The finish reason, if a model ended the answer, and the usage. For a joined answer, the parts are unknown. */
function answerAttributes({ outcome, error, usage }: TraceEnd, isJoined = false): Attributes {
  const isAnswered = !error && outcome !== 'canceled' && outcome !== 'interrupted'
  return [
    [names.finishReasons, isAnswered ? [finishReason(outcome)] : undefined],
    ...(isJoined ? [] : usageAttributes(usage)),
  ]
}

function usageAttributes(usage: Usage): Attributes {
  if (usage.inputTokens + usage.outputTokens === 0) return []
  return [
    [names.inputTokens, usage.inputTokens],
    [names.outputTokens, usage.outputTokens],
    [names.cacheReadTokens, usage.cacheReadTokens],
    [names.cacheWriteTokens, usage.cacheWriteTokens],
    [names.reasoningTokens, usage.reasoningTokens],
    [names.estimated, usage.estimated],
  ]
}
