// One run of Cursor's agent as a state machine: server messages and time go in, events and replies come out. It does no
// I/O and reads no clock: whoever drives it passes `now` (milliseconds), sends the replies, and calls `elapse` at
// `wakeAt`.
//
// A run outlives the answers that are made of it. An answer ends with the turn, or with tool calls: then the run is
// *parked*, still read, answered and kept alive, until the results come and the next answer begins.

import { isDeepStrictEqual } from 'node:util'
import { equals, fromBinary } from '@bufbuild/protobuf'
import { type ExecServerMessage, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { InteractionUpdate } from '../../../proto/gen/agent/v1/interaction_pb.ts'
import type { KvServerMessage } from '../../../proto/gen/agent/v1/kv_pb.ts'
import {
  type AgentServerMessage,
  AgentServerMessageSchema,
  type ConversationStateStructure,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { BlockWriter } from '../../core/blocks.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent, Usage } from '../../core/events.ts'
import type { Tool, ToolCallPart, ToolResult } from '../../core/request.ts'
import { parseJson } from '../json.ts'
import { assistantText } from './blob-text.ts'
import type { BlobStore } from './blobs.ts'
import {
  blobFound,
  blobStored,
  clientHeartbeat,
  execHeartbeat,
  execReplies,
  execThrow,
} from './client-messages.ts'
import { decideExec, type ExecCall, type ExecDesk } from './exec.ts'
import { answerQuery } from './interaction.ts'
import type { RunPlan } from './request-out.ts'
import { RunUsage } from './usage.ts'

export interface RunOptions {
  /** The configured name of the backend, for messages. */
  backend: string
  /** Stem of the call ids, by which a follow-up finds this run. */
  sessionId: string
  blobs: BlobStore
  plan: RunPlan
  progressMs: number
}

/** What one answer is made under: each follow-up brings its own. */
export interface AnswerOptions {
  turnId: string
  model: string
  tools: readonly Tool[]
  parallelToolCalls: boolean
  note(text: string): void
}

interface PendingExec extends ExecCall {
  callId: string
  request: ExecServerMessage
}

/** How an exec was answered, for a server that asks the same again. */
interface AnsweredExec {
  request: ExecServerMessage
  replies: readonly Uint8Array[]
}

export type RunPhase = 'running' | 'parked' | 'ended'

const clientHeartbeatMs = 5_000
const execHeartbeatMs = 3_000
/** Calls that come together are one answer: it ends when the stream has been quiet for this long. */
const quietMs = 100
/** The same while a call is announced whose request has not come yet. */
const announcedMs = 3_000
/** An answer that stands only in a blob is given when nothing else has come for this long. */
const blobTextMs = 30_000

/** What may come for an answer that nobody has asked for yet; a server that says more does not wait for its results. */
const maxHeldBytes = 8 * 1024 * 1024
/** Of the answers that are remembered, the latest ones first. */
const maxAnsweredBytes = 1024 * 1024

/** A message may hold 16 MiB, and text grows when it is encoded. */
const maxResultLength = 5 * 1024 * 1024

const missingResult = 'The client gave no result for this call.'

export class AgentRun {
  readonly #options: Omit<RunOptions, 'plan'>
  #opening: Uint8Array | undefined
  readonly #desk: ExecDesk
  readonly #usage = new RunUsage()
  readonly #pending = new Map<number, PendingExec>()
  /** The calls of the current answer, as the client got them. */
  readonly #made = new Map<string, { name: string; input: string }>()
  /** Calls that the current answer was told of, and how many of them were then asked for. */
  readonly #announced = new Set<string>()
  #met = 0
  /** What the client is to see, but came while nobody was there to see it. */
  readonly #held: AgentServerMessage[] = []
  #heldBytes = 0
  readonly #answered = new Map<number, AnsweredExec>()
  readonly #said: string[]
  #replies: Uint8Array[] = []
  #events: TurnEvent[] = []
  #blocks = new BlockWriter()
  #answer: AnswerOptions
  #calls = 0
  #text = ''
  #blobText = ''
  #heartbeatAt = Number.POSITIVE_INFINITY
  #execHeartbeatAt = Number.POSITIVE_INFINITY
  #quietAt = Number.POSITIVE_INFINITY
  #progressAt = 0
  #blobTextAt = Number.POSITIVE_INFINITY
  phase: RunPhase = 'running'
  /** The state to go on from, as the server last gave it. */
  checkpoint: ConversationStateStructure | undefined

  constructor(options: RunOptions, answer: AnswerOptions) {
    const { plan, ...rest } = options
    this.#options = rest
    this.#answer = answer
    const { opening, context, workspace, said } = plan
    this.#opening = opening
    this.#desk = { tools: answer.tools, context, workspace, partlyRead: new Set(), note: answer.note }
    this.#said = [...said]
  }

  begin(now: number): void {
    if (this.#opening) this.#replies.push(this.#opening)
    // It may be large, and the run may live for long.
    this.#opening = undefined
    this.#heartbeatAt = now + clientHeartbeatMs
    this.#startAnswer(this.#answer, now)
  }

  /** Call ids whose results the run waits for. */
  get waitingFor(): string[] {
    return [...this.#pending.values()].map(({ callId }) => callId)
  }

  /** These are calls of this run, as they were made: a client that changed one tells another story. */
  madeCalls(calls: readonly ToolCallPart[]): boolean {
    return calls.every(({ callId, name, input }) => {
      const made = this.#made.get(callId)
      return (
        made !== undefined && made.name === name && isDeepStrictEqual(parseJson(input), parseJson(made.input))
      )
    })
  }

  /** The client's results, by call id. What it does not answer is answered for it: the model must not wait. */
  resume(results: ReadonlyMap<string, ToolResult>, answer: AnswerOptions, now: number): void {
    for (const [execId, exec] of this.#pending) {
      const replies = answerWith(execId, exec, results.get(exec.callId))
      this.#replies.push(...replies)
      this.#remember(execId, { request: exec.request, replies })
    }
    this.#pending.clear()
    this.#made.clear()
    this.#execHeartbeatAt = Number.POSITIVE_INFINITY
    this.#heldBytes = 0
    this.phase = 'running'
    this.#startAnswer(answer, now)
    for (const message of this.#held.splice(0)) this.#handle(message, now)
  }

  receive(payload: Uint8Array, now: number): void {
    let message: AgentServerMessage
    try {
      message = fromBinary(AgentServerMessageSchema, payload)
    } catch {
      this.#fail(this.#malformed('a message that cannot be decoded'))
      return
    }
    const held = this.#held.length
    this.#handle(message, now)
    if (this.#held.length > held) this.#onHeld(payload.length)
  }

  /** The stream is over: `error` says why, if it was not the server's own proper end. */
  end(error?: GatewayError): void {
    if (this.phase === 'ended') return
    this.#fail(error ?? this.#malformed('the end of its stream in the middle of the turn'))
  }

  /** The client was slow to take what came: that is no stall. */
  excuse(now: number): void {
    this.#progressAt = now
  }

  get wakeAt(): number {
    if (this.phase === 'ended') return Number.POSITIVE_INFINITY
    return Math.min(
      this.#heartbeatAt,
      this.#execHeartbeatAt,
      this.#quietAt,
      this.#blobTextAt,
      this.phase === 'running' ? this.#progressAt + this.#options.progressMs : Number.POSITIVE_INFINITY,
    )
  }

  elapse(now: number): void {
    if (this.phase === 'ended') return
    if (now >= this.#heartbeatAt) {
      this.#replies.push(clientHeartbeat)
      this.#heartbeatAt = now + clientHeartbeatMs
    }
    if (now >= this.#execHeartbeatAt) {
      for (const execId of this.#openExecs()) this.#replies.push(execHeartbeat(execId))
      this.#execHeartbeatAt = now + execHeartbeatMs
    }
    if (now >= this.#quietAt) this.#park()
    if (this.phase !== 'running') return
    if (now >= this.#blobTextAt) this.#finish(undefined)
    else if (now >= this.#progressAt + this.#options.progressMs) this.#stall()
  }

  take(): { events: TurnEvent[]; replies: Uint8Array[] } {
    const events = [...this.#events, ...this.#blocks.take()]
    const replies = this.#replies
    this.#events = []
    this.#replies = []
    return { events, replies }
  }

  #startAnswer(answer: AnswerOptions, now: number): void {
    this.#answer = answer
    this.#desk.tools = answer.tools
    this.#desk.note = answer.note
    this.#events.push(...this.#blocks.take())
    this.#blocks = new BlockWriter()
    this.#blocks.push({ type: 'turn-start', id: answer.turnId, model: answer.model })
    this.#text = ''
    this.#blobText = ''
    this.#progressAt = now
  }

  #handle(message: AgentServerMessage, now: number): void {
    const { case: kind, value } = message.message
    if (kind === 'kvServerMessage') this.#onKv(value, now)
    else if (kind === 'conversationCheckpointUpdate') this.#onCheckpoint(value)
    if (this.phase === 'ended') return
    switch (kind) {
      case 'interactionUpdate':
        this.#onUpdate(message, value, now)
        return
      case 'execServerMessage':
        this.#onExec(message, value, now)
        return
      case 'execServerControlMessage':
        if (value.message.case === 'abort') this.#onAbort(value.message.value.id)
        break
      case 'interactionQuery':
        this.#replies.push(answerQuery(value, this.#desk.tools.length > 0))
    }
    this.#progressed(now)
  }

  #progressed(now: number): void {
    this.#progressAt = now
    if (this.#blobTextAt !== Number.POSITIVE_INFINITY) this.#blobTextAt = now + blobTextMs
    if (this.#quietAt !== Number.POSITIVE_INFINITY) this.#listenForMore(now)
  }

  #onUpdate(message: AgentServerMessage, { message: update }: InteractionUpdate, now: number): void {
    if (update.case === 'heartbeat') return
    if (this.phase === 'parked') {
      // The turn cannot end well without the results: the follow-up starts afresh.
      if (update.case === 'turnEnded') this.phase = 'ended'
      else this.#held.push(message)
      return
    }
    switch (update.case) {
      case 'textDelta':
        if (update.value.text === '') break
        this.#blocks.text(update.value.text)
        this.#text += update.value.text
        this.#forgetBlobText()
        break
      case 'thinkingDelta':
        if (update.value.text !== '') this.#blocks.reasoning(update.value.text)
        break
      case 'thinkingCompleted':
        this.#blocks.close()
        break
      case 'tokenDelta':
        this.#usage.onTokens(update.value.tokens)
        break
      case 'partialToolCall':
      case 'toolCallStarted':
        this.#announced.add(update.value.callId)
        break
      case 'toolCallCompleted':
        this.#announced.delete(update.value.callId)
        // Its request, if there was one, no longer counts against the calls that are still to come.
        this.#met = Math.min(this.#met, this.#announced.size)
        break
      case 'turnEnded':
        this.#finish(this.#usage.final(update.value))
        return
    }
    this.#progressed(now)
  }

  #onExec(message: AgentServerMessage, exec: ExecServerMessage, now: number): void {
    // Asked again while the client is at it.
    if (this.#pending.has(exec.id)) return this.#progressed(now)
    const answered = this.#answered.get(exec.id)
    if (answered && equals(ExecServerMessageSchema, answered.request, exec)) {
      this.#replies.push(...answered.replies)
      return this.#progressed(now)
    }
    const decision = decideExec(exec, this.#desk)
    if (this.phase === 'running' && isCall(exec)) this.#met++
    if (decision.type === 'throw') this.#replies.push(...execThrow(exec.id, decision.error))
    else if (decision.type === 'reply') this.#reply(exec.id, decision.replies)
    else if (this.phase === 'parked') this.#held.push(message)
    else this.#call(exec, decision.call, now)
    this.#progressed(now)
  }

  #call(exec: ExecServerMessage, call: ExecCall, now: number): void {
    const callId = `sess_${this.#options.sessionId}__call_${(this.#calls++).toString(36)}`
    this.#pending.set(exec.id, { ...call, callId, request: exec })
    if (this.#execHeartbeatAt === Number.POSITIVE_INFINITY) this.#execHeartbeatAt = now + execHeartbeatMs
    this.#forgetBlobText()
    const input = JSON.stringify(call.input)
    this.#made.set(callId, { name: call.tool, input })
    this.#blocks.startCall(callId, call.tool)
    this.#blocks.endCall(input)
    if (this.#answer.parallelToolCalls) this.#listenForMore(now)
    else this.#park()
  }

  #listenForMore(now: number): void {
    // By number: the ids of an announcement and of its request need not be spelled the same.
    const isMoreAnnounced = this.#announced.size > this.#met
    this.#quietAt = now + (isMoreAnnounced ? announcedMs : quietMs)
  }

  #onAbort(execId: number): void {
    const exec = this.#pending.get(execId) ?? this.#takeHeld(execId)
    if (!exec) return
    this.#pending.delete(execId)
    this.#reply(execId, exec.aborted())
  }

  /** A call that the client has not heard of yet. */
  #takeHeld(execId: number): ExecCall | undefined {
    const at = this.#held.findIndex((message) => heldExec(message)?.id === execId)
    const exec = at < 0 ? undefined : heldExec(this.#held[at] as AgentServerMessage)
    if (!exec) return undefined
    this.#held.splice(at, 1)
    const decision = decideExec(exec, this.#desk)
    return decision.type === 'call' ? decision.call : undefined
  }

  #onHeld(bytes: number): void {
    this.#heldBytes += bytes
    if (this.#heldBytes <= maxHeldBytes) return
    // As with a turn that ends without the results: the follow-up starts afresh.
    this.#held.length = 0
    this.phase = 'ended'
  }

  /** Every exec that the server waits for, whether the client knows of it or not. */
  #openExecs(): Set<number> {
    const held = this.#held.flatMap((message) => heldExec(message)?.id ?? [])
    return new Set([...this.#pending.keys(), ...held])
  }

  #remember(execId: number, answered: AnsweredExec): void {
    this.#answered.delete(execId)
    this.#answered.set(execId, answered)
    let bytes = 0
    for (const [id, { replies }] of [...this.#answered].reverse()) {
      bytes += replies.reduce((sum, reply) => sum + reply.length, 0)
      if (bytes > maxAnsweredBytes) this.#answered.delete(id)
    }
  }

  #onKv({ id, message }: KvServerMessage, now: number): void {
    if (message.case === 'getBlobArgs') {
      this.#replies.push(blobFound(id, this.#options.blobs.get(message.value.blobId)))
      return
    }
    if (message.case !== 'setBlobArgs') return
    const { blobId, blobData } = message.value
    const isNew = this.#options.blobs.get(blobId) === undefined
    const kept = this.#options.blobs.set(blobId, blobData)
    this.#replies.push(kept ? blobStored(id) : blobStored(id, 'This client has no more room for blobs.'))
    if (isNew && this.phase === 'running') this.#lookForText(blobData, now)
  }

  /** Some runs never stream their answer and only store it. */
  #lookForText(data: Uint8Array, now: number): void {
    if (this.#text !== '' || this.#blocks.calls > 0) return
    const text = assistantText(data)
    if (text.trim() === '' || this.#said.some((said) => said.includes(text.trim()))) return
    this.#blobText = text
    this.#blobTextAt = now + blobTextMs
  }

  #forgetBlobText(): void {
    this.#blobText = ''
    this.#blobTextAt = Number.POSITIVE_INFINITY
  }

  #onCheckpoint(state: ConversationStateStructure): void {
    this.checkpoint = state
    if (state.tokenDetails) this.#usage.onContext(state.tokenDetails.usedTokens)
  }

  #reply(execId: number, replies: Parameters<typeof execReplies>[1]): void {
    this.#replies.push(...execReplies(execId, replies))
  }

  #park(): void {
    this.phase = 'parked'
    this.#conclude('tool-calls', this.#usage.partial())
  }

  #finish(usage: Usage | undefined): void {
    if (this.#blobText !== '') {
      this.#blocks.text(this.#blobText)
      this.#answer.note('the upstream stored its answer without streaming it')
    }
    this.phase = 'ended'
    this.#conclude(this.#blocks.calls > 0 ? 'tool-calls' : 'stop', usage)
  }

  #conclude(reason: FinishReason, usage: Usage | undefined): void {
    if (this.#text !== '') this.#said.push(this.#text)
    this.#quietAt = Number.POSITIVE_INFINITY
    this.#announced.clear()
    this.#met = 0
    this.#forgetBlobText()
    this.#blocks.close()
    this.#blocks.push({ type: 'turn-end', reason, ...(usage === undefined ? {} : { usage }) })
  }

  #stall(): void {
    if (this.#blobText !== '') return this.#finish(undefined)
    this.#fail(
      new GatewayError(
        'timeout',
        `${this.#options.backend}: no progress from the upstream for ${this.#options.progressMs / 1000} s, only signs of life.`,
        { retryable: false },
      ),
    )
  }

  #fail(error: GatewayError): void {
    if (this.phase === 'ended') return
    const isSeen = this.phase === 'running'
    this.phase = 'ended'
    if (isSeen) this.#blocks.push({ type: 'turn-error', error })
  }

  #malformed(what: string): GatewayError {
    return new GatewayError('upstream-protocol', `${this.#options.backend}: the upstream sent ${what}.`)
  }
}

/** The client's result as the exec's own; what cannot be said in its terms is a failure, never left unanswered. */
function answerWith(execId: number, exec: ExecCall, result: ToolResult | undefined): Uint8Array[] {
  if (!result) return execReplies(execId, exec.failed(missingResult))
  if (sizeOf(result) > maxResultLength)
    return execReplies(execId, exec.failed('The result of the tool is too large: ask for less at once.'))
  try {
    return execReplies(execId, exec.answer(result))
  } catch {
    return execReplies(execId, exec.failed('The result of the tool could not be understood.'))
  }
}

const sizeOf = ({ content }: ToolResult) =>
  content.reduce((sum, part) => {
    if (part.type === 'text') return sum + part.text.length
    return 'data' in part.source ? sum + part.source.data.length : sum
  }, 0)

function heldExec({ message }: AgentServerMessage): ExecServerMessage | undefined {
  return message.case === 'execServerMessage' ? message.value : undefined
}

/** Something that the model wants done, not something that the service itself wants to know. */
function isCall({ message }: ExecServerMessage): boolean {
  return (
    message.value !== undefined && 'toolCallId' in message.value && !message.case.endsWith('PrecheckArgs')
  )
}
