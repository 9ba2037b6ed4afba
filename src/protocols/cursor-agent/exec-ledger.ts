// The execs of a run that became tool calls: which are open, as which calls the client got them, and how they were answered.
// It outlives the run's streams: an exec of a broken stream is recognized when the next stream asks for it again.

import { createHash } from 'node:crypto'
import type { ExecServerMessage } from '../../../proto/gen/agent/v1/exec_pb.ts'
import { Buckets } from '../../base/buckets.ts'
import type { CallCheck } from '../../core/call-check.ts'
import { type KnownCall, plainInput } from '../../core/call-key.ts'
import type { ToolCallPart, ToolResult } from '../../core/request.ts'
import { callIdOf } from '../../core/session-id.ts'
import { textCost } from '../../core/turn-budget.ts'
import { AnsweredExecs, isSameWork, upstreamIdOf } from './answered-execs.ts'
import { execPieces, execReplies } from './client-messages.ts'
import type { ExecCall } from './exec.ts'
import type { ExecReply } from './native.ts'
import { type OutputStream, ShellOutput } from './shell-output.ts'

interface OpenExec extends ExecCall {
  callId: string
  request: ExecServerMessage
  /** The numbers by which the current stream asks for it; empty between two streams. */
  execIds: number[]
  /** Output that was already sent on the current stream. */
  output: ShellOutput
  /** Size on the wire: a request that writes a file contains the file. */
  bytes: number
}

/** `different`: another result was accepted before. `late`: the model was told that there is no result. */
export type ResultState = 'open' | 'duplicate' | 'different' | 'late' | 'unknown'

/** Estimated memory of a call beside its texts. */
const execCost = 1024

/** Estimated memory of an open call: its request and its input, with two bytes a character. */
const openCost = (bytes: number) => 4 * bytes + execCost

/** A message may hold 16 MiB, and text grows when it is encoded. */
const maxResultLength = 5 * 1024 * 1024

/** In place of a result's digest: the model was told that there is no result, or the server aborted the call. */
const none = 'none'
const unwanted = 'unwanted'
const missingResult = 'The client gave no result for this call.'

