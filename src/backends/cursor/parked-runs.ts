// Runs that wait for the results of their tool calls, by the session id that is in those calls' ids.

import { createHash } from 'node:crypto'
import type { Message, ToolResult, TurnRequest } from '../../core/request.ts'
import type { LiveRun } from './live-run.ts'

interface ParkedRun {
  live: LiveRun
  caller: string
  model: string
  /** Of the conversation that the calls were made in. */
  fingerprint: string
  timer: NodeJS.Timeout
}

export interface FollowUp {
  sessionId: string
  fingerprint: string
  results: Map<string, ToolResult>
}

export class ParkedRuns {
  readonly #limits: { max: number; idleMs: number }
  readonly #runs = new Map<string, ParkedRun>()

  constructor(limits: { max: number; idleMs: number }) {
    this.#limits = limits
  }

  get size(): number {
    return this.#runs.size
  }

  park(sessionId: string, run: Omit<ParkedRun, 'timer'>): void {
    const timer = setTimeout(() => this.#drop(sessionId), this.#limits.idleMs)
    timer.unref()
    this.#runs.set(sessionId, { ...run, timer })
    for (const [oldest] of this.#runs) {
      if (this.#runs.size <= this.#limits.max) break
      this.#drop(oldest)
    }
  }

  /** The run that this request goes on with, if it is still there and the conversation is the one it was parked in. */
  take(followUp: FollowUp, caller: string, model: string): LiveRun | undefined {
    const parked = this.#runs.get(followUp.sessionId)
    if (!parked || parked.caller !== caller) return undefined
    this.forget(followUp.sessionId)
    const fits = parked.model === model && parked.fingerprint === followUp.fingerprint
    if (fits && parked.live.run.phase === 'parked') return parked.live
    parked.live.close()
    return undefined
  }

  /** It ended by itself. */
  forget(sessionId: string): void {
    clearTimeout(this.#runs.get(sessionId)?.timer)
    this.#runs.delete(sessionId)
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
    results: new Map(last.results.map((result) => [result.callId, result])),
  }
}

const sessionOf = (callId: string) => /^sess_([A-Za-z0-9]{12})__call_/.exec(callId)?.[1]

/** System prompts are left out: agents put the time and the like into them. */
export function fingerprintOf(messages: readonly Message[]): string {
  const hash = createHash('sha256')
  for (const message of messages) {
    if (message.role === 'system') continue
    const content = message.role === 'tool' ? message.results : message.content
    hash.update(
      JSON.stringify([message.role, content], (key, value) => (ignored.has(key) ? undefined : value)),
    )
  }
  return hash.digest('base64')
}

/** How a client sends a message may change from one request to the next; what it says does not. */
const ignored = new Set(['source', 'cache'])
