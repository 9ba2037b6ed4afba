// What the server asks the client to do: answered at once, made a tool call of the answer, or held for the next answer.

import type { ExecServerMessage } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { AnswerFlow } from './answer-flow.ts'
import { upstreamIdOf } from './answered-execs.ts'
import { execReplies, execThrow } from './client-messages.ts'
import { decideExec, type ExecCall } from './exec.ts'
import type { ResultFlow } from './result-flow.ts'
import type { RunParts } from './run-parts.ts'

export class ExecFlow {
  readonly #parts: RunParts
  readonly #results: ResultFlow
  readonly #answer: AnswerFlow

  constructor(parts: RunParts, results: ResultFlow, answer: AnswerFlow) {
    this.#parts = parts
    this.#results = results
    this.#answer = answer
  }

  /** `bytes`: the size of the message. `hold`: the caller keeps the message for the next answer. */
  onExec(exec: ExecServerMessage, bytes: number, now: number): 'done' | 'hold' {
    const { outbox, execs, desk, life, window } = this.#parts
    if (outbox.isServerGone && !isCall(exec)) return 'done'
    const known = execs.recall(exec, outbox.sent)
    if (known) {
      outbox.addAll(known)
      return 'done'
    }
    const decision = decideExec(exec, desk)
    if (life.isAnswering && isCall(exec)) window.onAsked(upstreamIdOf(exec))
    if (decision.type === 'throw') outbox.addAll(execThrow(exec.id, decision.error))
    else if (decision.type === 'reply') outbox.addAll(execReplies(exec.id, decision.replies))
    else if (!life.isAnswering) return 'hold'
    else this.#call(exec, decision.call, { bytes, now })
    return 'done'
  }

  onAbort(execId: number): void {
    const { outbox, execs, life } = this.#parts
    const replies = execs.abort(execId)
    if (replies) {
      // The server goes on without the call, and what it says then is no part of the answer that has the call.
      if (life.isAnswering) this.#answer.park()
      outbox.addAll(replies)
    } else {
      const call = this.#takeHeld(execId)
      if (call) outbox.addAll(execReplies(execId, call.aborted()))
    }
  }

  #call(exec: ExecServerMessage, call: ExecCall, { bytes, now }: { bytes: number; now: number }): void {
    const { execs, clocks, stored, out, answer, window } = this.#parts
    this.#results.release(false)
    const { callId, name, input } = execs.open(exec, call, bytes, answer.calls)
    clocks.onExecOpened(now)
    stored.forget()
    out.call(callId, name, input)
    if (answer.parallelToolCalls) window.open(now)
    else this.#answer.park()
  }

  /** A call that the client has not seen yet, and need not see. */
  #takeHeld(execId: number): ExecCall | undefined {
    const exec = this.#parts.held.takeExec(execId)
    const decision = exec && decideExec(exec, this.#parts.desk)
    return decision?.type === 'call' ? decision.call : undefined
  }
}

/** A tool call of the model. False for questions of the service itself. */
function isCall({ message }: ExecServerMessage): boolean {
  return (
    message.value !== undefined && 'toolCallId' in message.value && !message.case.endsWith('PrecheckArgs')
  )
}
