// Calls that a checkpoint names as asked for and not yet answered, and the way back. What the service writes into
// these strings is not known: here they are JSON that holds the call's id and enough to ask for it again.

import { create, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import { ExecServerMessageSchema } from '../../proto/gen/agent/v1/exec_pb.ts'
import type { ConversationStateStructure } from '../../proto/gen/agent/v1/run_pb.ts'
import { isRecord } from '../shape.ts'
import { callIdOf, type KnownExec } from './exec-kinds.ts'
import type { Exec } from './exec-ledger.ts'
import { Refusal } from './refusal.ts'

export interface PendingCall {
  readonly toolCallId: string
  /** The number under which it was asked for before. */
  readonly execId: number
  readonly spec: KnownExec
}

/** Execs that are no calls of the model have no id, and are asked for anew by whoever needs them. */
export function writePending(execs: readonly Exec[]): string[] {
  return execs.flatMap(({ id, name, spec }) => {
    const toolCallId = 'args' in spec ? callIdOf(spec.args) : ''
    if (!('args' in spec) || toolCallId === '') return []
    const message = create(ExecServerMessageSchema, { id, message: spec.args })
    return [JSON.stringify({ toolCallId, exec: name, message: toJson(ExecServerMessageSchema, message) })]
  })
}

/** Throws a Refusal where a string is none that a checkpoint had. */
export function readPending(written: readonly string[]): PendingCall[] {
  return written.map((text, index) => {
    const { toolCallId, message } = parse(text)
    try {
      const { id, message: args } = fromJson(ExecServerMessageSchema, message as JsonValue)
      if (args.case === undefined || toolCallId !== callIdOf(args)) throw new Error('it names no call')
      return { toolCallId, execId: id, spec: { args } }
    } catch (cause) {
      throw new Refusal('invalid_argument', `pending_tool_calls[${index}] cannot be read: ${cause}`)
    }
  })
}

export function pendingIds(state: ConversationStateStructure | undefined): string[] {
  return (state?.pendingToolCalls ?? []).flatMap((text) => {
    const { toolCallId } = parse(text)
    return typeof toolCallId === 'string' ? [toolCallId] : []
  })
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    // A client's own invention: whoever wants to ask again says so.
    return {}
  }
}
