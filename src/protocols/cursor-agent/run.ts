// One run of Cursor's agent as a state machine: server messages and time go in, events and replies come out. It does no
// I/O and reads no clock: whoever drives it passes `now` (milliseconds), sends the replies, and calls `elapse` at
// `wakeAt`.
//
// A run outlives the answers that are made of it. An answer ends with the turn, or with tool calls: then the run is
// *parked*, still read, answered and kept alive, until the results come and the next answer begins. It outlives its
// streams, too: when one breaks, the run is *lost* until another is opened from the last checkpoint.

import { fromBinary } from '@bufbuild/protobuf'
import type { ExecServerMessage } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { InteractionUpdate } from '../../../proto/gen/agent/v1/interaction_pb.ts'
import type { KvServerMessage } from '../../../proto/gen/agent/v1/kv_pb.ts'
import {
  type AgentServerMessage,
  AgentServerMessageSchema,
  type ConversationStateStructure,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent, Usage } from '../../core/events.ts'
import type { TextPart, ToolCallPart, ToolResult } from '../../core/request.ts'
import { tooMuchKept, turnBytes } from '../../core/turn-budget.ts'
import { AnswerWriter } from './answer-writer.ts'
import { upstreamIdOf } from './answered-execs.ts'
import { CallWindow } from './call-window.ts'
import { clientHeartbeat, execHeartbeat, execReplies, execThrow } from './client-messages.ts'
import { Continuation } from './continuation.ts'
import { decideExec, type ExecCall, type ExecDesk } from './exec.ts'
import { ExecLedger, type ResultState } from './exec-ledger.ts'
import { HeldMessages } from './held-messages.ts'
import { answerQuery } from './interaction.ts'
import { answerKv } from './kv.ts'
import { RunClocks } from './run-clocks.ts'
import {
  type AnswerOptions,
  type ConversationEnd,
  isInterruption,
  type RunOptions,
  type RunPhase,
} from './run-options.ts'
import { ServerNotices } from './server-notices.ts'
import type { OutputStream } from './shell-output.ts'
import { Steering } from './steering.ts'
import { StoredAnswer } from './stored-answer.ts'
import { RunUsage } from './usage.ts'
import { hasAtMost } from './wire-values.ts'

/** Messages up to this many bytes cannot hold much. */
const smallMessage = 64 * 1024
const mostValues = 200_000

export class AgentRun {
  readonly #options: Omit<RunOptions, 'plan'>
  #opening: Uint8Array | undefined
  readonly #desk: ExecDesk
  readonly #usage = new RunUsage()
  readonly #execs: ExecLedger
  readonly #held = new HeldMessages()
  readonly #stored: StoredAnswer
  readonly #window = new CallWindow()
  readonly #notices = new ServerNotices()
  readonly #steering: Steering
  readonly #clocks: RunClocks
  readonly #out = new AnswerWriter()
  #replies: Uint8Array[] = []
  /** Messages of the stream of the moment that were handed out to be sent. */
  #handedOut = 0
  #isServerGone = false
  /** Results of calls whose answer is still being collected: what they lead to is no part of it. */
  #early: Uint8Array[] = []
  #answer: AnswerOptions
  readonly #onward: Continuation
  #hasTurnEnded = false
  #isComplete = false
  #lost: GatewayError | undefined
  phase: RunPhase = 'running'
  /** It came to its end without the end of its turn. */
  hasFailed = false

  constructor(options: RunOptions, answer: AnswerOptions) {
    const { plan, ...rest } = options
    this.#options = rest
    this.#answer = answer
    const { opening, said, workspace } = plan
    this.#opening = opening
    this.#onward = new Continuation(plan, options.blobs)
    this.#clocks = new RunClocks(options.progressMs)
    this.#steering = new Steering(plan.runId, options.steering)
    const context = () => this.#onward.context
    this.#desk = { tools: answer.tools, context, workspace, partlyRead: new Set(), note: answer.note }
    this.#execs = new ExecLedger(options.sessionId)
    this.#stored = new StoredAnswer(said)
  }

