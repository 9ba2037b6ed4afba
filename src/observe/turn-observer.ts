// Observes one turn from the request to its end: adds missing usage, removes secrets, and reports to log, metrics, traces and usage
// file.

import { isoTime } from '../base/iso-time.ts'
import type { TextRepair } from '../core/backend.ts'
import type { KnownCall } from '../core/call-key.ts'
import type { GatewayError } from '../core/errors.ts'
import type { TurnEvent, Usage } from '../core/events.ts'
import type { Notes } from '../core/notes.ts'
import { repairOf } from '../core/repairs.ts'
import type { Message } from '../core/request.ts'
import { errorFields, type Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Scrubber } from './scrub.ts'
import type { ToolRun, Tracer, TurnTrace } from './tracing.ts'
import type { FiguresKeeper, TurnFigures } from './turn-figures.ts'
import { type ObservedTape, tellTape } from './turn-tape.ts'
import type { UsageLog } from './usage-log.ts'

export interface Observing {
  log: Log
  metrics: Metrics
  scrubber: Scrubber
  usageLog: UsageLog | undefined
  tracer?: Tracer | undefined
  /** The figures of the last hour; undefined without the inspector, which shows them. */
  figures?: FiguresKeeper | undefined
}

interface TurnFacts {
  turnId: string
  key: string
  client: string | undefined
  /** The session that the client names. */
  clientSession?: string | undefined
  door: string
  /** The model of the request. */
  model: string
  stream: boolean
  messages: readonly Message[]
  /** The basis of an estimate if the upstream reports no usage. */
  inputCharacters: number
  notes: Notes
  /** The tape of this turn, if it has one. */
  tape?: ObservedTape | undefined
  trace?: TurnTrace | undefined
}

type ObservedTarget = { backendName: string; model: string }

interface Ended {
  outcome: string
  backend: string
  usage: Usage
  milliseconds: number
}

interface LoggedEnd {
  outcome: string
  usage: Usage
  milliseconds: number
  firstOutputMs: number | undefined
  failed: boolean
}

const charactersPerToken = 4

export class TurnObserver {
  readonly #facts: TurnFacts
  readonly #observing: Observing
  readonly #figures: TurnFigures | undefined
  readonly #startedAt = performance.now()
  #firstAt: number | undefined
  #outputCharacters = 0
  #calls = 0
  #callsBegun = 0
  #usage: Usage | undefined
  #outcome = 'interrupted'
  #error: GatewayError | undefined
  /** The target of the turn, once it is known. */
  target: ObservedTarget | undefined
  /** How a session backend got its run: `live`, `resumed` or `fresh`. */
  session: string | undefined
  /** Why the turn did not continue an existing run. */
  sessionWhy: string | undefined
  /** The account that was used, if the backend has several. */
  account: string | undefined

  /** Gets each tool call, with the target that made the call. */
  onCall: ((call: KnownCall, target: ObservedTarget) => void) | undefined

  constructor(facts: TurnFacts, observing: Observing) {
    this.#facts = facts
    this.#observing = observing
    this.#figures = observing.figures?.begin(facts)
  }

