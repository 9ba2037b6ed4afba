// Runs that wait for the results of their tool calls, by the session id that is in those calls' ids.

import { createHash } from 'node:crypto'
import { GatewayError } from '../../core/errors.ts'
import type { Message, ToolCallPart, ToolResult, TurnRequest } from '../../core/request.ts'
import type { LiveRun } from './live-run.ts'

interface KnownRun {
  live: LiveRun
  caller: string
  model: string
  /** Of the conversation that the calls were made in. */
  fingerprint: string
}

interface ParkedRun extends KnownRun {
  timer: NodeJS.Timeout
}

export interface FollowUp {
  sessionId: string
  fingerprint: string
  /** As the client shows them now. */
  calls: ToolCallPart[]
  results: Map<string, ToolResult>
}

export class ParkedRuns {
  readonly #limits: { max: number; idleMs: number }
  readonly #runs = new Map<string, ParkedRun>()
  /** Those that go on with their results right now, as they were parked. */
  readonly #taken = new Map<string, KnownRun>()

  constructor(limits: { max: number; idleMs: number }) {
    this.#limits = limits
  }

  get size(): number {
    return this.#runs.size
  }

  park(sessionId: string, run: KnownRun): void {
    this.#taken.delete(sessionId)
    const timer = setTimeout(() => this.#drop(sessionId), this.#limits.idleMs)
    timer.unref()
    this.#runs.set(sessionId, { ...run, timer })
    for (const [oldest] of this.#runs) {
      if (this.#runs.size <= this.#limits.max) break
      this.#drop(oldest)
    }
  }

  /**
   * The run that this request goes on with, if it is still there and the conversation is the one it was parked in. A
   * request that another one is being answered for is refused: a second run would do everything twice.
   */
  take(followUp: FollowUp, caller: string, model: string): LiveRun | undefined {
    const { sessionId, fingerprint } = followUp
    const fits = (run: KnownRun) => run.model === model && run.fingerprint === fingerprint
    const taken = this.#taken.get(sessionId)
    if (taken?.caller === caller && fits(taken) && taken.live.run.phase === 'running') throw alreadyAnswered()
    const parked = this.#runs.get(sessionId)
    if (!parked || parked.caller !== caller) return undefined
    this.forget(sessionId)
    const isSame = fits(parked) && parked.live.run.madeCalls(followUp.calls)
    if (!isSame || parked.live.run.phase !== 'parked') {
      parked.live.close()
      return undefined
    }
    const { timer: _timer, ...known } = parked
    this.#taken.set(sessionId, known)
    return parked.live
  }

  /** The conversation went on without it: a run that waits for results which have come in another way is given up. */
  abandon(messages: readonly Message[], caller: string): void {
    const last = messages.findLast(({ role }) => role === 'tool')
    for (const { callId } of last?.role === 'tool' ? last.results : []) {
      const sessionId = sessionOf(callId)
      if (sessionId !== undefined && this.#runs.get(sessionId)?.caller === caller) this.#drop(sessionId)
    }
  }

  /** It ended by itself. */
  forget(sessionId: string): void {
    clearTimeout(this.#runs.get(sessionId)?.timer)
    this.#runs.delete(sessionId)
    this.#taken.delete(sessionId)
  }

  closeAll(): void {
    for (const sessionId of [...this.#runs.keys()]) this.#drop(sessionId)
  }

  #drop(sessionId: string): void {
    const parked = this.#runs.get(sessionId)
    this.forget(sessionId)
    parked?.live.close()
  }
}

const alreadyAnswered = () =>
  new GatewayError(
    'conflict',
    'The results of these tool calls have come already, and are being answered to another request.',
  )

/** A request whose last messages are the results of one run's calls, and nothing else. */
export function readFollowUp({ messages }: TurnRequest): FollowUp | undefined {
  const last = messages.at(-1)
  const calling = messages.at(-2)
  if (last?.role !== 'tool' || calling?.role !== 'assistant') return undefined
  const sessions = new Set(last.results.map(({ callId }) => sessionOf(callId)))
  const [sessionId] = sessions
  if (sessions.size !== 1 || sessionId === undefined) return undefined
  return {
    sessionId,
    fingerprint: fingerprintOf(messages.slice(0, -2)),
    calls: calling.content.filter((part) => part.type === 'tool-call'),
    results: new Map(last.results.map((result) => [result.callId, result])),
  }
}

const sessionOf = (callId: string) => /^sess_([A-Za-z0-9]{12})__call_/.exec(callId)?.[1]

/** System prompts are left out: agents put the time and the like into them. */
export function fingerprintOf(messages: readonly Message[]): string {
  const hash = createHash('sha256')
  for (const message of messages) {
    if (message.role === 'system') continue
    const content = message.role === 'tool' ? message.results.map(plainResult) : message.content
    hash.update(JSON.stringify([message.role, content], withoutHints))
  }
  return hash.digest('base64')
}

/** How a client sends a message may change from one request to the next; what it says does not. */
const plainResult = ({ callId, content, isError }: ToolResult) => ({ callId, content, isError })
const withoutHints = (key: string, value: unknown) => (key === 'cache' ? undefined : value)
