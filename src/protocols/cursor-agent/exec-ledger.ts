// The execs of a run that the client's tools do: which are open, as which calls the client got them, and how they were
// answered.

import { isDeepStrictEqual } from 'node:util'
import { equals } from '@bufbuild/protobuf'
import { type ExecServerMessage, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { ToolCallPart, ToolResult } from '../../core/request.ts'
import { parseJson } from '../json.ts'
import { execReplies } from './client-messages.ts'
import type { ExecCall } from './exec.ts'

interface OpenExec extends ExecCall {
  callId: string
  request: ExecServerMessage
}

/** For a server that asks the same again. */
interface AnsweredExec {
  request: ExecServerMessage
  replies: readonly Uint8Array[]
}

/** Of the answers that are remembered, the latest ones first. */
const maxAnsweredBytes = 1024 * 1024
/** A message may hold 16 MiB, and text grows when it is encoded. */
const maxResultLength = 5 * 1024 * 1024

const missingResult = 'The client gave no result for this call.'

export class ExecLedger {
  readonly #sessionId: string
  readonly #open = new Map<number, OpenExec>()
  readonly #answered = new Map<number, AnsweredExec>()
  /** The calls of the current answer, as the client got them. */
  readonly #made = new Map<string, { name: string; input: string }>()
  #calls = 0

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  get openIds(): number[] {
    return [...this.#open.keys()]
  }

  /** Call ids whose results are waited for. */
  get waitingFor(): string[] {
    return [...this.#open.values()].map(({ callId }) => callId)
  }

  /** What to say to an exec that was asked before: nothing while the client is at it. */
  recall(exec: ExecServerMessage): readonly Uint8Array[] | undefined {
    if (this.#open.has(exec.id)) return []
    const answered = this.#answered.get(exec.id)
    return answered && equals(ExecServerMessageSchema, answered.request, exec) ? answered.replies : undefined
  }

  /** Makes a call of an exec; its id leads back to this run. */
  open(request: ExecServerMessage, call: ExecCall): { callId: string; input: string } {
    const callId = `sess_${this.#sessionId}__call_${(this.#calls++).toString(36)}`
    const input = JSON.stringify(call.input)
    this.#open.set(request.id, { ...call, callId, request })
    this.#made.set(callId, { name: call.tool, input })
    return { callId, input }
  }

  /** These are calls of the last answer, as they were made: a client that changed one tells another story. */
  isAsMade(calls: readonly ToolCallPart[]): boolean {
    return calls.every(({ callId, name, input }) => {
      const made = this.#made.get(callId)
      if (made === undefined || made.name !== name) return false
      return isDeepStrictEqual(parseJson(input), parseJson(made.input))
    })
  }

  /** The client's results, by call id. What it does not answer is answered for it: the model must not wait. */
  answer(results: ReadonlyMap<string, ToolResult>): Uint8Array[] {
    const all = [...this.#open].flatMap(([execId, exec]) => {
      const replies = answerWith(execId, exec, results.get(exec.callId))
      this.#remember(execId, { request: exec.request, replies })
      return replies
    })
    this.#open.clear()
    this.#made.clear()
    return all
  }

  /** Takes an exec out, without an answer. */
  remove(execId: number): ExecCall | undefined {
    const exec = this.#open.get(execId)
    this.#open.delete(execId)
    return exec
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
