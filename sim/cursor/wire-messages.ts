// Encoding and decoding of messages beyond one call of the library.

import { randomBytes, randomUUID } from 'node:crypto'
import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { type ExecServerMessage, ExecServerMessageSchema } from '../../proto/gen/agent/v1/exec_pb.ts'
import type { InteractionQuerySchema } from '../../proto/gen/agent/v1/interaction_pb.ts'
import type { KvServerMessageSchema } from '../../proto/gen/agent/v1/kv_pb.ts'
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
} from '../../proto/gen/agent/v1/run_pb.ts'
import type { Exec } from './exec-ledger.ts'
import { Refusal } from './refusal.ts'

export type ServerPayload = AgentServerMessage['message']
export type QueryInit = NonNullable<MessageInitShape<typeof InteractionQuerySchema>['query']>
export type KvInit = NonNullable<MessageInitShape<typeof KvServerMessageSchema>['message']>
type ServerInit = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>['message']>

const LENGTH_DELIMITED = 2

export function decodeClientMessage(bytes: Uint8Array): AgentClientMessage {
  try {
    return fromBinary(AgentClientMessageSchema, bytes)
  } catch (cause) {
    throw new Refusal('invalid_argument', `a message that cannot be decoded: ${cause}`)
  }
}

export function toAbort(id: number): ServerPayload {
  const value = { message: { case: 'abort' as const, value: { id } } }
  return payload({ case: 'execServerControlMessage', value })
}

export function toQueryMessage(id: number, query: QueryInit): ServerPayload {
  return payload({ case: 'interactionQuery', value: { id, query } })
}

export function toKvMessage(id: number, message: KvInit): ServerPayload {
  return payload({ case: 'kvServerMessage', value: { id, message } })
}

function payload(message: ServerInit): ServerPayload {
  return create(AgentServerMessageSchema, { message }).message
}

/** The service writes its trace before newer kinds of request, and writes default values explicitly. */
const ENVELOPE = { acceptHookAdditionalContexts: false }
const NOT_SAMPLED = 0

export function toExecMessage({ id, spec }: Exec): ExecServerMessage {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  const spanContext = { traceId, spanId, traceFlags: NOT_SAMPLED }
  const message = create(ExecServerMessageSchema, { id, spanContext, ...ENVELOPE })
  const isMcpState = 'args' in spec && spec.args.case === 'mcpStateExecArgs'
  if (!isMcpState) message.execId = randomUUID()
  if ('args' in spec) {
    message.message = spec.args
  } else {
    // The length precedes the bytes, as on the wire.
    const data = Uint8Array.from([...varint(spec.bytes.length), ...spec.bytes])
    message.$unknown = [{ no: spec.field, wireType: LENGTH_DELIMITED, data }]
  }
  return message
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
