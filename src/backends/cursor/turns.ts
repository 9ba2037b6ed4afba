// One request, one answer of a run: the parked run that waits for the request's results, a new run from the service's state
// after the conversation's last turn, or a new run from the history in the request.

import { randomUUID } from 'node:crypto'
import { randomId } from '../../base/ids.ts'
import { nativeSignal } from '../../base/signal.ts'
import { SessionLost, type TurnContext } from '../../core/backend.ts'
import type { Caller } from '../../core/caller.ts'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { missingResultNote } from '../../core/history.ts'
import { recalled } from '../../core/recall.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import { sessionIdLength } from '../../core/session-id.ts'
import { noteDropped, usableTools } from '../../protocols/cursor-agent/instructions-out.ts'
import {
  type AnswerOptions,
  type ConversationEnd,
  isInterruption,
} from '../../protocols/cursor-agent/run-options.ts'
import type { ToolOffers } from '../../protocols/cursor-agent/tool-offers.ts'
import type { ConversationKey, Conversations } from './conversations.ts'
import { type FollowUp, fingerprintOf, readFollowUp } from './follow-up.ts'
import type { LiveRun, RunEnd } from './live-run.ts'
import type { NewRun } from './open-run.ts'
import { newTools, type Sessions } from './sessions.ts'
import { missingTool, type Toolsets } from './toolsets.ts'

interface TurnsOptions {
  /** False: each request gets a new run. */
  reuse: boolean
  offers: ToolOffers
  toolsets: Toolsets
  sessions: Sessions
  conversations: Conversations
  openRun(run: NewRun): Promise<LiveRun>
}

/** A run outlives its requests by far: these options must not reference the request. */
function toAnswerOptions(
  request: TurnRequest,
  { turnId, notes, calls }: TurnContext,
  offers: ToolOffers,
): AnswerOptions {
  return {
    turnId,
    model: request.model,
    tools: offers.share(usableTools(request, () => undefined)).tools,
    parallelToolCalls: request.parallelToolCalls !== false,
    calls,
    note: (text) => notes.add(text),
  }
}

const newToolsNote =
  'the client added tools: a new run was started, because the one under way cannot get them'

/** Without references to the request, if all its tools are offered: runs share their offers. */
const declared = ({ tools }: TurnRequest, { tools: offered }: AnswerOptions) =>
  offered.length === tools.length ? offered : tools.map(({ name }) => ({ name }))

/** The service refused, and not for reasons of the account: the state that the run began from may be the cause. */
const isRefusal = (failure: unknown) =>
  failure instanceof GatewayError && failure.upstream !== undefined && doubtful.has(failure.code)
const doubtful = new Set<ErrorCode>([
  'invalid-request',
  'context-overflow',
  'upstream-unavailable',
  'upstream-protocol',
])

const isToolMissing = (failure: unknown) => missingTool(failure) !== undefined

interface NewRunOptions {
  known: ConversationEnd | undefined
  /** True for a failure after which another run may do better. */
  replaceable?: (failure: GatewayError) => boolean
}

/** A new run may do better. What the service itself refuses, it refuses in any run. */
const isLoss = (error: GatewayError) =>
  // A new run begins with a new token, and without the stall.
  isInterruption(error) || error.code === 'timeout' || error.code === 'unauthenticated'

interface Answered {
  live: LiveRun
  sessionId: string
  request: TurnRequest
  caller: Caller
  /** Fingerprint of the messages before the calls, if the request brought results. */
  fingerprint?: string
}

export class Turns {
  readonly #options: TurnsOptions

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  async *run(request: TurnRequest, context: TurnContext): AsyncGenerator<TurnEvent[]> {
    const followUp = readFollowUp(request.messages)
    let why = followUp && this.#options.sessions.whyNot(followUp, context.caller, request)
    try {
      const resumed = this.resume(request, context, followUp)
      if (resumed) return yield* resumed
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error
      why = `its run was lost: ${error.message}`
    }
    const hasNewTools = recalled(context.recall, 'added tools', () => why === newTools || undefined)
    if (hasNewTools) context.notes.add(newToolsNote)
    yield* this.#begin(request, context, { followUp, why })
  }

  /** Continues the parked run that waits for the request's results; undefined if there is none. */
  resume(
    request: TurnRequest,
    context: TurnContext,
    followUp = readFollowUp(request.messages),
  ): AsyncIterable<TurnEvent[]> | undefined {
    const { sessions, offers } = this.#options
    const { caller, signal } = context
    if (sessions.hasDelivered(request.messages, caller)) context.notes.withdraw(missingResultNote)
    const live = followUp && sessions.take(followUp, caller, request)
    if (!live) return undefined
    const { sessionId, results, words, fingerprint } = followUp
    const answer = toAnswerOptions(request, context, offers)
    const onReopened = () => context.onSession?.('resumed')
    const state = live.run.isLost ? 'resumed' : 'live'
    context.onSession?.(state)
    context.tap?.session(state, sessionId)
    live.follow(context.tap)
    noteDropped(request, answer.note)
    usableTools(request, answer.note)
    live.resume(results, answer, words)
    const onAnswered = this.#answeredAs({ live, sessionId, request, caller, fingerprint })
    return live.answer({ signal: nativeSignal(signal), onAnswered, onReopened, replaceable: isLoss })
  }

