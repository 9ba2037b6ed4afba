// Token counts of a run, which the service gives for the run as a whole while clients want them for each answer.

import type { TurnEndedUpdate } from '../../../proto/gen/agent/v1/interaction_pb.ts'
import type { Usage } from '../../core/events.ts'

export class RunUsage {
  /** Output of the current answer, counted up as it streams. */
  #output = 0
  /** Output that earlier answers of this run have reported. */
  #reported = 0
  /** How full the context is, by the last checkpoint. */
  #context = 0
  #answers = 1

  onTokens(count: number): void {
    if (count > 0) this.#output += count
  }

  onContext(usedTokens: number): void {
    this.#context = usedTokens
  }

  /** The answer ends in tool calls, before the service has said what it took. */
  partial(): Usage | undefined {
    const outputTokens = this.#output
    this.#answers++
    this.#reported += outputTokens
    this.#output = 0
    // Without a checkpoint nothing is known of the input: the gateway estimates both.
    if (this.#context === 0) return undefined
    return { inputTokens: Math.max(0, this.#context - outputTokens), outputTokens, estimated: true }
  }

  /**
   * The service's own count. It is the sum over all model calls of the run, so after earlier answers the input is
   * what the context holds: clients take it for the size of the conversation.
   */
  final(ended: TurnEndedUpdate): Usage | undefined {
    const output = Number(ended.outputTokens ?? 0n)
    const cacheRead = Number(ended.cacheReadTokens ?? 0n)
    const cacheWrite = Number(ended.cacheWriteTokens ?? 0n)
    const stated = Number(ended.inputTokens ?? 0n)
    if (stated === 0 && output === 0 && this.#output === 0) return undefined
    const outputTokens = Math.max(output - this.#reported, this.#output)
    // Whether the stated input contains the cached part is not known: it cannot where the parts are larger.
    const input = cacheRead + cacheWrite > stated ? stated + cacheRead + cacheWrite : stated
    if (this.#answers > 1) {
      const inputTokens = this.#context > 0 ? Math.max(0, this.#context - outputTokens) : input
      return { inputTokens, outputTokens, estimated: true }
    }
    const reasoning = Math.min(Number(ended.reasoningTokens), outputTokens)
    return {
      inputTokens: input,
      outputTokens,
      ...(cacheRead > 0 ? { cacheReadTokens: cacheRead } : {}),
      ...(cacheWrite > 0 ? { cacheWriteTokens: cacheWrite } : {}),
      ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
    }
  }
}