  begin(now: number): void {
    if (this.#opening) this.#replies.push(this.#opening)
    // It may be large, and the run may live for long.
    this.#opening = undefined
    this.#clocks.onStream(now)
    this.#startAnswer(this.#answer, now)
  }

  /** Call ids whose results the run waits for. */
  get waitingFor(): string[] {
    return this.#execs.waitingFor
  }

  /** These are calls of this run, as they were made. */
  madeCalls(calls: readonly ToolCallPart[]): boolean {
    return this.#execs.isAsMade(calls)
  }

  resultState(result: ToolResult): ResultState {
    return this.#execs.stateOf(result)
  }

  /** Words of the user can ride along with one of these results. */
  canCarryWords(callIds: Iterable<string>): boolean {
    return this.#execs.carrier(callIds) !== undefined
  }

  /** One result ahead of the others; what comes of it is held for the next answer. */
  deliver(result: ToolResult): void {
    if (this.phase === 'running') this.#early.push(...this.#execs.give(result))
    else this.#replies.push(...this.#execs.give(result, this.#sent))
  }

  /** A piece of what one of the calls puts out, ahead of its result. */
  onOutput(callId: string, stream: OutputStream, data: string): void {
    if (this.phase === 'parked' && !this.isLost)
      this.#replies.push(...this.#execs.onOutput(callId, stream, data))
  }

  /** The client's results, by call id; the next answer begins. */
  resume(
    results: ReadonlyMap<string, ToolResult>,
    answer: AnswerOptions,
    { now, words }: { now: number; words?: string | undefined },
  ): void {
    this.phase = 'running'
    this.#onward.reopenings = 0
    this.#startAnswer(answer, now)
    // What is held has calls that must not be taken for those that the results are for.
    const isSteered =
      words !== undefined && this.#steering.isPossible && !this.isLost && this.#held.bytes === 0
    if (isSteered) this.#replies.push(this.#steering.begin({ results, words }, now))
    else this.#give(results, words)
    const { covered, later } = this.#held.take()
    for (const { message, bytes } of covered) this.#handle(message, bytes, now)
    this.#onward.checkpoint.onCoveredShown()
    for (const { message, bytes } of later) this.#handle(message, bytes, now)
  }

  #give(results: ReadonlyMap<string, ToolResult>, words: string | undefined): void {
    this.#replies.push(...this.#execs.giveAll(results, words, this.#sent))
    this.#clocks.onAllAnswered()
    if (words !== undefined)
      this.#answer.note('what the user said beside the tool results rides along with one of them')
  }