  async *#begin(
    request: TurnRequest,
    context: TurnContext,
    { followUp, why }: { followUp: FollowUp | undefined; why: string | undefined },
  ): AsyncGenerator<TurnEvent[]> {
    const { sessions, conversations } = this.#options
    const { caller } = context
    sessions.onNewRun(request.messages, caller, followUp)
    const onAnsweredAfresh = sessions.answerAfresh(followUp, caller, request.model)
    try {
      const from = this.#knownFrom(request, caller)
      const known = from && (await conversations.find(from, randomUUID))
      if (known) {
        try {
          context.onSession?.('resumed')
          return yield* this.#withToolset(request, context, known)
        } catch (error) {
          const cause = error instanceof SessionLost ? error.cause : error
          if (!isRefusal(cause)) throw error
          // The state would be refused again: the new run begins from the history.
          await conversations.forget(from)
          why = 'the service refused the remembered state'
        }
      }
      const isUnknown = from && 'no remembered conversation has these messages'
      context.onSession?.('fresh', why ?? isUnknown)
      yield* this.#withToolset(request, context)
    } finally {
      onAnsweredAfresh()
    }
  }

  /** Retries once if the service requires one of its own tools and the client has seen nothing yet. */
  async *#withToolset(
    request: TurnRequest,
    context: TurnContext,
    known?: ConversationEnd,
  ): AsyncGenerator<TurnEvent[]> {
    const replaceable = known ? isRefusal : isToolMissing
    try {
      return yield* this.#newRun(request, context, { known, replaceable })
    } catch (error) {
      const failure = error instanceof SessionLost ? error.cause : error
      const hasTools = usableTools(request, () => undefined).length > 0
      const learned = this.#options.toolsets.learn(failure, hasTools)
      if (learned === undefined) throw known ? error : failure
      context.notes.add(learned)
    }
    yield* this.#newRun(request, context, { known, ...(known ? { replaceable: isRefusal } : {}) })
  }

  async *#newRun(
    request: TurnRequest,
    context: TurnContext,
    { known, replaceable }: NewRunOptions,
  ): AsyncGenerator<TurnEvent[]> {
    const { sessions, offers, openRun } = this.#options
    const { caller, signal } = context
    const sessionId = context.sessionId?.() ?? randomId(sessionIdLength)
    context.tap?.session(known ? 'resumed' : 'fresh', sessionId)
    const answer = toAnswerOptions(request, context, offers)
    const onEnd = endOf(sessionId, sessions)
    const told = { ...request, messages: sessions.withDelivered(request.messages, caller) }
    const live = await openRun({
      request: told,
      answer,
      sessionId,
      known,
      signal: nativeSignal(signal),
      onEnd,
      tap: context.tap,
      recall: context.recall,
    })
    sessions.begin({ id: sessionId, live, caller, model: request.model, tools: declared(request, answer) })
    const onAnswered = this.#answeredAs({ live, sessionId, request, caller })
    yield* live.answer({
      signal: nativeSignal(signal),
      onAnswered,
      ...(replaceable ? { replaceable } : {}),
    })
  }

  /** Keeps what is left after an answer: the parked run, or the service's state of the conversation. */
  #answeredAs({ live, sessionId, request, caller, fingerprint }: Answered): (end: TurnEvent) => void {
    const { reuse, sessions, conversations } = this.#options
    return (end) => {
      const { phase } = live.run.state
      if (!reuse) {
        if (phase === 'parked') sessions.drop(sessionId, 'sessions are not kept ("sessions.reuse" is off)')
        else sessions.onEnded(sessionId, 'ended')
      } else if (end.type === 'turn-error') {
        if (phase === 'parked' && fingerprint !== undefined) sessions.wait(sessionId, fingerprint)
        else live.close()
      } else if (phase === 'parked') {
        sessions.wait(sessionId, fingerprintOf(request.messages))
      } else {
        // The run may linger for its last checkpoint, but gives no more answers.
        sessions.onEnded(sessionId, live.ending)
        if (end.type === 'turn-end' && end.reason === 'tool-calls') return
        const { model, messages } = request
        const { answerParts: content } = live.run
        if (!content) return
        const said = fingerprintOf([...messages, { role: 'assistant', content }])
        const ended = live.ended.then(() => live.run.conversationEnd)
        conversations.add({ caller, model, fingerprint: said }, ended)
        // The state before the last one stays, so that this answer can be regenerated. Earlier forks begin from the history.
        const before = toLastEnd(toLastEnd(messages))
        if (before.length > 0) conversations.letGo({ caller, model, fingerprint: fingerprintOf(before) })
      }
    }
  }

  /** The key of the remembered state, if the user's message follows an answer. */
  #knownFrom({ messages, model }: TurnRequest, caller: Caller): ConversationKey | undefined {
    const last = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
    const isNext = messages[last]?.role === 'assistant' && last < messages.length - 1
    if (!this.#options.reuse || !isNext) return undefined
    return { caller, model, fingerprint: fingerprintOf(messages.slice(0, last + 1)) }
  }
}

/** The messages up to the answer before the user's last message. */
function toLastEnd(messages: readonly Message[]): readonly Message[] {
  const words = messages.findLastIndex(({ role }) => role === 'user')
  const answer = messages.slice(0, Math.max(0, words)).findLastIndex(({ role }) => role === 'assistant')
  return messages.slice(0, answer + 1)
}

/** Outside of the method, because the run keeps this closure: it must not reference the request. */
const endOf = (sessionId: string, sessions: Sessions) => (how: RunEnd) => sessions.onEnded(sessionId, how)
