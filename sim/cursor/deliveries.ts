// How often the result of each tool call arrived, over all runs, and why it arrived again: because the service asked again, or without
// an explanation.

import type { AgentRun } from './agent-run.ts'

/**
 * `resumed`: the previous run broke off, and in the state that this run continues from, the call waits for its result.
 * `asked-again`: the service asked for it twice on one stream. `unexplained`: everything else.
 */
export type Repeat = 'resumed' | 'asked-again' | 'unexplained'

export interface Delivery {
  run: AgentRun
  /** How often this run had asked for the call before. */
  asked: number
  /** The call waits for its result in the state that the run began from. */
  isPending: boolean
}

const MAX_CALLS = 50_000

export class Deliveries {
  readonly counts = new Map<string, number>()
  readonly repeats = new Map<Repeat, number>()
  readonly #last = new Map<string, AgentRun>()

  note(callId: string, { run, asked, isPending }: Delivery): void {
    const earlier = this.#last.get(callId)
    if (earlier !== undefined) {
      const repeat = earlier === run ? asked > 1 && 'asked-again' : isPending && 'resumed'
      const kind = repeat || 'unexplained'
      this.repeats.set(kind, (this.repeats.get(kind) ?? 0) + 1)
    }
    this.counts.set(callId, (this.counts.get(callId) ?? 0) + 1)
    this.#last.set(callId, run)
    const [oldest] = this.counts.keys()
    if (this.counts.size <= MAX_CALLS || oldest === undefined) return
    this.counts.delete(oldest)
    this.#last.delete(oldest)
  }
}