  /** Takes a batch on its way to the client. Returns the batch with missing usage added, and with secrets removed from errors. */
  see(events: readonly TurnEvent[]): readonly TurnEvent[] {
    this.#facts.trace?.see?.(events)
    let changed: TurnEvent[] | undefined
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as TurnEvent
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') this.#onOutput(event.delta.length)
      else if (event.type === 'tool-call-end') this.#onCall(event)
      else if (event.type === 'turn-end') {
        this.#usage = event.spent ?? event.usage ?? this.#estimate()
        this.#outcome = event.reason
        if (!event.usage) changed = replaced(changed ?? events, at, { ...event, usage: this.#usage })
      } else if (event.type === 'turn-error') {
        const error = this.failed(event.error)
        if (error !== event.error) changed = replaced(changed ?? events, at, { type: 'turn-error', error })
      } else if (event.type === 'tool-call-start') this.#callsBegun++
      else if (event.type === 'turn-start') this.#facts.trace?.answering(event.model)
    }
    const seen = changed ?? events
    this.#facts.tape?.see(seen)
    return seen
  }

  /** A text delta on the fast path. */
  onTextDelta(text: string): void {
    this.#outputCharacters += text.length
    this.#facts.trace?.see?.([{ type: 'text-delta', block: 0, delta: text }])
  }

  /** The last failure, also one inside the stream. */
  get error(): GatewayError | undefined {
    return this.#error
  }

  /** The turn failed; returns the error with secrets removed. */
  failed(error: GatewayError): GatewayError {
    this.#error = error
    this.#outcome = error.code
    return this.#observing.scrubber.scrubError(error)
  }

  /** An attempt begins; returns the headers to send upstream. */
  attempts(target: ObservedTarget): Record<string, string> | undefined {
    this.target = { backendName: target.backendName, model: target.model }
    return this.#facts.trace?.attempt(this.target)
  }

  retried(error: GatewayError, backendName: string, next: string): void {
    const { log, metrics } = this.#observing
    this.#facts.trace?.failed(error, next)
    if (next === 'give up') return
    this.#figures?.failedAttempt(next)
    log.warn('an upstream attempt failed', {
      turn: this.#facts.turnId,
      backend: backendName,
      next,
      ...errorFields(error),
    })
    metrics.count('dragoman_attempts_failed_total', { backend: backendName, code: error.code, next })
  }

  /** Counted for each request; the log has only the opening and closing of the breaker. */
  skipped(labels: { backend: string; model: string }): void {
    this.#observing.metrics.count('dragoman_breaker_refused_total', labels)
    this.#facts.trace?.skipped(labels)
  }

  /** The model was asked again for a call. */
  hasAskedAgain = false

  /** A tool call in text was malformed. */
  repaired(kind: TextRepair): void {
    this.hasAskedAgain ||= kind === 'asked-again'
    this.#figures?.repaired(`text-${kind}`)
    const backend = this.target?.backendName ?? 'none'
    this.#observing.metrics.count('dragoman_tool_text_repairs_total', { backend, kind })
  }

  /** The model is asked again for a call that does not fit. */
  askedAgain(): void {
    this.hasAskedAgain = true
    this.checked('retried')
  }

  /** A tool call was checked. */
  checked(outcome: string): void {
    if (outcome !== 'fits' && outcome !== 'unchecked') this.#figures?.repaired(`call-${outcome}`)
    const backend = this.target?.backendName ?? 'none'
    this.#observing.metrics.count('dragoman_call_checks_total', { backend, outcome })
  }

  ran(run: ToolRun): void {
    this.#facts.trace?.ran(run)
  }

  keptAlive(): void {
    this.#observing.metrics.count('dragoman_keep_alives_total', { door: this.#facts.door })
  }

  finish(options: { clientGone: boolean }): void {
    const { turnId, key, client, clientSession, notes } = this.#facts
    const { usageLog } = this.#observing
    const outcome = options.clientGone ? 'canceled' : this.#outcome
    const milliseconds = Math.round(performance.now() - this.#startedAt)
    const backend = this.target?.backendName ?? 'none'
    // A canceled turn has no usage of its own: its output so far is the basis of an estimate.
    const usage =
      this.#usage ?? (this.#outputCharacters > 0 ? this.#estimate() : { inputTokens: 0, outputTokens: 0 })
    this.#count({ outcome, backend, usage, milliseconds })
    if (this.target) {
      usageLog?.add({
        time: isoTime(),
        turn: turnId,
        key,
        client,
        session: clientSession,
        model: `${backend}/${this.target.model}`,
        backend,
        outcome,
        calls: this.#calls,
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        cacheReadTokens: usage.cacheReadTokens,
        cacheWriteTokens: usage.cacheWriteTokens,
        reasoningTokens: usage.reasoningTokens,
        estimated: usage.estimated || undefined,
        milliseconds,
      })
    }
    if (this.#facts.tape) {
      const error = this.#error && this.#observing.scrubber.scrubError(this.#error)
      tellTape(this.#facts.tape, { outcome, calls: this.#calls, usage, notes: notes.all, error })
    }
    const failed = this.#error !== undefined && !options.clientGone
    const firstOutputMs =
      this.#firstAt === undefined ? undefined : Math.round(this.#firstAt - this.#startedAt)
    this.#figures?.end({
      outcome,
      target: this.target,
      usage,
      milliseconds,
      firstOutputMs,
      session: this.session,
      error: failed ? this.#error?.code : undefined,
      notes: notes.all,
    })
    this.#log({ outcome, usage, milliseconds, firstOutputMs, failed })
    this.#facts.trace?.finish({
      outcome,
      error: failed ? this.#error : undefined,
      usage,
      firstOutputAt: this.#firstAt,
      calls: this.#calls,
      session: this.session,
      notes: notes.isEmpty ? [] : notes.all,
    })
  }

  #log({ outcome, usage, milliseconds, firstOutputMs, failed }: LoggedEnd): void {
    const { turnId, key, client, clientSession, door, model, stream, notes } = this.#facts
    const { log } = this.#observing
    // The log omits undefined fields. One plain object literal: conditional spreads take several times longer.
    const fields: Record<string, unknown> = {
      turn: turnId,
      door,
      key,
      client,
      clientSession,
      model,
      backend: this.target?.backendName,
      account: this.account,
      upstreamModel: this.target?.model,
      session: this.session,
      sessionWhy: this.sessionWhy,
      stream,
      outcome,
      calls: this.#calls,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheReadTokens: usage.cacheReadTokens,
      cacheWriteTokens: usage.cacheWriteTokens,
      reasoningTokens: usage.reasoningTokens,
      estimated: usage.estimated,
      milliseconds,
      firstOutputMs,
      notes: notes.isEmpty ? undefined : notes.all,
    }
    if (failed) Object.assign(fields, errorFields(this.#error))
    log[failed && this.#error?.code === 'internal' ? 'error' : failed ? 'warn' : 'info']('turn', fields)
  }

  #count({ outcome, backend, usage, milliseconds }: Ended): void {
    const { key, notes } = this.#facts
    const { metrics } = this.#observing
    const { cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
    const model = this.target?.model ?? 'none'
    metrics.count('dragoman_turns_total', { key, backend, model, outcome })
    this.#countTokens({ key, backend, model, direction: 'input' }, usage.inputTokens)
    this.#countTokens({ key, backend, model, direction: 'output' }, usage.outputTokens)
    if (cacheReadTokens > 0)
      metrics.count('dragoman_cache_tokens_total', { backend, direction: 'read' }, cacheReadTokens)
    if (cacheWriteTokens > 0)
      metrics.count('dragoman_cache_tokens_total', { backend, direction: 'write' }, cacheWriteTokens)
    metrics.observe('dragoman_turn_seconds', { backend }, milliseconds / 1000)
    if (this.#firstAt !== undefined) {
      const seconds = (this.#firstAt - this.#startedAt) / 1000
      metrics.observe('dragoman_first_output_seconds', { backend }, seconds)
    }
    const cut = this.#callsBegun - this.#calls
    if (this.#calls > 0)
      metrics.count('dragoman_tool_calls_total', { backend, outcome: 'complete' }, this.#calls)
    if (cut > 0) metrics.count('dragoman_tool_calls_total', { backend, outcome: 'cut' }, cut)
    if (this.session !== undefined)
      metrics.count('dragoman_session_turns_total', { backend, state: this.session })
    if (!notes.isEmpty) this.#countNotes(backend)
  }

  /** A model without tokens gets no series: the client may have invented its name. */
  #countTokens(labels: Record<'key' | 'backend' | 'model' | 'direction', string>, tokens: number): void {
    if (tokens > 0) this.#observing.metrics.count('dragoman_tokens_total', labels, tokens)
  }

  #countNotes(backend: string): void {
    const { metrics } = this.#observing
    const notes = this.#facts.notes.all
    metrics.count('dragoman_notes_total', { backend }, notes.length)
    for (const kind of new Set(notes.map(repairOf)))
      if (kind !== undefined) metrics.count('dragoman_answer_repairs_total', { backend, kind })
  }

  #onOutput(characters: number): void {
    this.#firstAt ??= performance.now()
    this.#outputCharacters += characters
  }

  #onCall({ callId, name, input }: { callId: string; name: string; input: string }): void {
    this.#onOutput(input.length)
    this.#calls++
    this.#figures?.called(callId, name)
    this.#facts.trace?.called(callId, name)
    if (this.target) this.onCall?.({ callId, name, input }, this.target)
  }

  #estimate(): Usage {
    const tokens = (characters: number) => Math.ceil(characters / charactersPerToken)
    return {
      inputTokens: tokens(this.#facts.inputCharacters),
      outputTokens: tokens(this.#outputCharacters),
      estimated: true,
    }
  }
}

function replaced(events: readonly TurnEvent[], at: number, event: TurnEvent): TurnEvent[] {
  const copy = [...events]
  copy[at] = event
  return copy
}
