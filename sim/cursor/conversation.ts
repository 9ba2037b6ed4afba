// The service's memory of one conversation, from run to run.

import type { AgentRun } from './agent-run.ts'
import { callIdOf } from './exec-kinds.ts'
import type { Exec } from './exec-ledger.ts'
import type { Toolset } from './toolset.ts'

export interface ConversationCall {
  /** Its kind, as in `mcp_args`. */
  readonly exec: string
  /** The exec numbers of its requests, oldest first. */
  readonly execIds: readonly number[]
  readonly isAnswered: boolean
}

export interface CursorConversation {
  readonly id: string
  /** The last run, which may have had several attempts. */
  readonly runId: string
  readonly originalRequestId: string | undefined
  /** Of every attempt. */
  readonly requestIds: ReadonlySet<string>
  /** The last state that was sent, or that the client was known to have. */
  readonly checkpoint: Uint8Array | undefined
  /** By the ids of their tool calls. */
  readonly calls: ReadonlyMap<string, ConversationCall>
  /** Attempts so far. */
  readonly attempts: number
  readonly isOpen: boolean
  /** Whether `turn_ended` was sent in its last run. */
  readonly turnEnded: boolean
}

/** A state that the client may have. */
interface KnownState {
  readonly bytes: Uint8Array
  /** The run whose checkpoint it is; undefined for a state that the client sent. */
  readonly runId: string | undefined
  /** When the socket took it. */
  handedOverAt: number | undefined
}

const MAX_CALLS = 1000
/** A message that was sent this shortly before a run broke may not have arrived. */
const ON_ITS_WAY_MS = 200

export class Conversation implements CursorConversation {
  readonly id: string
  runId = ''
  originalRequestId: string | undefined
  toolset: Toolset | undefined
  readonly requestIds = new Set<string>()
  readonly calls = new Map<string, { exec: string; execIds: number[]; isAnswered: boolean }>()
  attempts = 0
  turnEnded = false
  /** Whether the run began with a message of the user. */
  beganWithMessage = false
  current: AgentRun | undefined
  /** Oldest first. More than one only while it is uncertain which of them arrived. */
  #states: readonly KnownState[] = []

  constructor(id: string) {
    this.id = id
  }

  get isOpen(): boolean {
    return this.current !== undefined && !this.current.isOver
  }

  get checkpoint(): Uint8Array | undefined {
    return this.#states.findLast(({ runId }) => runId !== undefined)?.bytes
  }

  /** The states that equal the client's. */
  statesLike(bytes: Uint8Array): readonly KnownState[] {
    return this.#states.filter((state) => Buffer.compare(state.bytes, bytes) === 0)
  }

  /** The client is known to have this state. */
  beginFrom(state: KnownState): void {
    this.#states = [state]
  }

  addCheckpoint(bytes: Uint8Array, now: number): KnownState {
    const state: KnownState = { bytes, runId: this.runId, handedOverAt: undefined }
    this.#states = [...this.#certainAt(now), state]
    return state
  }

  /** The current run ended properly: everything sent before its end has arrived. */
  settle(now: number): void {
    const end = this.current?.record.closed
    const isProper = end === 'finished' || (end === 'by-client' && this.turnEnded)
    this.#states = this.#certainAt(isProper ? Number.POSITIVE_INFINITY : now)
  }

  noteAsked({ id, name, spec }: Exec): void {
    const callId = 'args' in spec ? callIdOf(spec.args) : ''
    if (callId === '') return
    const call = this.calls.get(callId) ?? { exec: name, execIds: [], isAnswered: false }
    call.execIds.push(id)
    this.calls.set(callId, call)
    const [oldest] = this.calls.keys()
    if (this.calls.size > MAX_CALLS && oldest !== undefined) this.calls.delete(oldest)
  }

  noteAnswered(callId: string): void {
    const call = this.calls.get(callId)
    if (call !== undefined) call.isAnswered = true
  }

  /** The states from the newest that has certainly arrived. */
  #certainAt(now: number): readonly KnownState[] {
    const isCertain = ({ runId, handedOverAt = Number.POSITIVE_INFINITY }: KnownState) =>
      runId === undefined || now - handedOverAt >= ON_ITS_WAY_MS
    const last = this.#states.findLastIndex(isCertain)
    return this.#states.slice(Math.max(0, last))
  }
}
