// Results that were delivered ahead of their request. The request need not repeat them, so they are kept here for the case
// that their run is gone by then and a new run needs them.

import { BoundedMap, entryBytes } from '../../base/bounded-map.ts'
import { type Caller, callerId } from '../../core/caller.ts'
import { isMissingResult } from '../../core/history.ts'
import type { Message, ToolResult } from '../../core/request.ts'

const maxBytes = 64 * 1024 * 1024
const ttlMs = 60 * 60_000

export class DeliveredResults {
  readonly #results = new BoundedMap<string, ToolResult>({ maxBytes, ttlMs })

  add(result: ToolResult, caller: Caller): void {
    const { callId, content, isError } = result
    const bytes = entryBytes + JSON.stringify(content).length * 2
    this.#results.set(keyOf(callId, caller), { callId, content, ...(isError ? { isError } : {}) }, bytes)
  }

  /** True if every result that is missing in the messages was delivered. */
  hasAllMissing(messages: readonly Message[], caller: Caller): boolean {
    const missing = messages.flatMap((message) =>
      message.role === 'tool' ? message.results.filter(isMissingResult) : [],
    )
    return missing.every(({ callId }) => this.#results.get(keyOf(callId, caller)) !== undefined)
  }

  /** The messages with delivered results in place of missing ones. */
  fillIn(messages: readonly Message[], caller: Caller): Message[] {
    const filled = (result: ToolResult) =>
      (isMissingResult(result) ? this.#results.get(keyOf(result.callId, caller)) : undefined) ?? result
    return messages.map((message) =>
      message.role === 'tool' ? { ...message, results: message.results.map(filled) } : message,
    )
  }
}

/** JSON keeps the two parts apart. */
const keyOf = (callId: string, caller: Caller) => JSON.stringify([callId, callerId(caller)])
