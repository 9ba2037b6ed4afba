// The check of tool calls: which backend has which, and what the gateway remembers of the calls that it corrected.

import { BoundedMap, entryBytes } from '../base/bounded-map.ts'
import { callKey, type KnownCall } from '../core/call-key.ts'
import { type Caller, callerId } from '../core/caller.ts'
import { type Recall, recalled } from '../core/recall.ts'
import type { TurnRequest } from '../core/request.ts'
import { type CallRecord, restoreCalls } from '../protocols/call-check/restore-calls.ts'
import { type CheckMode, type CheckOutcome, TurnCalls } from '../protocols/call-check/turn-calls.ts'

/** As long as kept thinking. */
const limits = { maxBytes: 32 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

/** Who asks, and what the turn recalls. */
export interface Remembering {
  caller: Caller
  recall?: Recall | undefined
}

interface TurnOptions {
  backend: string
  caller: Caller
  /** Calls go back to the service as the model made them. Not to a session: it knows its calls itself. */
  keepsRecords: boolean
  /** Of the turn that makes the calls. */
  turnId?: string | undefined
  note(text: string): void
  onChecked?(outcome: CheckOutcome): void
}

export class CallChecks {
  readonly #modes: ReadonlyMap<string, CheckMode>
  readonly #records: BoundedMap<string, CallRecord>

  /** `modes`: by the name of the backend. `earlier`: its records are shared. */
  constructor(modes: ReadonlyMap<string, CheckMode>, earlier?: CallChecks) {
    this.#modes = modes
    this.#records = earlier ? earlier.#records : new BoundedMap<string, CallRecord>(limits)
  }

  modeOf(backend: string): CheckMode {
    return this.#modes.get(backend) ?? 'off'
  }

  /** Undefined if the calls of the request are not checked. */
  begin(
    request: TurnRequest,
    { backend, caller, keepsRecords, ...more }: TurnOptions,
  ): TurnCalls | undefined {
    const mode = this.modeOf(backend)
    const { tools, inlineTools = [], opaqueTools = [] } = request
    if (mode === 'off' || tools.length + inlineTools.length === 0) return undefined
    return new TurnCalls({
      mode,
      tools: inlineTools.length > 0 ? [...tools, ...inlineTools] : tools,
      opaqueTools: opaqueTools.map(({ name }) => name),
      marksIds: keepsRecords,
      ...more,
      onRepaired: (call, made) => {
        if (keepsRecords) this.keep(caller, [call], { type: 'repaired', made })
      },
    })
  }

  /** `calls`: as the client sees them. */
  keep(caller: Caller, calls: readonly KnownCall[], record: CallRecord): void {
    const bytes = 2 * JSON.stringify(record).length
    for (const call of calls)
      this.#records.set(keyOf(caller, call), record, bytes / calls.length + entryBytes)
  }

  /** The conversation with all calls as the model made them. */
  restore(request: TurnRequest, { caller, recall }: Remembering, note: (text: string) => void): TurnRequest {
    const find = (call: KnownCall) => this.#records.get(keyOf(caller, call))
    return restoreCalls(request, (call) => recalled(recall, 'calls', () => find(call)), note)
  }
}

/** Without the model: a conversation may go on with another. */
const keyOf = (caller: Caller, call: KnownCall) => callKey(callerId(caller), '', call)
