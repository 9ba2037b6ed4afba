// One attempt with one account of a pool: chooses it with the first read, passes the batches on as they are, and reports the outcome
// once. The fast path for text stays open.

import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TakeTextDelta, TextDeltaSource } from '../../core/fast-path.ts'
import type { AccountPool } from '../../core/pool/account-pool.ts'
import type { Taken } from '../../core/pool/pool-parts.ts'
import type { PulledBatches } from '../../core/turn.ts'

type Give = (result: IteratorResult<TurnEvent[]>) => void
type CallEnd = Extract<TurnEvent, { type: 'tool-call-end' }>

interface AccountTurnOptions {
  pool: AccountPool
  choose(): Promise<Taken>
  run(account: string): AsyncIterable<TurnEvent[]>
  /** The key of a call of the answer. */
  keyOf(call: CallEnd): string
  /** The client has left: a failure says nothing. */
  isAborted(): boolean
}

const over: IteratorResult<TurnEvent[]> = { done: true, value: undefined }

export class AccountTurn implements PulledBatches, TextDeltaSource, AsyncIterableIterator<TurnEvent[]> {
  readonly #options: AccountTurnOptions
  #taken: Taken | undefined
  #batches: AsyncIterator<TurnEvent[]> | undefined
  #isOver = false
  #hasReasoned = false
  #calls = 0
  #take: TakeTextDelta | undefined

  constructor(options: AccountTurnOptions) {
    this.#options = options
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<TurnEvent[]>> {
    return new Promise((resolve, reject) => this.pull(resolve, reject))
  }

  pull(give: Give, refuse: (error: unknown) => void): void {
    const batches = this.#batches
    if (!batches) return void this.#begin().then(() => this.#read(give, refuse), refuse)
    this.#read(give, refuse)
  }

  offerTextDeltas(take: TakeTextDelta): void {
    this.#take = take
    if (this.#batches && 'offerTextDeltas' in this.#batches)
      (this.#batches as unknown as TextDeltaSource).offerTextDeltas(take)
  }

  async return(): Promise<IteratorResult<TurnEvent[]>> {
    this.#settle()
    await this.#batches?.return?.()
    return over
  }

  async #begin(): Promise<void> {
    if (this.#isOver) return
    const taken = await this.#options.choose()
    this.#taken = taken
    // Given up while it waited for an account.
    if (this.#isOver) return this.#options.pool.release(taken)
    try {
      this.#batches = this.#options.run(taken.account)[Symbol.asyncIterator]()
    } catch (error) {
      this.#settle(GatewayError.from(error))
      throw error
    }
    if (this.#take) this.offerTextDeltas(this.#take)
  }

  #read(give: Give, refuse: (error: unknown) => void): void {
    const batches = this.#batches
    if (!batches || this.#isOver) return give(over)
    const onBatch: Give = (result) => {
      if (!result.done) for (const event of result.value) this.#see(event)
      give(result)
    }
    const onFailure = (error: unknown) => {
      this.#settle(GatewayError.from(error))
      refuse(error)
    }
    if ('pull' in batches) (batches as PulledBatches).pull(onBatch, onFailure)
    else batches.next().then(onBatch, onFailure)
  }

  #see(event: TurnEvent): void {
    switch (event.type) {
      case 'reasoning-end':
        this.#hasReasoned = true
        return
      case 'tool-call-end':
        return this.#onCall(event)
      case 'turn-error':
        return this.#settle(event.error)
      case 'turn-end':
        return this.#settle('done')
    }
  }

  #onCall(call: CallEnd): void {
    const { pool, keyOf } = this.#options
    if (!this.#taken) return
    const facts = { isBound: this.#hasReasoned, isFirst: this.#calls++ === 0 }
    pool.called(keyOf(call), this.#taken.account, facts)
  }

  /** Once; without an outcome if the turn was given up. */
  #settle(outcome?: GatewayError | 'done'): void {
    if (this.#isOver) return
    this.#isOver = true
    const { pool, isAborted } = this.#options
    const taken = this.#taken
    if (!taken) return
    if (outcome === 'done') pool.succeeded(taken)
    else if (outcome === undefined || isAborted()) pool.release(taken)
    else pool.failed(taken, outcome)
  }
}
