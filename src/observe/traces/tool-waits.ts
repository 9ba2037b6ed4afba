// Tool calls of session backends that a client is running: the time from the end of a call to its result is the tool's duration.
// These call ids are unique and lead back to their turn; the ids of other services repeat.

import { BoundedMap } from '../../base/bounded-map.ts'
import { type Caller, callerId } from '../../core/caller.ts'
import type { ToolResult } from '../../core/request.ts'
import { sessionOf } from '../../core/session-id.ts'

interface ToolWait {
  name: string
  /** Milliseconds since 1970. */
  since: number
  traceId: string
  /** The span of the turn that made the call. */
  spanId: string
  traceState: string | undefined
}

/** The oldest goes first: calls that never end mostly belong to abandoned conversations. */
const mostWaits = 10_000

export class ToolWaits {
  readonly #waits = new BoundedMap<string, ToolWait>({ maxEntries: mostWaits, keeps: 'newest' })

  add(caller: Caller, callId: string, wait: ToolWait): void {
    if (sessionOf(callId) === undefined) return
    this.#waits.set(keyOf(caller, callId), wait)
  }

  /** Removes and returns the calls that these results end. */
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
