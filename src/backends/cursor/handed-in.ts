// Results that were handed in ahead of the request that follows, which need not repeat them: kept for the case that its
// run is no more by then, and a new one has to be told of them.

import { BoundedStore, entryBytes } from '../../base/bounded-store.ts'
import { type Caller, callerId } from '../../core/caller.ts'
import { isMissingResult } from '../../core/history.ts'
import type { Message, ToolResult } from '../../core/request.ts'

const maxBytes = 64 * 1024 * 1024
const ttlMs = 60 * 60_000

export class HandedIn {
  readonly #results = new BoundedStore<ToolResult>({ maxBytes, ttlMs })

  add(result: ToolResult, caller: Caller): void {
    const { callId, content, isError } = result
    const bytes = entryBytes + JSON.stringify(content).length * 2
    this.#results.set(keyOf(callId, caller), { callId, content, ...(isError ? { isError } : {}) }, bytes)
  }

  /** All results that are missing in the messages. */
  hasAllMissing(messages: readonly Message[], caller: Caller): boolean {
    const missing = messages.flatMap((message) =>
      message.role === 'tool' ? message.results.filter(isMissingResult) : [],
    )
    return missing.every(({ callId }) => this.#results.get(keyOf(callId, caller)) !== undefined)
  }

  /** The messages, with the results in place that are missing there. */
  fillIn(messages: readonly Message[], caller: Caller): Message[] {
    const filled = (result: ToolResult) =>
      (isMissingResult(result) ? this.#results.get(keyOf(result.callId, caller)) : undefined) ?? result
    return messages.map((message) =>
      message.role === 'tool' ? { ...message, results: message.results.map(filled) } : message,
    )
  }
}

/** No part can run into the other. */
const keyOf = (callId: string, caller: Caller) => JSON.stringify([callId, callerId(caller)])
