// The runs that outlive their answers, by the session id that is in their calls' ids: those that wait for results, and
// those that are being answered.

import { alreadyAnswered, type Delivery, type ListedSession } from '../../core/backend.ts'
import { type Caller, callerId, isSameCaller } from '../../core/caller.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Message, ToolResult } from '../../core/request.ts'
import { sessionOf } from '../../core/session-id.ts'
import type { AgentRun } from '../../protocols/cursor-agent/run.ts'
import type { OutputStream } from '../../protocols/cursor-agent/shell-output.ts'
import { type FollowUp, readFollowUp } from './follow-up.ts'
import { HandedIn } from './handed-in.ts'
import type { LiveRun, RunEnd } from './live-run.ts'
import { Tombstones } from './tombstones.ts'

export interface SessionLimits {
  max: number
  idleMs: number
  maxBytes?: number
}

interface Session {
  readonly id: string
  readonly caller: Caller
  readonly model: string
  readonly live: LiveRun
  /** Of the conversation that its last calls were made in; undefined before there are any. */
  fingerprint: string | undefined
  /** When it came into its state. */
  readonly since: number
}

interface WaitingSession extends Session {
  bytes: number
  timer: NodeJS.Timeout
  compactTimer: NodeJS.Timeout
}

/** Most results come sooner: making a session small would only cost time then. */
const compactAfterMs = 2_000

/** Of all that wait, together: a run keeps what its server leaves with it. */
const defaultMaxBytes = 512 * 1024 * 1024

export class Sessions {
  readonly #limits: Required<SessionLimits>
  readonly #answering = new Map<string, Session>()
  /** The oldest first. */
  readonly #waiting = new Map<string, WaitingSession>()
  #waitingBytes = 0
  readonly #tombstones = new Tombstones()
  readonly #handedIn = new HandedIn()
  /** Follow-ups that are being answered by a new run, because theirs is no more. */
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

  onGone(listener: (sessionId: string) => void): void {
    this.#listeners.push(listener)
  }

  begin(session: Omit<Session, 'fingerprint' | 'since'>): void {
    // A short answer may be all there before its run is known here: its end would never be heard of.
    if (!session.live.isClosed)
      this.#answering.set(session.id, { ...session, fingerprint: undefined, since: Date.now() })
  }

  /** The answer is given; the run waits for the results of its calls. */
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
   * The run that this request goes on with, if it is still there and the conversation is the one it waits in. A request
   * that another one is being answered for is refused: a second run would do everything twice. Whatever does not fit
   * leaves the session as it is: its own client may still come.
   */
  take(followUp: FollowUp, caller: Caller, model: string): LiveRun | undefined {
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
    this.#stopWaiting(session)
    const { id, live } = session
    this.#answering.set(sessionId, { id, caller, model, live, fingerprint, since: Date.now() })
    return session.live
  }

  /** For the log: what keeps a follow-up from its run; undefined where nothing does, as far as can be seen beforehand. */
  whyNot(followUp: FollowUp, caller: Caller, model: string): string | undefined {
    const { sessionId, fingerprint, calls } = followUp
    const session = this.#waiting.get(sessionId) ?? this.#answering.get(sessionId)
    if (!session || !isSameCaller(session.caller, caller)) {
      const why = this.#tombstones.find(sessionId, caller)
      return why === undefined ? 'no such session is known here' : `its session is over: ${why}`
    }
    if (session.model !== model) return 'its session is of another model'
    if (session.fingerprint !== fingerprint)
      return 'the messages before its calls are not those of its session'
    if (!session.live.run.madeCalls(calls)) return 'the calls are not as they were made'
    if (session.live.run.state.phase === 'ended') return `its session is over: ${broken}`
    const isMore = followUp.words !== undefined || followUp.hasMoreThanWords
    return isMore ? 'what the user adds cannot be told to a run that is under way' : undefined
  }

  /** Marks a follow-up as being answered by a new run; gives the end of it. */
  answerAfresh(followUp: FollowUp | undefined, caller: Caller, model: string): () => void {
    if (!followUp) return () => undefined
    const key = keyOf(followUp, caller, model)
    this.#afresh.add(key)
    return () => this.#afresh.delete(key)
  }

  /** Whatever results the request does not have were handed in ahead of it. */
  wasHandedIn(messages: readonly Message[], caller: Caller): boolean {
    return this.#handedIn.hasAllMissing(messages, caller)
  }

  /** With the results that were handed in ahead, where the client does not repeat them. */
  withHandedIn(messages: readonly Message[], caller: Caller): Message[] {
    return this.#handedIn.fillIn(messages, caller)
  }

  deliver(result: ToolResult, caller: Caller): Delivery {
    const { callId } = result
    const unknown = (why: string): Delivery => ({ callId, state: 'unknown', why })
    const sessionId = sessionOf(callId)
    if (sessionId === undefined) return unknown('this is not the id of a call that could wait here')
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
    this.#handedIn.add(result, caller)
    return { callId, state: 'accepted' }
  }

  /** A piece of what a call puts out while it is at work, for a run that waits for it. */
  onOutput(callId: string, stream: OutputStream, data: string): void {
    this.#waiting.get(sessionOf(callId) ?? '')?.live.onOutput(callId, stream, data)
  }

  /** The conversation may have gone on without its run: one that waits for results which came otherwise is given up. */
  onNewRun(messages: readonly Message[], caller: Caller, asked: FollowUp | undefined): void {
    const at = messages.findLastIndex(({ role }) => role === 'tool')
    const followUp = asked ?? readFollowUp(messages.slice(0, at + 1))
    const session = followUp && this.#waiting.get(followUp.sessionId)
    if (!session || !isSameCaller(session.caller, caller) || session.fingerprint !== followUp.fingerprint)
      return
    if (session.live.run.madeCalls(followUp.calls)) this.#end(session, movedOn)
  }

  /** The run is over by itself, or by its client's leaving. */
  onEnded(sessionId: string, how: RunEnd): void {
    const session = this.#waiting.get(sessionId) ?? this.#answering.get(sessionId)
    if (session) this.#remove(session, endings[how])
  }

  drop(sessionId: string, why: string): void {
    const session = this.#waiting.get(sessionId) ?? this.#answering.get(sessionId)
    if (session) this.#end(session, why)
  }

  /** None is kept any more. */
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
      // The youngest stays in any case.
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

/** False where the user adds something that cannot be told to a run that is under way. */
function canTake(run: AgentRun, { results, words, hasMoreThanWords }: FollowUp): boolean {
  const states = [...results.values()].map((result) => ({ ...result, state: run.resultState(result) }))
  const different = states.find(({ state }) => state === 'different')
  if (different) throw otherResult(different.callId)
  // The model was told that there is none: only a new run can be told otherwise.
  if (states.some(({ state }) => state === 'late')) return false
  const open = states.flatMap(({ callId, state }) => (state === 'open' ? [callId] : []))
  return !hasMoreThanWords && (words === undefined || run.canCarryWords(open))
}

const ended = 'its turn has ended'
const broken = 'its run broke off'
const endings: Record<RunEnd, string> = { ended, broken, 'given up': 'its client went away' }
const movedOn = 'its conversation went on without it'
const stopping = 'the gateway was stopping'

const keyOf = ({ sessionId, fingerprint }: FollowUp, caller: Caller, model: string) =>
  JSON.stringify([sessionId, fingerprint, callerId(caller), model])

const otherResult = (callId: string) =>
  new GatewayError(
    'conflict',
    `Another result was taken for the tool call ${callId} before, and stands: send that one, or leave this call out of the conversation.`,
    { param: 'messages' },
  )