export class ExecLedger {
  readonly #sessionId: string
  readonly #open = new Map<string, OpenExec>()
  /** By the numbers of the current stream. */
  readonly #openByNumber = new Map<number, OpenExec>()
  readonly #openOfCall = new Buckets<string, OpenExec>()
  readonly #answered = new AnsweredExecs()
  /** The calls of the last answer as the client got them. */
  readonly #made = new Map<string, { name: string; input: string }>()
  #isRoundOver = false
  #calls = 0
  #openBytes = 0
  /** Memory that each call uses until the run ends: its ids and the digest of its result. */
  #callBytes = 0
  /** The server's own ids of all calls; empty for a call without an id. */
  readonly upstreamIds = new Set<string>()

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  get openIds(): number[] {
    return [...this.#open.values()].flatMap(({ execIds }) => execIds)
  }

  /** Ids of the calls whose results are missing. */
  get waitingFor(): string[] {
    return [...this.#open.keys()]
  }

  /** About how much memory it uses. */
  get bytes(): number {
    return this.#openBytes + this.#answered.bytes + this.#callBytes
  }

  /** The replies to an exec that was asked before: none while its call is open. Undefined for a new exec. */
  recall(exec: ExecServerMessage, sent = 0): readonly Uint8Array[] | undefined {
    if (this.#openByNumber.has(exec.id)) return []
    const upstreamId = upstreamIdOf(exec)
    for (const open of upstreamId === '' ? [] : this.#openOfCall.of(upstreamId)) {
      if (!isSameWork(open.request, exec)) continue
      open.execIds.push(exec.id)
      this.#openByNumber.set(exec.id, open)
      return []
    }
    const replies = this.#answered.recall(exec, sent)
    return replies && execReplies(exec.id, replies)
  }

  /**
   * Makes a call of an exec; the session id in its call id leads back to this run. `size`: of the message. The service knows the call by
   * the exec, so the call as `calls` corrects it is the only one that counts.
   */
  open(request: ExecServerMessage, call: ExecCall, size = 0, calls?: CallCheck): KnownCall {
    if (this.#isRoundOver) this.#made.clear()
    this.#isRoundOver = false
    const callId = callIdOf(this.#sessionId, this.#calls++)
    const input = JSON.stringify(call.input)
    const output = new ShellOutput()
    const bytes = Math.max(size, input.length)
    const exec = { ...call, callId, request, execIds: [request.id], output, bytes }
    this.#openBytes += openCost(bytes)
    this.#callBytes += execCost + textCost(upstreamIdOf(request))
    this.#open.set(callId, exec)
    this.#openByNumber.set(request.id, exec)
    this.#openOfCall.add(upstreamIdOf(request), exec)
    const made = { callId, name: call.tool, input }
    const shown = calls?.check(made, false, call.input) ?? made
    this.#made.set(callId, { name: shown.name, input: shown.input })
    this.upstreamIds.add(upstreamIdOf(request))
    return shown
  }

  /** True if these are calls of the last answer, unchanged. A client that changed one has another conversation. */
  isAsMade(calls: readonly ToolCallPart[]): boolean {
    return calls.every(({ callId, name, input }) => {
      const made = this.#made.get(callId)
      if (made === undefined || made.name !== name) return false
      return plainInput(input) === plainInput(made.input)
    })
  }

  stateOf(result: ToolResult): ResultState {
    if (this.#open.has(result.callId)) return 'open'
    const digest = this.#answered.digestOf(result.callId)
    if (digest === undefined) return 'unknown'
    if (digest === none) return 'late'
    return digest === unwanted || digest === digestOf(result) ? 'duplicate' : 'different'
  }

  /** The last of these open calls whose result can carry words of the user. */
  carrier(callIds: Iterable<string>): string | undefined {
    return [...callIds].findLast((callId) => this.#open.get(callId)?.carries)
  }

  /** A piece of an open call's output. Only streamed commands can send it. */
  onOutput(callId: string, stream: OutputStream, data: string): Uint8Array[] {
    const exec = this.#open.get(callId)
    if (exec?.request.message.case !== 'shellStreamArgs' || exec.execIds.length !== 1 || data === '')
      return []
    const pieces = exec.output.next(stream, data)
    return exec.execIds.flatMap((execId) => execPieces(execId, pieces))
  }

  /** Answers an open call. `sent`: how many messages precede the answer; undefined if not known yet. */
  give(result: ToolResult, sent?: number): Uint8Array[] {
    const exec = this.#open.get(result.callId)
    const given = exec ? this.#answer(exec, digestOf(result), repliesFor(exec, result, undefined), sent) : []
    this.#forgetOldest()
    return given
  }

  /**
   * Answers all open calls. A call without a result gets an error, so that the model does not wait. `words` of the user are
   * added to the last result that can carry them.
   */
  giveAll(results: ReadonlyMap<string, ToolResult>, words?: string, sent = 0): Uint8Array[] {
    this.#isRoundOver = true
    const carrier = words === undefined ? undefined : this.carrier(results.keys())
    const given: Uint8Array[] = []
    for (const exec of [...this.#open.values()]) {
      const result = results.get(exec.callId)
      const replies = result
        ? repliesFor(exec, result, exec.callId === carrier ? words : undefined)
        : exec.failed(missingResult)
      const digest = result ? digestOf(result) : none
      for (const reply of this.#answer(exec, digest, replies, sent + given.length)) given.push(reply)
    }
    this.#forgetOldest()
    return given
  }

  /** The server confirms the result of this call, by its own id. */
  acknowledge(upstreamId: string): void {
    this.#answered.acknowledge(upstreamId)
  }

  /** The server has a result that its last checkpoint lacks. */
  isAheadOfCheckpoint(taken: number): boolean {
    return this.#answered.hasMoreThanCheckpoint(taken)
  }

  /** The server aborts an exec. Undefined if it is not open. */
  abort(execId: number): Uint8Array[] | undefined {
    const exec = this.#openByNumber.get(execId)
    const given = exec && this.#answer(exec, unwanted, exec.aborted(), undefined)
    this.#forgetOldest()
    return given
  }

  /** True if every answer is remembered that the server could ask for again from its last checkpoint. */
  get remembersEnough(): boolean {
    return this.#answered.remembersEnough
  }

  onCheckpoint(): void {
    this.#answered.onCheckpoint()
  }

  /** The stream broke. The next one may ask for the same execs under other numbers. */
  onStreamLost(): void {
    for (const exec of this.#open.values()) {
      exec.execIds = []
      exec.output = new ShellOutput()
    }
    this.#openByNumber.clear()
    this.#answered.onStreamLost()
  }

  #answer(
    exec: OpenExec,
    digest: string,
    replies: readonly ExecReply[],
    sent: number | undefined,
  ): Uint8Array[] {
    const { callId, execIds, request } = exec
    this.#open.delete(callId)
    this.#openBytes -= openCost(exec.bytes)
    this.#openOfCall.delete(upstreamIdOf(request), exec)
    for (const execId of execIds) this.#openByNumber.delete(execId)
    const rest = exec.output.rest(replies)
    const perExec = execIds.map((execId) => execReplies(execId, rest))
    const [encoded = execReplies(0, replies)] = perExec
    const bytes = encoded.reduce((sum, reply) => sum + reply.length, exec.bytes)
    const given = perExec.flat()
    const isOfOldStream = execIds.length === 0
    const lastMessage = sent === undefined || isOfOldStream ? undefined : sent + given.length - 2
    this.#answered.add({ callId, digest, request, replies, bytes, isOfOldStream, lastMessage })
    return given
  }

  /** Calls of the last answer are never forgotten. */
  #forgetOldest(): void {
    this.#answered.forgetOldest((callId) => this.#made.has(callId))
  }
}

/** Digest of what a result says. `isError` is not part of it: not all dialects have it. */
function digestOf({ content }: ToolResult): string {
  const texts = content.map((part) => (part.type === 'text' ? part.text : ''))
  const media = content.flatMap((part) => ('source' in part ? [part.source] : []))
  return createHash('sha256')
    .update(JSON.stringify([texts.join(''), media]))
    .digest('base64')
}

/** The client's result as the typed result of the exec. A result that does not fit becomes a failure: every exec gets an answer. */
function repliesFor(exec: ExecCall, result: ToolResult, words: string | undefined): ExecReply[] {
  if (sizeOf(result) > maxResultLength)
    return exec.failed('The result of the tool is too large: ask for less at once.')
  try {
    return exec.answer(result, words)
  } catch {
    return exec.failed('The result of the tool could not be understood.')
  }
}

const sizeOf = ({ content }: ToolResult) =>
  content.reduce((sum, part) => {
    if (part.type === 'text') return sum + part.text.length
    return 'source' in part && 'data' in part.source ? sum + part.source.data.length : sum
  }, 0)
