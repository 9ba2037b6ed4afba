// The execs of a run that the client's tools do: which are open, as which calls the client got them, and how they were
// answered. It outlasts the streams of its run: what was asked on a stream that broke is known when it is asked again.

import { createHash } from 'node:crypto'
import { create, equals } from '@bufbuild/protobuf'
import { type ExecServerMessage, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import { plainInput } from '../../core/call-key.ts'
import type { ToolCallPart, ToolResult } from '../../core/request.ts'
import { callIdOf } from '../../core/session-id.ts'
import { execPieces, execReplies } from './client-messages.ts'
import type { ExecCall } from './exec.ts'
import type { ExecReply } from './native.ts'
import { type OutputStream, ShellOutput } from './shell-output.ts'

interface OpenExec extends ExecCall {
  callId: string
  request: ExecServerMessage
  /** Under which the stream of the moment asks for it; empty between two streams. */
  execIds: number[]
  /** What the stream of the moment was told of it before its end. */
  output: ShellOutput
  /** About what the request takes: one that writes a file has it inside. */
  bytes: number
}

interface AnsweredExec {
  /** Of the client's result; `none` where the model was told that there is none, `unwanted` where the server aborted. */
  digest: string
  /** For a server that asks the same again; forgotten when it grows too much. */
  again: { request: ExecServerMessage; replies: readonly ExecReply[]; bytes: number } | undefined
  /** On a stream that broke since: this server may not have got it. */
  isOfOldStream: boolean
  /** A checkpoint came behind it: from there the server does not ask for it again. */
  isCovered: boolean
}

/** What is to be made of a result: `different` from the one that was taken, `late` where none was waited for any more. */
export type ResultState = 'open' | 'duplicate' | 'different' | 'late' | 'unknown'

/** Of the answers that are remembered, the latest ones first. */
const maxAnsweredBytes = 1024 * 1024
/** A message may hold 16 MiB, and text grows when it is encoded. */
const maxResultLength = 5 * 1024 * 1024

const none = 'none'
const unwanted = 'unwanted'
const missingResult = 'The client gave no result for this call.'

export class ExecLedger {
  readonly #sessionId: string
  readonly #open = new Map<string, OpenExec>()
  readonly #answered = new Map<string, AnsweredExec>()
  /** The calls of the last answer, as the client got them. */
  readonly #made = new Map<string, { name: string; input: string }>()
  #isRoundOver = false
  #hasGap = false
  #calls = 0
  /** The server's own names of all calls; empty for one that it did not name. */
  readonly upstreamIds = new Set<string>()

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  get openIds(): number[] {
    return [...this.#open.values()].flatMap(({ execIds }) => execIds)
  }

  /** Call ids whose results are waited for. */
  get waitingFor(): string[] {
    return [...this.#open.keys()]
  }

  get bytes(): number {
    const open = [...this.#open.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    return [...this.#answered.values()].reduce((sum, { again }) => sum + (again?.bytes ?? 0), open)
  }

  /** What to say to an exec that was asked before: nothing while the client is at it. */
  recall(exec: ExecServerMessage): readonly Uint8Array[] | undefined {
    for (const open of this.#open.values()) {
      if (open.execIds.includes(exec.id)) return []
      if (!isSameWork(open.request, exec)) continue
      open.execIds.push(exec.id)
      return []
    }
    for (const answered of this.#answered.values()) {
      const { again, isOfOldStream } = answered
      if (!again || !(isOfOldStream ? isSameWork(again.request, exec) : isSameRequest(again.request, exec)))
        continue
      // Once for each stream: the same work under the same call may be wanted anew later, as a file is read again.
      answered.isOfOldStream = false
      again.request = exec
      return execReplies(exec.id, again.replies)
    }
    return undefined
  }

  /** Makes a call of an exec; its id leads back to this run. */
  open(request: ExecServerMessage, call: ExecCall): { callId: string; input: string } {
    if (this.#isRoundOver) this.#made.clear()
    this.#isRoundOver = false
    const callId = callIdOf(this.#sessionId, this.#calls++)
    const input = JSON.stringify(call.input)
    const exec = { ...call, callId, request, execIds: [request.id], output: new ShellOutput() }
    this.#open.set(callId, { ...exec, bytes: input.length })
    this.#made.set(callId, { name: call.tool, input })
    this.upstreamIds.add(upstreamIdOf(request))
    return { callId, input }
  }

  /** These are calls of the last answer, as they were made: a client that changed one tells another story. */
  isAsMade(calls: readonly ToolCallPart[]): boolean {
    return calls.every(({ callId, name, input }) => {
      const made = this.#made.get(callId)
      if (made === undefined || made.name !== name) return false
      return plainInput(input) === plainInput(made.input)
    })
  }

  stateOf(result: ToolResult): ResultState {
    if (this.#open.has(result.callId)) return 'open'
    const answered = this.#answered.get(result.callId)
    if (!answered) return 'unknown'
    if (answered.digest === none) return 'late'
    return answered.digest === unwanted || answered.digest === digestOf(result) ? 'duplicate' : 'different'
  }

  /** The last of these open calls whose result can carry words of the user. */
  carrier(callIds: Iterable<string>): string | undefined {
    return [...callIds].findLast((callId) => this.#open.get(callId)?.carries)
  }

  /** A piece of what an open call puts out while it is at work; only streamed commands have room for that. */
  onOutput(callId: string, stream: OutputStream, data: string): Uint8Array[] {
    const exec = this.#open.get(callId)
    if (exec?.request.message.case !== 'shellStreamArgs' || exec.execIds.length !== 1 || data === '')
      return []
    const pieces = exec.output.next(stream, data)
    return exec.execIds.flatMap((execId) => execPieces(execId, pieces))
  }

  /** Answers an open call. */
  give(result: ToolResult, words?: string): Uint8Array[] {
    const exec = this.#open.get(result.callId)
    return exec ? this.#answer(exec, digestOf(result), repliesFor(exec, result, words)) : []
  }

  /**
   * Answers all that is open. What has no result is answered for the client, so that the model does not wait; `words` of
   * the user ride along with the last result that can carry them.
   */
  giveAll(results: ReadonlyMap<string, ToolResult>, words?: string): Uint8Array[] {
    this.#isRoundOver = true
    const carrier = words === undefined ? undefined : this.carrier(results.keys())
    return [...this.#open.values()].flatMap((exec) => {
      const result = results.get(exec.callId)
      if (!result) return this.#answer(exec, none, exec.failed(missingResult))
      return this.give(result, exec.callId === carrier ? words : undefined)
    })
  }

  /** The server takes an exec back; undefined where it is none of these. */
  abort(execId: number): Uint8Array[] | undefined {
    const exec = [...this.#open.values()].find(({ execIds }) => execIds.includes(execId))
    return exec && this.#answer(exec, unwanted, exec.aborted())
  }

  /** All that the server could ask for again from its last checkpoint. */
  get remembersEnough(): boolean {
    return !this.#hasGap
  }

  onCheckpoint(): void {
    for (const answered of this.#answered.values()) answered.isCovered = true
    this.#hasGap = false
  }

  /** The stream broke; another one may ask for the same, under other numbers. */
  onStreamLost(): void {
    for (const exec of this.#open.values()) {
      exec.execIds = []
      exec.output = new ShellOutput()
    }
    for (const answered of this.#answered.values()) answered.isOfOldStream = true
  }

  #answer(exec: OpenExec, digest: string, replies: readonly ExecReply[]): Uint8Array[] {
    this.#open.delete(exec.callId)
    const rest = exec.output.rest(replies)
    const perExec = exec.execIds.map((execId) => execReplies(execId, rest))
    const [encoded = execReplies(0, replies)] = perExec
    const bytes = encoded.reduce((sum, reply) => sum + reply.length, exec.bytes)
    const again = { request: exec.request, replies, bytes }
    const isOfOldStream = exec.execIds.length === 0
    this.#answered.set(exec.callId, { digest, again, isOfOldStream, isCovered: false })
    this.#forgetOldest()
    return perExec.flat()
  }

  /** Those of the last answer stay, however large: no checkpoint may have them yet. */
  #forgetOldest(): void {
    let bytes = 0
    for (const [callId, answered] of [...this.#answered].reverse()) {
      bytes += answered.again?.bytes ?? 0
      if (bytes <= maxAnsweredBytes || this.#made.has(callId)) continue
      if (answered.again && !answered.isCovered) this.#hasGap = true
      answered.again = undefined
    }
  }
}

/** The same request to the letter, its number included. */
const isSameRequest = (one: ExecServerMessage, other: ExecServerMessage) =>
  equals(ExecServerMessageSchema, one, other)

/** The same work of the same call, under whatever number it is asked for. */
function isSameWork(one: ExecServerMessage, other: ExecServerMessage): boolean {
  const upstreamId = upstreamIdOf(one)
  if (upstreamId === '' || upstreamId !== upstreamIdOf(other)) return false
  const plain = ({ message }: ExecServerMessage) => create(ExecServerMessageSchema, { message })
  return equals(ExecServerMessageSchema, plain(one), plain(other))
}

const upstreamIdOf = ({ message }: ExecServerMessage) =>
  (message.value !== undefined && 'toolCallId' in message.value && message.value.toolCallId) || ''

/** What a result says, however it is written. Not all dialects can say that it is an error. */
function digestOf({ content }: ToolResult): string {
  const texts = content.map((part) => (part.type === 'text' ? part.text : ''))
  const media = content.flatMap((part) => (part.type === 'text' ? [] : [part.source]))
  return createHash('sha256')
    .update(JSON.stringify([texts.join(''), media]))
    .digest('base64')
}

/** The client's result as the exec's own; what cannot be said in its terms is a failure, never left unanswered. */
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
    return 'data' in part.source ? sum + part.source.data.length : sum
  }, 0)
