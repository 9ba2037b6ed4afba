// Token counts: the service gives them for the whole run, clients want them for each answer.

import type { TurnEndedUpdate } from '../../../proto/gen/agent/v1/interaction_pb.ts'
import type { Usage } from '../../core/events.ts'

export class RunUsage {
  /** Output of the current answer, counted while it streams. */
  #output = 0
  /** Output that earlier answers of this run reported. */
  #reported = 0
  /** Tokens in the context, by the last checkpoint. */
  #context = 0
  #answers = 1

  onTokens(count: number): void {
    if (count > 0) this.#output += count
  }

  onContext(usedTokens: number): void {
    this.#context = usedTokens
  }

  /** For an answer that ends with tool calls, before the service has counted. */
  partial(): Usage | undefined {
    const outputTokens = this.#output
    this.#answers++
    this.#reported += outputTokens
    this.#output = 0
    // Without a checkpoint the input is unknown: the gateway estimates both.
    if (this.#context === 0) return undefined
    return { inputTokens: Math.max(0, this.#context - outputTokens), outputTokens, estimated: true }
  }

  /**
   * The service's own count, which is the sum over all model calls of the run. After earlier answers, the input is therefore the
   * size of the context: clients take it for the size of the conversation.
   */
  final(ended: TurnEndedUpdate): Usage | undefined {
    const output = Number(ended.outputTokens ?? 0n)
    const cacheRead = Number(ended.cacheReadTokens ?? 0n)
    const cacheWrite = Number(ended.cacheWriteTokens ?? 0n)
    const stated = Number(ended.inputTokens ?? 0n)
    if (stated === 0 && output === 0 && this.#output === 0) return undefined
    const outputTokens = Math.max(output - this.#reported, this.#output)
    // It is unknown whether the stated input includes the cached tokens. It cannot if these are more.
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
