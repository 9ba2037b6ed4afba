// How the client's results reach the server, and what the user says beside them.

import type { ToolResult } from '../../core/request.ts'
import type { RunParts } from './run-parts.ts'

export class ResultFlow {
  readonly #parts: RunParts

  constructor(parts: RunParts) {
    this.#parts = parts
  }

  /** One result ahead of the others. While an answer is under way it waits for the end of that answer. */
  deliver(result: ToolResult): void {
    const { life, outbox, execs } = this.#parts
    if (life.isAnswering) outbox.holdEarly(execs.give(result))
    else outbox.addAll(execs.give(result, outbox.sent))
  }

  /** All results of an answer's calls. Where the run can be told `words` directly, the results wait for that. */
  submit(results: ReadonlyMap<string, ToolResult>, words: string | undefined, now: number): void {
    const { life, outbox, steering, held } = this.#parts
    // Held messages have calls that must not be mistaken for the calls of these results.
    const isSteered =
      words !== undefined && steering.isPossible && life.lostBy === undefined && held.bytes === 0
    if (isSteered) outbox.add(steering.begin({ results, words }, now))
    else this.#give(results, words)
  }

  /** Sends the results that wait for the user's words. `isTaken`: the service has the words. */
  release(isTaken: boolean): void {
    const waiting = this.#parts.steering.take()
    if (!waiting) return
    this.#give(waiting.results, isTaken ? undefined : waiting.words)
    if (isTaken)
      this.#parts.answer.note('what the user said beside the tool results was sent to the run directly')
  }

  #give(results: ReadonlyMap<string, ToolResult>, words: string | undefined): void {
    const { outbox, execs, clocks, answer } = this.#parts
    outbox.addAll(execs.giveAll(results, words, outbox.sent))
    clocks.onAllAnswered()
    if (words !== undefined)
      answer.note('what the user said beside the tool results was added to one of them')
  }
}
