// Calls of session backends that have gone out to a client: from the end of a call to the arrival of its result is how long
// the tool took, outside. Their ids are unique, and lead back to the turn that made them; the ids of other services repeat.

import { type Caller, callerId } from '../../core/caller.ts'
import type { ToolResult } from '../../core/request.ts'
import { sessionOf } from '../../core/session-id.ts'

export interface ToolWait {
  name: string
  /** Milliseconds since 1970. */
  since: number
  traceId: string
  /** Of the turn that made the call. */
  spanId: string
  traceState: string | undefined
}

/** The oldest goes first: most of those that never end are of conversations that were given up. */
const mostWaits = 10_000

export class ToolWaits {
  readonly #waits = new Map<string, ToolWait>()

  add(caller: Caller, callId: string, wait: ToolWait): void {
    if (sessionOf(callId) === undefined) return
    this.#waits.set(keyOf(caller, callId), wait)
    if (this.#waits.size <= mostWaits) return
    const [oldest] = this.#waits.keys()
    if (oldest !== undefined) this.#waits.delete(oldest)
  }

  /** Those that these results end. */
  take(caller: Caller, results: readonly ToolResult[]): { result: ToolResult; wait: ToolWait }[] {
    if (this.#waits.size === 0) return []
    return results.flatMap((result) => {
      const key = keyOf(caller, result.callId)
      const wait = this.#waits.get(key)
      this.#waits.delete(key)
      return wait ? [{ result, wait }] : []
    })
  }
}

const keyOf = (caller: Caller, callId: string) => `${callId} ${callerId(caller)}`
