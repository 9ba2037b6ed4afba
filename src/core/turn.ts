// Turn and pump. Turn guarantees exactly one terminal event; the pump writes a turn's batches to a sink with back-pressure, one write
// per batch, which is one upstream read.

import { GatewayError } from './errors.ts'
import { isTerminal, isVisibleOutput, type TurnEvent } from './events.ts'
import type { TakeTextDelta, TextDeltaSource } from './fast-path.ts'
import { costOf, HeldEvents } from './held-events.ts'
import type { Sink } from './sink.ts'
import { TurnBudget } from './turn-budget.ts'

/** Batches by callback: synchronous where possible, because a promise costs more than the batch itself. */
export interface PulledBatches extends AsyncIterator<TurnEvent[]> {
  /** Like `next`: calls exactly one of the two, synchronously or later. */
  pull(give: (result: IteratorResult<TurnEvent[]>) => void, refuse: (error: unknown) => void): void
}

const canPull = (batches: AsyncIterator<TurnEvent[]>): batches is PulledBatches => 'pull' in batches

const hasFastPath = (batches: object): batches is TextDeltaSource => 'offerTextDeltas' in batches

/** Batches with exactly one terminal event at the end: failures become a `turn-error`. */
export class Turn implements TextDeltaSource {
  readonly #batches: AsyncIterator<TurnEvent[]>
  readonly #held: TurnEvent[][] = []
  /** The number of held batches that were returned. Removing them from the front would move all others each time. */
  #given = 0
  #ended = false
  #give: (batch: TurnEvent[] | undefined) => void = () => undefined
  readonly #budget: TurnBudget
  /** The cost of the held batches in the budget. */
  #heldCost = 0

  constructor(batches: AsyncIterable<TurnEvent[]>, budget = new TurnBudget()) {
    this.#batches = batches[Symbol.asyncIterator]()
    this.#budget = budget
  }

  /** Like `next`, by callback: synchronous if a batch is there. */
  pull(give: (batch: TurnEvent[] | undefined) => void): void {
    const batches = this.#batches
    if (this.#given < this.#held.length || this.#ended) return give(this.#takeHeld())
    if (!canPull(batches)) return void this.next().then(give)
    this.#give = give
    batches.pull(this.#onPulled, this.#onRefused)
  }

  offerTextDeltas(take: TakeTextDelta): void {
    if (hasFastPath(this.#batches)) this.#batches.offerTextDeltas(take)
  }

  readonly #onPulled = (result: IteratorResult<TurnEvent[]>): void => {
    const batch = this.#onResult(result)
    if (batch.length > 0) this.#give(batch)
    else this.pull(this.#give)
  }

  readonly #onRefused = (error: unknown): void => this.#give(this.#onFailure(error))

  /** The batch with the terminal event was returned. */
  get over(): boolean {
    return this.#ended && this.#given === this.#held.length
  }

  /** The next batch, never empty; undefined after the terminal event. Never rejects. */
  next(): Promise<TurnEvent[] | undefined> {
    const held = this.#takeHeld()
    if (held || this.#ended) return Promise.resolve(held)
    return this.#batches.next().then(this.#onNext, this.#onFailure)
  }

  #takeHeld(): TurnEvent[] | undefined {
    const held = this.#held[this.#given]
    if (held) this.#held[this.#given++] = []
    if (this.#heldCost > 0 && this.#given === this.#held.length) this.#refund()
    return held
  }

  readonly #onNext = (result: IteratorResult<TurnEvent[]>) => {
    const batch = this.#onResult(result)
    return batch.length > 0 ? batch : this.next()
  }

  /**
   * Reads up to the first visible output, or with `whole` to the end. Throws an error before that: nothing has reached the client,
   * so the error can still become an HTTP status, or another backend can answer.
   */
  async open(whole = false): Promise<void> {
    const all = whole ? new HeldEvents() : undefined
    while (!this.#ended) {
      const batch = await this.#read()
      this.#hold(batch, all)
      if (!whole && batch.some(isVisibleOutput)) return
      const last = batch.at(-1)
      if (last?.type === 'turn-error') throw last.error
    }
    if (all) this.#held.push(all.take())
  }

  #hold(batch: TurnEvent[], all: HeldEvents | undefined): void {
    try {
      let cost = 0
      if (all) cost = all.push(batch)
      else for (const event of batch) cost += costOf(event)
      this.#heldCost += cost
      this.#budget.spend(cost)
      if (!all && batch.length > 0) this.#held.push(batch)
    } catch (error) {
      this.stop()
      throw error
    }
  }

  /** Ends the turn early, without a terminal event. */
  stop(): void {
    this.#given = this.#held.length
    this.#refund()
    this.#end([])
  }

  #refund(): void {
    this.#budget.refund(this.#heldCost)
    this.#heldCost = 0
  }

  #read(): Promise<TurnEvent[]> {
    return this.#batches.next().then(this.#onResult, this.#onFailure)
  }

  readonly #onResult = ({ done, value }: IteratorResult<TurnEvent[]>): TurnEvent[] => {
    if (done)
      return this.#end([
        {
          type: 'turn-error',
          error: new GatewayError('upstream-protocol', 'The backend ended without ending the turn.'),
        },
      ])
    for (let at = 0; at < value.length; at++)
      // Events after the terminal one are not part of the turn.
      if (isTerminal(value[at] as TurnEvent)) return this.#end(value.slice(0, at + 1))
    return value
  }

  readonly #onFailure = (error: unknown): TurnEvent[] =>
    this.#end([{ type: 'turn-error', error: GatewayError.from(error) }])

  #end(batch: TurnEvent[]): TurnEvent[] {
    this.#ended = true
    void this.#batches.return?.().catch(() => undefined)
    return batch
  }
}

interface PumpOptions {
  turn: Turn
  /** The wire text of the events; may be empty. */
  write(events: readonly TurnEvent[]): string
  /** After the last text: what follows it in a write of its own. */
  parting?(): string | undefined
  sink: Sink
}

/** So long that the client reads what was written before. */
const partingMs = 30

/** Ends an answer. `parting` reaches the client in a read of its own. */
export function endApart(sink: Sink, text: string, parting: string | undefined): Promise<void> {
  if (parting === undefined) {
    sink.end(text)
    return sink.isBehind ? sink.drained() : Promise.resolve()
  }
  sink.write(text)
  return sink
    .drained()
    .then(() => new Promise<void>((resolve) => setTimeout(resolve, partingMs)))
    .then(() => sink.end(parting))
}

/** Writes an opened turn to its end. The sink must have been started. */
export function pump({ turn, write, parting, sink }: PumpOptions): Promise<void> {
  /** A writer that exceeds its memory budget ends the turn. */
  const writeOrFail = (batch: TurnEvent[]) => {
    try {
      return write(batch)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      turn.stop()
      return write([{ type: 'turn-error', error }])
    }
  }
  return new Promise((resolve, reject) => {
    let isPulling = false
    let again = false
    // A loop instead of recursion: batches that are there already call back synchronously.
    const next = () => {
      again = true
      if (isPulling) return
      isPulling = true
      while (again) {
        again = false
        turn.pull(onBatch)
      }
      isPulling = false
    }
    const onBatch = (batch: TurnEvent[] | undefined) => {
      try {
        const text = batch === undefined ? '' : writeOrFail(batch)
        if (turn.over) {
          endApart(sink, text, parting?.()).then(resolve, reject)
        } else if (text === '' || sink.write(text)) next()
        else sink.drained().then(next)
      } catch (error) {
        reject(error)
      }
    }
    next()
  })
}
