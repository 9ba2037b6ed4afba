// One run of Cursor's agent as a state machine: server messages and time go in, events and replies come out. It does no
// I/O and reads no clock: its driver passes `now` (milliseconds), sends the replies, and calls `elapse` at `wakeAt`.
//
// A run outlives its answers. An answer ends with the turn, or with tool calls: then the run is *parked*, still read,
// answered and kept alive, until the results arrive and the next answer begins. A run also outlives its streams: when one
// breaks, the run is *lost* until another stream is opened from the last checkpoint. run-state.ts has the states.

import { fromBinary } from '@bufbuild/protobuf'
import type { KvServerMessage } from '../../../proto/gen/agent/v1/kv_pb.ts'
import {
  type AgentServerMessage,
  AgentServerMessageSchema,
  type ConversationStateStructure,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TextPart, ToolCallPart, ToolResult } from '../../core/request.ts'
import { tooMuchKept } from '../../core/turn-budget.ts'
import { AnswerFlow } from './answer-flow.ts'
import { clientHeartbeat, execHeartbeat } from './client-messages.ts'
import { ExecFlow } from './exec-flow.ts'
import type { ResultState } from './exec-ledger.ts'
import { answerQuery } from './interaction.ts'
import { answerKv } from './kv.ts'
import { rawField } from './raw-field.ts'
import { ResultFlow } from './result-flow.ts'
import { type AnswerOptions, type ConversationEnd, isInterruption, type RunOptions } from './run-options.ts'
import { createRunParts, maxServerBytes, type RunParts, serverBytes } from './run-parts.ts'
import type { RunState } from './run-state.ts'
import type { OutputStream } from './shell-output.ts'
import { hasAtMost } from './wire-values.ts'

/** Messages up to this many bytes cannot hold much. */
const smallMessage = 64 * 1024
const checkpointField = AgentServerMessageSchema.field.conversationCheckpointUpdate.number
const mostValues = 200_000

export class AgentRun {
  readonly #parts: RunParts
  readonly #results: ResultFlow
  readonly #answer: AnswerFlow
  readonly #execs: ExecFlow
  #opening: Uint8Array | undefined

  constructor(options: RunOptions, answer: AnswerOptions) {
    this.#opening = options.plan.opening
    this.#parts = createRunParts(options, answer)
    this.#results = new ResultFlow(this.#parts)
    this.#answer = new AnswerFlow(this.#parts, this.#results)
    this.#execs = new ExecFlow(this.#parts, this.#results, this.#answer)
  }

  get state(): RunState {
    return this.#parts.life.state
  }

  /** The stream has broken; the run can go on with another one. */
  get isLost(): boolean {
    return this.#parts.life.lostBy !== undefined
  }

