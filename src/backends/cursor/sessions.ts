// All runs by session id, which is part of their call ids: runs that are answering, and parked runs that wait for results.

import { alreadyAnswered, type Delivery, type ListedSession } from '../../core/backend.ts'
import { type Caller, callerId, isSameCaller } from '../../core/caller.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Message, Tool, ToolResult, TurnRequest } from '../../core/request.ts'
import { sessionOf } from '../../core/session-id.ts'
import type { AgentRun } from '../../protocols/cursor-agent/run.ts'
import type { OutputStream } from '../../protocols/cursor-agent/shell-output.ts'
import { DeliveredResults } from './delivered-results.ts'
import { type FollowUp, readFollowUp } from './follow-up.ts'
import type { LiveRun, RunEnd } from './live-run.ts'
import { Tombstones } from './tombstones.ts'

interface SessionLimits {
  max: number
  idleMs: number
  maxBytes?: number
}

interface Session {
  readonly id: string
  readonly caller: Caller
  readonly model: string
  readonly live: LiveRun
  /** The tools that the client had when the run began. */
  readonly tools: readonly Pick<Tool, 'name'>[]
  /** Fingerprint of the messages before its last calls; undefined before the first call. */
  fingerprint: string | undefined
  /** When the session began to wait or to answer. */
  readonly since: number
}

interface WaitingSession extends Session {
  bytes: number
  timer: NodeJS.Timeout
  compactTimer: NodeJS.Timeout
}

/** Most results arrive sooner: compacting a session would only cost time. */
const compactAfterMs = 2_000

/** Limit for all waiting runs together: a run keeps the blobs that the service stores in it. */
const defaultMaxBytes = 512 * 1024 * 1024

export class Sessions {
  readonly #limits: Required<SessionLimits>
  readonly #answering = new Map<string, Session>()
  /** Oldest first. */
  readonly #waiting = new Map<string, WaitingSession>()
  #waitingBytes = 0
  readonly #tombstones = new Tombstones()
  readonly #delivered = new DeliveredResults()
  /** Follow-ups that a new run is answering, because their own run is gone. */
  readonly #afresh = new Set<string>()
  readonly #listeners: ((sessionId: string) => void)[] = []
  #keeps = true

  constructor(limits: SessionLimits) {
    this.#limits = { maxBytes: defaultMaxBytes, ...limits }
  }