  /** `isTaken`: the service has the words that the results waited for. */
  #giveHeld(isTaken: boolean): void {
    const held = this.#steering.take()
    if (!held) return
    this.#give(held.results, isTaken ? undefined : held.words)
    if (isTaken)
      this.#answer.note('what the user said beside the tool results was told to the run that is under way')
  }

  receive(payload: Uint8Array, now: number): void {
    let message: AgentServerMessage
    if (payload.length > smallMessage && !hasAtMost(mostValues, AgentServerMessageSchema, payload)) {
      this.#fail(this.#malformed(`a message of more than ${mostValues} values`))
      return
    }
    try {
      message = fromBinary(AgentServerMessageSchema, payload)
    } catch {
      this.#fail(this.#malformed('a message that cannot be decoded'))
      return
    }
    this.#acknowledge(message)
    this.#handle(message, payload.length, now)
    if (this.#serverBytes > this.#maxBytes) this.#fail(tooMuchKept(this.#maxBytes))
  }

  get #maxBytes(): number {
    return this.#options.maxBytes ?? turnBytes
  }

  /** Messages that are ahead of the next one on the stream of the moment. */
  get #sent(): number {
    return this.#handedOut + this.#replies.length
  }

  /**
   * The stream is over: `error` says why, if it was not the server's own proper end. `taken`: so many of its messages are known to
   * have reached the server.
   */
  end(error?: GatewayError, taken = 0): void {
    if (this.phase === 'ended' || this.#held.hasTurnEnd) return
    const failure = error ?? this.#malformed('the end of its stream in the middle of the turn')
    this.#giveHeld(false)
    // What was asked for is asked for, whatever has become of the one who asked.
    if (this.phase === 'running' && this.#out.calls > 0) this.#park()
    if (!isInterruption(failure)) return this.#fail(failure)
    const verdict = this.#onward.judge(this.#execs, taken)
    if (verdict === 'over' || (verdict === 'repeat' && this.phase === 'parked')) return this.#fail(failure)
    if (verdict === 'repeat') {
      // The client has seen a part: it is told, and may send its results again.
      this.phase = 'parked'
      this.#out.fail(failure)
      this.#onward.checkpoint.onAnswerDropped()
    }
    this.#lost = failure
    this.#window.close()
    this.#execs.onStreamLost()
    this.#held.onStreamLost()
    this.#replies = []
  }

  /** What is said on this stream reaches nobody any more: questions are not answered, which can be a lot of work. */
  onServerGone(): void {
    this.#isServerGone = true
  }

  /** The stream has broken; the run can go on with another one. */
  get isLost(): boolean {
    return this.#lost !== undefined && this.phase !== 'ended'
  }

  /** On another stream. */
  reopen(now: number): void {
    const opening = this.#onward.reopen()
    if (opening === undefined) return this.giveUp()
    this.#replies = [opening]
    this.#handedOut = 0
    this.#isServerGone = false
    this.#lost = undefined
    this.#clocks.onReopened(now)
  }

  /** How many streams have broken in a row. */
  get reopenings(): number {
    return this.#onward.reopenings
  }

  /** There is no other stream to be had. */
  giveUp(): void {
    this.#fail(this.#lost ?? this.#malformed('no state to go on from'))
  }

  /** So much is held for the next answer that no more should be read before it. */
  get isFull(): boolean {
    return this.phase === 'parked' && this.#held.isFull
  }

  /** Nobody is expected soon: what can be made smaller is. */
  compact(): void {
    this.#onward.compact()
  }

  /** About what it keeps in memory. */
  get bytes(): number {
    return this.#onward.bytes + this.#held.bytes + this.#execs.bytes
  }

  /** About what it keeps of what the server has sent. */
  get #serverBytes(): number {
    const { checkpoint } = this.#onward
    const { blobs } = this.#options
    const waiting = this.#held.bytes + this.#execs.bytes + this.#window.bytes + this.#stored.bytes
    return waiting + blobs.serverBytes + checkpoint.bytes
  }

  /** Something is to be sent before more is read: what a server asks for can be much larger than its question. */
  get hasReplies(): boolean {
    return this.#replies.length > 0
  }

  /** The last answer's text, as a message of the conversation has it; undefined where it was too long to be remembered. */
  get answerParts(): TextPart[] | undefined {
    const { text } = this.#out
    return text === undefined ? undefined : [{ type: 'text', text }]
  }

  /** Once the turn has ended and the server has said where the conversation stands. */
  get conversationEnd(): ConversationEnd | undefined {
    return this.#isComplete ? this.#onward.end : undefined
  }

  /** The client was slow to take what came: that is no stall. */
  excuse(now: number): void {
    this.#clocks.excuse(now)
  }

  get wakeAt(): number {
    const isDone = this.phase === 'parked' && this.#held.hasTurnEnd
    if (this.phase === 'ended' || this.isLost || isDone) return Number.POSITIVE_INFINITY
    return Math.min(
      this.#clocks.heartbeatAt,
      this.#window.wakeAt,
      this.#stored.dueAt,
      this.#steering.until,
      this.phase === 'running' ? this.#clocks.stallsAt : Number.POSITIVE_INFINITY,
    )
  }

  /** `mute`: what was sent has not gone out, and signs of life would only wait behind it. */
  elapse(now: number, mute = false): void {
    if (this.phase === 'ended' || this.isLost) return
    const due = this.#clocks.due(now)
    if (mute) due.client = due.exec = false
    if (due.client) this.#replies.push(clientHeartbeat)
    // Whether the client knows of an exec or not, the server waits for it.
    if (due.exec)
      for (const execId of [...this.#execs.openIds, ...this.#held.execIds])
        this.#replies.push(execHeartbeat(execId))
    if (now >= this.#steering.until) {
      this.#steering.onSilence()
      this.#giveHeld(false)
    }
    if (this.#window.elapse(now)) this.#park()
    if (this.phase !== 'running') return
    if (now >= this.#stored.dueAt) this.#finish(undefined)
    else if (now >= this.#clocks.stallsAt) this.#stall()
  }

  take(): { events: TurnEvent[]; replies: Uint8Array[] } {
    const replies = this.#replies
    this.#handedOut += replies.length
    this.#replies = []
    return { events: this.#out.take(), replies }
  }

  #startAnswer(answer: AnswerOptions, now: number): void {
    this.#answer = answer
    this.#desk.tools = answer.tools
    this.#desk.note = answer.note
    this.#out.start(answer.turnId, answer.model)
    this.#stored.forget()
    this.#onward.checkpoint.onAnswer()
    this.#clocks.excuse(now)
  }

  /** When it arrives, not when it is shown: a checkpoint that came between has the result. */
  #acknowledge({ message: { case: kind, value } }: AgentServerMessage): void {
    if (kind === 'interactionUpdate' && value.message.case === 'toolCallCompleted')
      this.#execs.acknowledge(value.message.value.callId)
  }

  #handle(message: AgentServerMessage, bytes: number, now: number): void {
    const { case: kind, value } = message.message
    if (kind === 'kvServerMessage') this.#onKv(value, now)
    else if (kind === 'conversationCheckpointUpdate') this.#onCheckpoint(value)
    if (this.phase === 'ended') return
    switch (kind) {
      case 'interactionUpdate':
        if (value.message.case === 'heartbeat') return
        if (this.phase === 'running') return this.#onUpdate(value, now)
        // The turn cannot end well without the results: the follow-up starts afresh.
        if (value.message.case === 'turnEnded' && this.#execs.waitingFor.length > 0) this.phase = 'ended'
        else this.#held.add(message, bytes)
        return
      case 'execServerMessage':
        if (this.#onExec(value, bytes, now) === 'held') this.#held.add(message, bytes)
        break
      case 'execServerControlMessage':
        if (value.message.case === 'abort') this.#onAbort(value.message.value.id)
        break
      case 'interactionQuery':
        this.#replies.push(answerQuery(value, this.#desk.tools.length > 0))
        if (this.phase === 'running') this.#window.onAsked('')
    }
    this.#progressed(now, kind !== 'kvServerMessage' && kind !== 'conversationCheckpointUpdate')
  }

  /** `bringsCalls`: what the service keeps for itself says nothing of calls that are still to come. */
  #progressed(now: number, bringsCalls = true): void {
    this.#clocks.progressed(now)
    this.#stored.wait(now)
    if (bringsCalls) this.#window.extend(now)
    if (this.phase === 'running' && this.#out.calls > 0 && this.#window.isComplete) this.#park()
  }

  #onUpdate({ message: update }: InteractionUpdate, now: number): void {
    const isNotice = update.case === 'textDelta' && update.value.isServerNotice
    if (!isNotice) this.#notices.tell(this.#answer.note)
    switch (update.case) {
      case 'textDelta':
        if (isNotice) this.#notices.add(update.value.text)
        if (isNotice || update.value.text === '') break
        this.#out.say(update.value.text)
        this.#onward.onShown()
        this.#stored.forget()
        break
      case 'thinkingDelta':
        if (update.value.text === '') break
        this.#out.think(update.value.text)
        this.#onward.onShown()
        break
      case 'thinkingCompleted':
        this.#out.closeBlock()
        break
      case 'tokenDelta':
        this.#usage.onTokens(update.value.tokens)
        break
      case 'partialToolCall':
      case 'toolCallStarted':
        this.#window.announce(update.value.callId)
        break
      case 'toolCallCompleted':
        this.#window.complete(update.value.callId)
        break
      case 'contextInjectionState': {
        const { injectionId, state } = update.value
        const how = state?.state.case
        if (this.#steering.waitsFor(injectionId)) this.#giveHeld(how === 'queued' || how === 'delivered')
        break
      }
      case 'routedModel':
        this.#answer.note(`answered by ${update.value.displayName}`)
        break
      case 'toolRequestsListed':
        this.#window.list(update.value.callCount)
        break
      case 'turnEnded':
        this.#hasTurnEnded = true
        this.#finish(this.#usage.final(update.value))
        return
    }
    this.#progressed(now)
  }

  #onExec(exec: ExecServerMessage, bytes: number, now: number): 'done' | 'held' {
    if (this.#isServerGone && !isCall(exec)) return 'done'
    const known = this.#execs.recall(exec, this.#sent)
    if (known) {
      this.#replies.push(...known)
      return 'done'
    }
    const decision = decideExec(exec, this.#desk)
    if (this.phase === 'running' && isCall(exec)) this.#window.onAsked(upstreamIdOf(exec))
    if (decision.type === 'throw') this.#replies.push(...execThrow(exec.id, decision.error))
    else if (decision.type === 'reply') this.#replies.push(...execReplies(exec.id, decision.replies))
    else if (this.phase === 'parked') return 'held'
    else this.#call(exec, decision.call, { bytes, now })
    return 'done'
  }

  #call(exec: ExecServerMessage, call: ExecCall, { bytes, now }: { bytes: number; now: number }): void {
    this.#giveHeld(false)
    const { callId, input } = this.#execs.open(exec, call, bytes)
    this.#clocks.onExecOpened(now)
    this.#stored.forget()
    this.#out.call(callId, call.tool, input)
    if (this.#answer.parallelToolCalls) this.#window.open(now)
    else this.#park()
  }

  #onAbort(execId: number): void {
    const replies = this.#execs.abort(execId)
    if (replies) {
      // The server goes on without it, and what it says then is no part of the answer that has the call.
      if (this.phase === 'running') this.#park()
      this.#replies.push(...replies)
    } else {
      const call = this.#takeHeld(execId)
      if (call) this.#replies.push(...execReplies(execId, call.aborted()))
    }
  }

  /** A call that the client has not heard of yet, and need not hear of. */
  #takeHeld(execId: number): ExecCall | undefined {
    const exec = this.#held.takeExec(execId)
    const decision = exec && decideExec(exec, this.#desk)
    return decision?.type === 'call' ? decision.call : undefined
  }

  #onKv(request: KvServerMessage, now: number): void {
    if (this.#isServerGone) return
    const room = this.#maxBytes - this.#serverBytes
    const { reply, stored } = answerKv(request, this.#options.blobs, room)
    if (reply) this.#replies.push(reply)
    const isSilent = this.phase === 'running' && this.#out.isEmpty && this.#out.calls === 0
    if (stored && isSilent) this.#stored.look(stored, now)
  }

  #onCheckpoint(state: ConversationStateStructure): void {
    this.#onward.checkpoint.take(state)
    this.#held.onCheckpoint()
    this.#execs.onCheckpoint()
    // An answer that was only stored is one that the service itself has not come to the end of.
    this.#isComplete = this.#hasTurnEnded || this.#held.hasTurnEnd
    if (state.tokenDetails) this.#usage.onContext(state.tokenDetails.usedTokens)
  }

  #park(): void {
    this.#giveHeld(false)
    this.phase = 'parked'
    this.#replies.push(...this.#early)
    this.#early = []
    this.#conclude('tool-calls', this.#usage.partial())
  }

  #finish(usage: Usage | undefined): void {
    if (this.#stored.text !== '') {
      this.#out.say(this.#stored.text)
      this.#answer.note('the upstream stored its answer without streaming it')
    }
    if (this.#out.isEmpty && this.#out.calls === 0)
      this.#answer.note('the upstream ended its turn without a word')
    this.phase = 'ended'
    this.#conclude(this.#out.calls > 0 ? 'tool-calls' : 'stop', usage)
  }

  #conclude(reason: FinishReason, usage: Usage | undefined): void {
    this.#notices.tell(this.#answer.note)
    this.#stored.onSaid(this.#out.text)
    this.#window.close()
    this.#stored.forget()
    this.#out.end(reason, usage)
  }

  #stall(): void {
    if (this.#stored.text !== '') return this.#finish(undefined)
    this.#fail(
      new GatewayError(
        'timeout',
        `${this.#options.backend}: no progress from the upstream for ${this.#clocks.patienceMs / 1000} s, only signs of life.`,
        { retryable: false },
      ),
    )
  }

  #fail(error: GatewayError): void {
    if (this.phase === 'ended') return
    const isSeen = this.phase === 'running'
    this.phase = 'ended'
    this.hasFailed = true
    this.#notices.tell(this.#answer.note)
    if (isSeen) this.#out.fail(error)
  }

  #malformed(what: string): GatewayError {
    return new GatewayError('upstream-protocol', `${this.#options.backend}: the upstream sent ${what}.`)
  }
}

/** Something that the model wants done, not something that the service itself wants to know. */
function isCall({ message }: ExecServerMessage): boolean {
  return (
    message.value !== undefined && 'toolCallId' in message.value && !message.case.endsWith('PrecheckArgs')
  )
}
