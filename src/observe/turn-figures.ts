// Collects what the figures need of one turn. Nothing of it runs for a delta.

import type { Usage } from '../core/events.ts'
import { repairOf } from '../core/repairs.ts'
import type { Message } from '../core/request.ts'
import { costOf } from './cost.ts'
import type { Figures } from './figures.ts'
import type { Prices } from './prices.ts'

export class FiguresKeeper {
  readonly figures: Figures
  readonly prices: Prices

  constructor(figures: Figures, prices: Prices) {
    this.figures = figures
    this.prices = prices
  }

  begin(turn: BegunTurn): TurnFigures {
    return new TurnFigures(this, turn)
  }
}

interface BegunTurn {
  key: string
  client: string | undefined
  messages: readonly Message[]
}

interface EndedTurn {
  outcome: string
  error: string | undefined
  target: { backendName: string; model: string } | undefined
  usage: Usage
  milliseconds: number
  firstOutputMs: number | undefined
  session: string | undefined
  notes: readonly string[]
}

export class TurnFigures {
  readonly #keeper: FiguresKeeper
  readonly #key: string
  readonly #client: string | undefined
  readonly #results: { toolMs: number | undefined } | undefined
  readonly #tools: string[] = []
  readonly #callIds: string[] = []
  readonly #repairs: string[] = []
  #retries = 0
  #fallbacks = 0

  constructor(keeper: FiguresKeeper, { key, client, messages }: BegunTurn) {
    this.#keeper = keeper
    this.#key = key
    this.#client = client
    const answered = answeredCalls(messages)
    this.#results = answered && { toolMs: keeper.figures.toolMs(key, answered) }
  }

  called(callId: string, name: string): void {
    this.#callIds.push(callId)
    this.#tools.push(name)
  }

  failedAttempt(next: string): void {
    if (next === 'fallback') this.#fallbacks++
    else this.#retries++
  }

  repaired(kind: string): void {
    this.#repairs.push(kind)
  }

  /** One plain object literal: spreads take several times longer, and every turn ends here. */
  end({ outcome, error, target, usage, notes, milliseconds, firstOutputMs, session }: EndedTurn): void {
    const { figures, prices } = this.#keeper
    const price = target && prices.of({ backend: target.backendName, model: target.model })
    figures.add({
      key: this.#key,
      client: this.#client,
      backend: target?.backendName,
      model: target?.model,
      outcome,
      error,
      tools: this.#tools,
      callIds: outcome === 'tool-calls' ? this.#callIds : none,
      // What reached no service costs nothing, and is no gap in a sum.
      cost: prices.areOff || !target ? undefined : costOf(usage, price),
      results: this.#results,
      retries: this.#retries,
      fallbacks: this.#fallbacks,
      repairs: notes.length === 0 ? this.#repairs : [...this.#repairs, ...repairsIn(notes)],
      milliseconds,
      firstOutputMs,
      session,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheReadTokens: usage.cacheReadTokens,
      cacheWriteTokens: usage.cacheWriteTokens,
      reasoningTokens: usage.reasoningTokens,
      estimated: usage.estimated,
    })
  }
}

const none: readonly string[] = []

const repairsIn = (notes: readonly string[]) => new Set(notes.flatMap((note) => repairOf(note) ?? []))

/** The calls that a request has results of. */
function answeredCalls(messages: readonly Message[]): string[] | undefined {
  const last = messages.findLast(({ role }) => role === 'tool' || role === 'assistant')
  return last?.role === 'tool' ? last.results.map(({ callId }) => callId) : undefined
}