  get counts(): { answering: number; waiting: number; waitingBytes: number } {
    return { answering: this.#answering.size, waiting: this.#waiting.size, waitingBytes: this.#waitingBytes }
  }

  list(): ListedSession[] {
    const all = (sessions: Iterable<Session>, state: ListedSession['state']) =>
      [...sessions].map(({ id, caller, model, since }) => ({ id, caller, model, state, since }))
    return [...all(this.#answering.values(), 'answering'), ...all(this.#waiting.values(), 'waiting')]
  }

  has(sessionId: string): boolean {
    return this.#answering.has(sessionId) || this.#waiting.has(sessionId)
  }

  modelOf(sessionId: string): string | undefined {
    return (this.#answering.get(sessionId) ?? this.#waiting.get(sessionId))?.model
  }

  onGone(listener: (sessionId: string) => void): void {
    this.#listeners.push(listener)
  }

  begin(session: Omit<Session, 'fingerprint' | 'since'>): void {
    // A short answer may be complete already: its end would not be reported again.
    if (!session.live.isClosed)
      this.#answering.set(session.id, { ...session, fingerprint: undefined, since: Date.now() })
  }

  /** The answer is complete; the run waits for the results of its calls. */
  wait(sessionId: string, fingerprint: string): void {
    const session = this.#answering.get(sessionId)
    if (!session) return
    if (!this.#keeps) return this.#end(session, stopping)
    this.#answering.delete(sessionId)
    const { bytes } = session.live.run
    this.#waiting.set(sessionId, {
      ...session,
      fingerprint,
      since: Date.now(),
      bytes,
      timer: this.#startTimer(sessionId),
      compactTimer: setTimeout(() => this.#compact(sessionId), compactAfterMs).unref(),
    })
    this.#waitingBytes += bytes
    this.#makeRoom()
  }

  /**
   * The parked run that this request continues, if key, model, earlier messages and calls match. Throws if the same
   * follow-up is already being answered: a second run would do everything twice. A request that does not match leaves the
   * session as it is, because the right request may still arrive.
   */
  take(
    followUp: FollowUp,
    caller: Caller,
    { model, tools }: Pick<TurnRequest, 'model' | 'tools'>,
  ): LiveRun | undefined {
    const { sessionId, fingerprint } = followUp
    if (this.#afresh.has(keyOf(followUp, caller, model))) throw alreadyAnswered()
    const fits = (session: Session) =>
      isSameCaller(session.caller, caller) &&
      session.model === model &&
      session.fingerprint === fingerprint &&
      session.live.run.madeCalls(followUp.calls)
    const answering = this.#answering.get(sessionId)
    if (answering && fits(answering)) throw alreadyAnswered()
    const session = this.#waiting.get(sessionId)
    if (!session || !fits(session)) return undefined
    const { run } = session.live
    if (run.state.phase === 'ended') return this.#end(session, broken)
    if (!canTake(run, followUp)) return this.#end(session, movedOn)
    if (hasNew(tools, session.tools)) return this.#end(session, newTools)
    this.#stopWaiting(session)
    const { id, live } = session
    this.#answering.set(sessionId, {
      id,
      caller,
      model,
      live,
      tools: session.tools,
      fingerprint,
      since: Date.now(),
    })
    return session.live
  }

  /** For the log: why a follow-up cannot continue its run; undefined if nothing is known against it. */
  whyNot(
    followUp: FollowUp,
    caller: Caller,
    { model, tools }: Pick<TurnRequest, 'model' | 'tools'>,
  ): string | undefined {
    const { sessionId, fingerprint, calls } = followUp
    const session = this.#waiting.get(sessionId) ?? this.#answering.get(sessionId)
    if (!session || !isSameCaller(session.caller, caller)) {
      const why = this.#tombstones.find(sessionId, caller)
      return why === undefined ? 'no such session is known here' : `its session is over: ${why}`
    }
    if (session.model !== model) return 'its session has another model'
    if (session.fingerprint !== fingerprint)
      return 'the messages before its calls differ from those of its session'
    if (!session.live.run.madeCalls(calls)) return 'the calls differ from those that its session made'
    if (session.live.run.state.phase === 'ended') return `its session is over: ${broken}`
    if (hasNew(tools, session.tools)) return newTools
    const isMore = followUp.words !== undefined || followUp.hasMoreThanWords
    return isMore ? 'a run under way cannot receive what the user adds' : undefined
  }

  /** Marks a follow-up as being answered by a new run; the returned function removes the mark. */
  answerAfresh(followUp: FollowUp | undefined, caller: Caller, model: string): () => void {
    if (!followUp) return () => undefined
    const key = keyOf(followUp, caller, model)
    this.#afresh.add(key)
    return () => this.#afresh.delete(key)
  }

  /** True if every result that the request lacks was delivered ahead of it. */
  hasDelivered(messages: readonly Message[], caller: Caller): boolean {
    return this.#delivered.hasAllMissing(messages, caller)
  }

  /** The messages with results that were delivered ahead and are not repeated. */
  withDelivered(messages: readonly Message[], caller: Caller): Message[] {
    return this.#delivered.fillIn(messages, caller)
  }

  deliver(result: ToolResult, caller: Caller): Delivery {
    const { callId } = result
    const unknown = (why: string): Delivery => ({ callId, state: 'unknown', why })
    const sessionId = sessionOf(callId)
    if (sessionId === undefined) return unknown('this is not a call id of a session')
    const waiting = this.#waiting.get(sessionId)
    const session = waiting ?? this.#answering.get(sessionId)
    if (!session || !isSameCaller(session.caller, caller)) {
      const why = this.#tombstones.find(sessionId, caller)
      return unknown(why === undefined ? 'no such session is known here' : `its session is over: ${why}`)
    }
    const { run } = session.live
    if (run.state.phase === 'ended') return unknown(`its session is over: ${endings[session.live.ending]}`)
    const state = run.resultState(result)
    if (state === 'unknown') return unknown('its session made no such call')
    if (state === 'late') return unknown('its session has gone on without a result for it')
    if (state === 'different') return { callId, state, why: 'another result was taken for this call before' }
    if (waiting) {
      clearTimeout(waiting.timer)
      waiting.timer = this.#startTimer(sessionId)
    }
    if (state === 'duplicate') return { callId, state }
    session.live.deliver(result)
    this.#delivered.add(result, caller)
    return { callId, state: 'accepted' }
  }

  /** A piece of a running call's output, for the run that waits for its result. */
  onOutput(callId: string, stream: OutputStream, data: string): void {
    this.#waiting.get(sessionOf(callId) ?? '')?.live.onOutput(callId, stream, data)
  }

  /** Ends the parked run of this conversation: a new run answers the results that it waits for. */
  onNewRun(messages: readonly Message[], caller: Caller, asked: FollowUp | undefined): void {
    const at = messages.findLastIndex(({ role }) => role === 'tool')
    const followUp = asked ?? readFollowUp(messages.slice(0, at + 1))
    const session = followUp && this.#waiting.get(followUp.sessionId)
    if (!session || !isSameCaller(session.caller, caller) || session.fingerprint !== followUp.fingerprint)
      return
    if (session.live.run.madeCalls(followUp.calls)) this.#end(session, movedOn)
  }

  /** The run has ended, or its client left. */
  onEnded(sessionId: string, how: RunEnd): void {
    const session = this.#waiting.get(sessionId) ?? this.#answering.get(sessionId)
    if (session) this.#remove(session, endings[how])
  }

  drop(sessionId: string, why: string): void {
    const session = this.#waiting.get(sessionId) ?? this.#answering.get(sessionId)
    if (session) this.#end(session, why)
  }

  /** Ends all waiting runs; from now on none is kept. */
  dropWaiting(): void {
    this.#keeps = false
    for (const session of [...this.#waiting.values()]) this.#end(session, stopping)
  }

  closeAll(): void {
    this.dropWaiting()
    for (const session of [...this.#answering.values()]) this.#end(session, stopping)
  }

  #startTimer(sessionId: string): NodeJS.Timeout {
    const { idleMs } = this.#limits
    const why = `no result came for ${Math.round(idleMs / 1000)} s`
    return setTimeout(() => this.drop(sessionId, why), idleMs).unref()
  }

  #makeRoom(): void {
    const { max, maxBytes } = this.#limits
    for (const oldest of this.#waiting.values()) {
      const isTooMuch = this.#waiting.size > max || this.#waitingBytes > maxBytes
      // The newest session always stays.
      if (!isTooMuch || this.#waiting.size === 1) break
      this.#end(oldest, 'newer sessions needed its place')
    }
  }

  #end(session: Session, why: string): undefined {
    this.#remove(session, why)
    session.live.close()
  }

  #remove({ id, caller }: Session, why: string): void {
    const waiting = this.#waiting.get(id)
    if (waiting) this.#stopWaiting(waiting)
    this.#answering.delete(id)
    this.#tombstones.add(id, caller, why)
    for (const listener of this.#listeners) listener(id)
  }

  #compact(sessionId: string): void {
    const session = this.#waiting.get(sessionId)
    if (!session) return
    session.live.run.compact()
    this.#waitingBytes -= session.bytes
    session.bytes = session.live.run.bytes
    this.#waitingBytes += session.bytes
  }

  #stopWaiting({ id, timer, compactTimer, bytes }: WaitingSession): void {
    clearTimeout(timer)
    clearTimeout(compactTimer)
    this.#waiting.delete(id)
    this.#waitingBytes -= bytes
  }
}

/** False if the user adds something that a run under way cannot receive, or if a result is too late. */
function canTake(run: AgentRun, { results, words, hasMoreThanWords }: FollowUp): boolean {
  const states = [...results.values()].map((result) => ({ ...result, state: run.resultState(result) }))
  const different = states.find(({ state }) => state === 'different')
  if (different) throw otherResult(different.callId)
  // The model was told that there is no result: only a new run can get it.
  if (states.some(({ state }) => state === 'late')) return false
  const open = states.flatMap(({ callId, state }) => (state === 'open' ? [callId] : []))
  return !hasMoreThanWords && (words === undefined || run.canCarryWords(open))
}

const ended = 'its turn has ended'
const broken = 'its run broke off'
const endings: Record<RunEnd, string> = { ended, broken, 'given up': 'its client went away' }
const movedOn = 'its conversation went on without it'
const stopping = 'the gateway was stopping'
/** The service takes the tools of a run with its first message, and the model sees no others. */
export const newTools = 'the client has tools that its run was not offered'

function hasNew(tools: readonly Pick<Tool, 'name'>[], known: readonly Pick<Tool, 'name'>[]): boolean {
  const names = new Set(known.map(({ name }) => name))
  return tools.some(({ name }) => !names.has(name))
}

const keyOf = ({ sessionId, fingerprint }: FollowUp, caller: Caller, model: string) =>
  JSON.stringify([sessionId, fingerprint, callerId(caller), model])

const otherResult = (callId: string) =>
  new GatewayError(
    'conflict',
    `Another result was taken for the tool call ${callId} before, and stands: send that one, or leave this call out of the conversation.`,
    { param: 'messages' },
  )
