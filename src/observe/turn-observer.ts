// Observes one turn from the request to its end: adds missing usage, removes secrets, and reports to log, metrics, traces and usage
// file.

import { isoTime } from '../base/iso-time.ts'
import type { TextRepair } from '../core/backend.ts'
import type { GatewayError } from '../core/errors.ts'
import type { TurnEvent, Usage } from '../core/events.ts'
import type { Notes } from '../core/notes.ts'
import { repairOf } from '../core/repairs.ts'
import { errorFields, type Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Scrubber } from './scrub.ts'
import type { ToolRun, Tracer, TurnTrace } from './tracing.ts'
import type { UsageLog } from './usage-log.ts'

export interface Observing {
  log: Log
  metrics: Metrics
  scrubber: Scrubber
  usageLog: UsageLog | undefined
  tracer?: Tracer | undefined
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
  /** For an estimate if the upstream reports no usage. */
  inputCharacters: number
  notes: Notes
  /** The tape of this turn, if it has one. */
  tape?: ObservedTape | undefined
  trace?: TurnTrace | undefined
}

/** The part of a tape that the observer uses. */
interface ObservedTape {
  see(events: readonly TurnEvent[]): void
  add(frame: NoteFrame | FinishFrame): void
}

interface NoteFrame {
  side: 'gateway'
  do: 'note'
  text: string
}

interface FinishFrame {
  side: 'gateway'
  do: 'finish'
  outcome: string
  calls: number
  inputTokens: number
  outputTokens: number
  estimated?: true
  error?: { code: string; message: string }
}

interface Ended {
  outcome: string
  backend: string
  usage: Usage
  milliseconds: number
}

const charactersPerToken = 4

export class TurnObserver {
  readonly #facts: TurnFacts
  readonly #observing: Observing
  readonly #startedAt = performance.now()
  #firstAt: number | undefined
  #outputCharacters = 0
  #calls = 0
  #callsBegun = 0
  #usage: Usage | undefined
  #outcome = 'interrupted'
  #error: GatewayError | undefined
  /** The target of the turn, once it is known. */
  target: { backendName: string; model: string } | undefined
  /** How a session backend got its run: `live`, `resumed` or `fresh`. */
  session: string | undefined
  /** Why the turn did not continue an existing run. */
  sessionWhy: string | undefined

  constructor(facts: TurnFacts, observing: Observing) {
    this.#facts = facts
    this.#observing = observing
  }

  /** Takes a batch on its way to the client, and returns it with missing usage added and secrets removed. */
  see(events: readonly TurnEvent[]): readonly TurnEvent[] {
    this.#facts.trace?.see?.(events)
    let changed: TurnEvent[] | undefined
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as TurnEvent
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') this.#onOutput(event.delta.length)
      else if (event.type === 'tool-call-end') this.#onCall(event)
      else if (event.type === 'turn-end') {
        this.#usage = event.usage ?? this.#estimate()
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
  attempts(target: { backendName: string; model: string }): Record<string, string> | undefined {
    this.target = { backendName: target.backendName, model: target.model }
    return this.#facts.trace?.attempt(this.target)
  }

  retried(error: GatewayError, backendName: string, next: string): void {
    const { log, metrics } = this.#observing
    this.#facts.trace?.failed(error, next)
    if (next === 'give up') return
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
    const backend = this.target?.backendName ?? 'none'
    this.#observing.metrics.count('dragoman_tool_text_repairs_total', { backend, kind })
  }

  /** A tool call was checked. */
  checked(outcome: string): void {
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
    const { turnId, key, client, clientSession, door, model, stream, notes } = this.#facts
    const { log, usageLog } = this.#observing
    const outcome = options.clientGone ? 'canceled' : this.#outcome
    const milliseconds = Math.round(performance.now() - this.#startedAt)
    const backend = this.target?.backendName ?? 'none'
    // A cancelled turn has used what was shown of it.
    const usage =
      this.#usage ?? (this.#outputCharacters > 0 ? this.#estimate() : { inputTokens: 0, outputTokens: 0 })
    this.#count({ outcome, backend, usage, milliseconds })
    if (this.target) {
      usageLog?.add({
        time: isoTime(),
        turn: turnId,
        key,
        session: clientSession,
        model: `${backend}/${this.target.model}`,
        backend,
        outcome,
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        estimated: usage.estimated || undefined,
        milliseconds,
      })
    }
    this.#tellTape(outcome, usage)
    const failed = this.#error !== undefined && !options.clientGone
    // The log omits undefined fields. One plain object literal: conditional spreads take several times longer.
    const fields: Record<string, unknown> = {
      turn: turnId,
      door,
      key,
      client,
      clientSession,
      model,
      backend: this.target?.backendName,
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
      firstOutputMs: this.#firstAt === undefined ? undefined : Math.round(this.#firstAt - this.#startedAt),
      notes: notes.isEmpty ? undefined : notes.all,
    }
    if (failed) Object.assign(fields, errorFields(this.#error))
    log[failed && this.#error?.code === 'internal' ? 'error' : failed ? 'warn' : 'info']('turn', fields)
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

  #tellTape(outcome: string, { inputTokens, outputTokens, estimated }: Usage): void {
    const { tape, notes } = this.#facts
    if (!tape) return
    for (const text of notes.all) tape.add({ side: 'gateway', do: 'note', text })
    const error = this.#error && this.#observing.scrubber.scrubError(this.#error)
    tape.add({
      ...{ side: 'gateway', do: 'finish', outcome, calls: this.#calls, inputTokens, outputTokens },
      ...(estimated ? { estimated: true } : {}),
      ...(error ? { error: { code: error.code, message: error.message } } : {}),
    })
  }

  #count({ outcome, backend, usage, milliseconds }: Ended): void {
    const { key, notes } = this.#facts
    const { metrics } = this.#observing
    const { cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
    metrics.count('dragoman_turns_total', { key, backend, model: this.target?.model ?? 'none', outcome })
    metrics.count('dragoman_tokens_total', { key, backend, direction: 'input' }, usage.inputTokens)
    metrics.count('dragoman_tokens_total', { key, backend, direction: 'output' }, usage.outputTokens)
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
    this.#facts.trace?.called(callId, name)
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