  begin(now: number): void {
    const { outbox, clocks, answer } = this.#parts
    if (this.#opening) outbox.add(this.#opening)
    // The opening may be large, and the run may live long.
    this.#opening = undefined
    clocks.onStream(now)
    this.#answer.start(answer, now)
  }

  /** Ids of the calls whose results are missing. */
  get waitingFor(): string[] {
    return this.#parts.execs.waitingFor
  }

  /** True if the run made these calls, exactly as they are. */
  madeCalls(calls: readonly ToolCallPart[]): boolean {
    return this.#parts.execs.isAsMade(calls)
  }

  resultState(result: ToolResult): ResultState {
    return this.#parts.execs.stateOf(result)
  }

  /** True if words of the user can ride along with one of these results. */
  canCarryWords(callIds: Iterable<string>): boolean {
    return this.#parts.execs.carrier(callIds) !== undefined
  }

  /** One result ahead of the others. What the server makes of it is held for the next answer. */
  deliver(result: ToolResult): void {
    this.#results.deliver(result)
  }

  /** A piece of a call's output, ahead of its result. */
  onOutput(callId: string, stream: OutputStream, data: string): void {
    const { outbox, execs } = this.#parts
    if (this.state.phase === 'parked' && !this.isLost) outbox.addAll(execs.onOutput(callId, stream, data))
  }

  /** Begins the next answer with the client's results, by call id, and `words` that the user said beside them. */
  resume(
    results: ReadonlyMap<string, ToolResult>,
    answer: AnswerOptions,
    { now, words }: { now: number; words?: string | undefined },
  ): void {
    const { life, continuation, held } = this.#parts
    life.resume()
    continuation.reopenings = 0
    this.#answer.start(answer, now)
    this.#results.submit(results, words, now)
    const { covered, later } = held.take()
    for (const { message, bytes } of covered) this.#handle(message, bytes, now)
    continuation.checkpoint.onCoveredShown()
    life.checkpoint()
    for (const { message, bytes } of later) this.#handle(message, bytes, now)
  }

  receive(payload: Uint8Array, now: number): void {
    let message: AgentServerMessage
    if (payload.length > smallMessage && !hasAtMost(mostValues, AgentServerMessageSchema, payload)) {
      this.#answer.fail(this.#malformed(`a message of more than ${mostValues} values`))
      return
    }
    try {
      message = fromBinary(AgentServerMessageSchema, payload)
    } catch {
      this.#answer.fail(this.#malformed('a message that cannot be decoded'))
      return
    }
    this.#acknowledge(message)
    const { case: kind, value } = message.message
    if (kind === 'conversationCheckpointUpdate') this.#onCheckpoint(value, rawField(payload, checkpointField))
    this.#handle(message, payload.length, now)
    const most = maxServerBytes(this.#parts)
    if (serverBytes(this.#parts) > most) this.#answer.fail(tooMuchKept(most))
  }

  /**
   * The stream is over. `error` says why; it is undefined if the server ended the stream properly. `taken` is how many of the
   * stream's messages are known to have reached the server.
   */
  end(error?: GatewayError, taken = 0): void {
    const { life, out, continuation, execs } = this.#parts
    if (life.isEnded || isDone(life.state)) return
    const failure = error ?? this.#malformed('the end of its stream in the middle of the turn')
    this.#results.release(false)
    // The calls of the answer are valid without the stream that made them.
    if (life.isAnswering && out.calls > 0) this.#answer.park()
    if (!isInterruption(failure)) return this.#answer.fail(failure)
    const verdict = continuation.judge(execs, taken)
    if (verdict === 'over' || (verdict === 'repeat' && !life.isAnswering)) return this.#answer.fail(failure)
    if (verdict === 'repeat') {
      // The client has seen a part of the answer: it gets the error, and may send its results again.
      life.loseAnswer(failure)
      out.fail(failure)
      continuation.checkpoint.onAnswerDropped()
    } else life.lose(failure)
    this.#onStreamLost()
  }

  #onStreamLost(): void {
    const { window, execs, held, outbox } = this.#parts
    window.close()
    execs.onStreamLost()
    held.onStreamLost()
    outbox.onStreamLost()
  }

  /** The server no longer reads this stream. Its questions are not answered, which can be a lot of work. */
  onServerGone(): void {
    this.#parts.outbox.onServerGone()
  }

  /** Goes on with another stream. */
  reopen(now: number): void {
    const { life, continuation, outbox, clocks } = this.#parts
    const opening = continuation.reopen()
    if (opening === undefined) return this.giveUp()
    life.reopen()
    outbox.reopen(opening)
    clocks.onReopened(now)
  }

  /** How many streams have broken in a row. */
  get reopenings(): number {
    return this.#parts.continuation.reopenings
  }

  /** No other stream could be opened. */
  giveUp(): void {
    this.#answer.fail(this.#parts.life.lostBy ?? this.#malformed('no state to go on from'))
  }

  /** So much is held for the next answer that the driver must stop reading until it begins. */
  get isFull(): boolean {
    return this.state.phase === 'parked' && this.#parts.held.isFull
  }

  /** Packs what can be packed: no result is expected soon. */
  compact(): void {
    this.#parts.continuation.compact()
  }

  /** About how much memory the run uses. */
  get bytes(): number {
    const { continuation, held, execs } = this.#parts
    return continuation.bytes + held.bytes + execs.bytes
  }

  /** Replies must be sent before more is read: an answer can be much larger than its question. */
  get hasReplies(): boolean {
    return !this.#parts.outbox.isEmpty
  }

  /** The last answer's text, as in a message of the conversation; undefined if it was too long to be remembered. */
  get answerParts(): TextPart[] | undefined {
    const { text } = this.#parts.out
    return text === undefined ? undefined : [{ type: 'text', text }]
  }

  /** The server's state of the conversation after the turn; undefined before the server has sent it. */
  get conversationEnd(): ConversationEnd | undefined {
    const { state } = this
    return state.phase === 'ended' && state.how === 'checkpointed' ? this.#parts.continuation.end : undefined
  }

  /** The client was slow to read: that is no stall of the server. */
  excuse(now: number): void {
    this.#parts.clocks.excuse(now)
  }

  get wakeAt(): number {
    const { life, clocks, window, stored, steering } = this.#parts
    if (life.isEnded || this.isLost || isDone(life.state)) return Number.POSITIVE_INFINITY
    return Math.min(
      clocks.heartbeatAt,
      window.wakeAt,
      stored.dueAt,
      steering.until,
      life.isAnswering ? clocks.stallsAt : Number.POSITIVE_INFINITY,
    )
  }

  /**
   * `mute`: earlier messages have not gone out, and heartbeats would only queue up. Returns true if a clock has decided something, not only
   * that a heartbeat is due.
   */
  elapse(now: number, mute = false): boolean {
    const { life, clocks, steering, window, stored } = this.#parts
    if (life.isEnded || this.isLost) return false
    this.#sendHeartbeats(now, mute)
    const isSteeringOver = now >= steering.until
    if (isSteeringOver) {
      steering.onSilence()
      this.#results.release(false)
    }
    const isWindowOver = window.elapse(now)
    if (isWindowOver) this.#answer.park()
    const isSilent = life.isAnswering && now >= Math.min(stored.dueAt, clocks.stallsAt)
    if (isSilent && now >= stored.dueAt) this.#answer.endWithStored()
    else if (isSilent) this.#answer.stall()
    return isSteeringOver || isWindowOver || isSilent
  }

  #sendHeartbeats(now: number, mute: boolean): void {
    const { clocks, outbox, execs, held } = this.#parts
    const due = clocks.due(now)
    if (mute) return
    if (due.client) outbox.add(clientHeartbeat)
    // The server also waits for execs that the client has not seen yet.
    if (due.exec) for (const execId of [...execs.openIds, ...held.execIds]) outbox.add(execHeartbeat(execId))
  }

  take(): { events: TurnEvent[]; replies: Uint8Array[] } {
    const replies = this.#parts.outbox.take()
    return { events: this.#parts.out.take(), replies }
  }

  /** At arrival, not when the message is shown: a checkpoint that arrives in between has the result. */
  #acknowledge({ message: { case: kind, value } }: AgentServerMessage): void {
    if (kind === 'interactionUpdate' && value.message.case === 'toolCallCompleted')
      this.#parts.execs.acknowledge(value.message.value.callId)
  }

  #handle(message: AgentServerMessage, bytes: number, now: number): void {
    const { life, held, outbox, desk, window } = this.#parts
    const { case: kind, value } = message.message
    if (kind === 'kvServerMessage') this.#onKv(value, now)
    if (life.isEnded) return
    switch (kind) {
      case 'interactionUpdate':
        if (value.message.case === 'heartbeat') return
        if (life.isAnswering) return this.#answer.update(value, now)
        if (value.message.case === 'turnEnded') this.#onParkedTurnEnd()
        if (!life.isEnded) held.add(message, bytes)
        return
      case 'execServerMessage':
        if (this.#execs.onExec(value, bytes, now) === 'hold') held.add(message, bytes)
        break
      case 'execServerControlMessage':
        if (value.message.case === 'abort') this.#execs.onAbort(value.message.value.id)
        break
      case 'interactionQuery':
        outbox.add(answerQuery(value, desk.tools.length > 0))
        if (life.isAnswering) window.onAsked('')
    }
    this.#answer.progressed(now, kind !== 'kvServerMessage' && kind !== 'conversationCheckpointUpdate')
  }

  /** A turn cannot end well while results are missing: the follow-up needs a new run. */
  #onParkedTurnEnd(): void {
    const { life, execs } = this.#parts
    if (execs.waitingFor.length > 0) life.cutShort()
    else life.holdTurnEnd()
  }

  #onKv(request: KvServerMessage, now: number): void {
    const { outbox, options, life, out, stored } = this.#parts
    if (outbox.isServerGone) return
    const room = maxServerBytes(this.#parts) - serverBytes(this.#parts)
    const { reply, stored: blob } = answerKv(request, options.blobs, room)
    if (reply) outbox.add(reply)
    const isSilent = life.isAnswering && out.isEmpty && out.calls === 0
    if (blob && isSilent) stored.look(blob, now)
  }

  #onCheckpoint(state: ConversationStateStructure, encoded: Uint8Array | undefined): void {
    const { continuation, held, execs, life, usage } = this.#parts
    continuation.checkpoint.take(state, encoded)
    held.onCheckpoint()
    execs.onCheckpoint()
    life.checkpoint()
    if (state.tokenDetails) usage.onContext(state.tokenDetails.usedTokens)
  }

  #malformed(what: string): GatewayError {
    return new GatewayError('upstream-protocol', `${this.#parts.options.backend}: the upstream sent ${what}.`)
  }
}

const isDone = (state: RunState) => state.phase === 'parked' && state.stream === 'done'
