// Watches one turn from the request to its end: fills in what the upstream left out, and reports to log, metrics and
// usage file.

import type { GatewayError } from '../core/errors.ts'
import type { TurnEvent, Usage } from '../core/events.ts'
import type { Notes } from '../core/notes.ts'
import type { TurnTape } from '../tapes/watch.ts'
import { errorFields, type Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Scrubber } from './scrub.ts'
import type { UsageLog } from './usage-log.ts'

export interface Observing {
  log: Log
  metrics: Metrics
  scrubber: Scrubber
  usageLog: UsageLog | undefined
}

export interface TurnFacts {
  turnId: string
  key: string
  client: string | undefined
  door: string
  /** As the client named it. */
  model: string
  stream: boolean
  /** For an estimate when the upstream does not count. */
  inputCharacters: number
  notes: Notes
  /** Somebody watches the turn. */
  tape?: TurnTape | undefined
}

const charactersPerToken = 4

export class TurnObserver {
  readonly #facts: TurnFacts
  readonly #observing: Observing
  readonly #startedAt = performance.now()
  #firstAt: number | undefined
  #outputCharacters = 0
  #calls = 0
  #usage: Usage | undefined
  #outcome = 'interrupted'
  #error: GatewayError | undefined
  /** Where the turn runs, once that is known. */
  target: { backendName: string; model: string } | undefined
  /** How a session backend came to its run. */
  session: string | undefined
  /** Why it did not go on with the run that one would expect. */
  sessionWhy: string | undefined

  constructor(facts: TurnFacts, observing: Observing) {
    this.#facts = facts
    this.#observing = observing
  }

  /** Sees a batch on its way to the client, and gives it back: with usage where none came, with secrets removed. */
  see(events: readonly TurnEvent[]): readonly TurnEvent[] {
    let changed: TurnEvent[] | undefined
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as TurnEvent
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') this.#onOutput(event.delta.length)
      else if (event.type === 'tool-call-end') this.#onCall(event.input.length)
      else if (event.type === 'turn-end') {
        this.#usage = event.usage ?? this.#estimate()
        this.#outcome = event.reason
        if (!event.usage) changed = replaced(changed ?? events, at, { ...event, usage: this.#usage })
      } else if (event.type === 'turn-error') {
        const error = this.failed(event.error)
        if (error !== event.error) changed = replaced(changed ?? events, at, { type: 'turn-error', error })
      }
    }
    const seen = changed ?? events
    this.#facts.tape?.see(seen)
    return seen
  }

  /** One more piece of text, which is no event. */
  seePiece(piece: string): void {
    this.#outputCharacters += piece.length
    this.#facts.tape?.seePiece(piece)
  }

  /** The turn failed; gives the error as it may be shown. */
  failed(error: GatewayError): GatewayError {
    this.#error = error
    this.#outcome = error.code
    return this.#observing.scrubber.scrubError(error)
  }

  retried(error: GatewayError, backendName: string, next: string): void {
    const { log, metrics } = this.#observing
    if (next === 'give up') return
    log.warn('an upstream attempt failed', {
      turn: this.#facts.turnId,
      backend: backendName,
      next,
      ...errorFields(error),
    })
    metrics.count(
      'dragoman_attempts_failed_total',
      'Upstream attempts that failed before anything reached the client.',
      {
        backend: backendName,
        code: error.code,
        next,
      },
    )
  }

  /** Once for each request: the log has the opening and the closing alone. */
  skipped(labels: { backend: string; model: string }): void {
    this.#observing.metrics.count(
      'dragoman_breaker_refused_total',
      'Calls that were not made because the model had failed too often.',
      labels,
    )
  }

  finish(options: { clientGone: boolean }): void {
    const { turnId, key, client, door, model, stream, notes } = this.#facts
    const { log, metrics, usageLog } = this.#observing
    const outcome = options.clientGone ? 'canceled' : this.#outcome
    const milliseconds = Math.round(performance.now() - this.#startedAt)
    const backend = this.target?.backendName ?? 'none'
    // A turn that was cut off has used what was shown of it.
    const usage =
      this.#usage ?? (this.#outputCharacters > 0 ? this.#estimate() : { inputTokens: 0, outputTokens: 0 })
    metrics.count('dragoman_turns_total', 'Turns by key, backend, model and outcome.', {
      key,
      backend,
      model: this.target?.model ?? 'none',
      outcome,
    })
    metrics.count(
      'dragoman_tokens_total',
      'Tokens by key and direction.',
      { key, backend, direction: 'input' },
      usage.inputTokens,
    )
    metrics.count(
      'dragoman_tokens_total',
      'Tokens by key and direction.',
      { key, backend, direction: 'output' },
      usage.outputTokens,
    )
    metrics.observe('dragoman_turn_seconds', 'Whole turns.', { backend }, milliseconds / 1000)
    if (this.#firstAt !== undefined) {
      metrics.observe(
        'dragoman_first_output_seconds',
        'Time to the first output.',
        { backend },
        (this.#firstAt - this.#startedAt) / 1000,
      )
    }
    if (this.target) {
      usageLog?.add({
        time: new Date().toISOString(),
        turn: turnId,
        key,
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
    // What is undefined is left out by the log. One plain object: with parts that are there or not it takes several times longer.
    const fields: Record<string, unknown> = {
      turn: turnId,
      door,
      key,
      client,
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

  #onOutput(characters: number): void {
    this.#firstAt ??= performance.now()
    this.#outputCharacters += characters
  }

  #onCall(characters: number): void {
    this.#onOutput(characters)
    this.#calls++
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
