// How often the result of each tool call came, over all runs, and how it came to a further time: by a question of the service itself, or
// without one that would explain it.

import type { AgentRun } from './agent-run.ts'

/**
 * `resumed`: the run before broke off, and the state that this one goes on from has the call as one that waits for its result.
 * `asked-again`: the service asked for it twice on one stream. `unexplained`: everything else.
 */
export type Repeat = 'resumed' | 'asked-again' | 'unexplained'

export interface Delivery {
  run: AgentRun
  /** How often this run had asked for the call by then. */
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
