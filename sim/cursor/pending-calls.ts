// The open calls of a checkpoint as strings, and back. The service's own format is unknown: here it is JSON with the call's id and enough
// to request the call again.

import { create, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import { ExecServerMessageSchema } from '../../proto/gen/agent/v1/exec_pb.ts'
import type { ConversationStateStructure } from '../../proto/gen/agent/v1/run_pb.ts'
import { isRecord } from '../shape.ts'
import { callIdOf, type KnownExec } from './exec-kinds.ts'
import type { Exec } from './exec-ledger.ts'
import { Refusal } from './refusal.ts'

export interface PendingCall {
  readonly toolCallId: string
  /** Its earlier exec number. */
  readonly execId: number
  readonly spec: KnownExec
}

/** Execs of the service itself have no id, and are not among the pending calls. */
export function writePending(execs: readonly Exec[]): string[] {
  return execs.flatMap(({ id, name, spec }) => {
    const toolCallId = 'args' in spec ? callIdOf(spec.args) : ''
    if (!('args' in spec) || toolCallId === '') return []
    const message = create(ExecServerMessageSchema, { id, message: spec.args })
    return [JSON.stringify({ toolCallId, exec: name, message: toJson(ExecServerMessageSchema, message) })]
  })
}

/** Throws a Refusal for a string that no checkpoint has. */
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
    // Not from a checkpoint of this simulator.
    return {}
  }
}
