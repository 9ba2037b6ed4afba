// Requests and replies of native execs as JSON, for tests.

import { create, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import { ExecClientMessageSchema, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { Job, Outcome } from '../client-tools/job.ts'
import { replyTo } from './native.ts'
import { type ExecRequest, nativeKind } from './native-kinds.ts'

/** The request as protobuf JSON writes it → its row, and its arguments as messages. */
function rowOf(request: JsonValue) {
  const { message } = fromJson(ExecServerMessageSchema, request)
  const kind = nativeKind(message as ExecRequest)
  if (!kind) throw new Error('no such kind')
  return { kind, args: message.value as unknown }
}

export const jobOf = (request: JsonValue): Job | string => {
  const { kind, args } = rowOf(request)
  return kind.job(args)
}

export function repliesTo(request: JsonValue, outcome: Outcome): JsonValue[] {
  const { kind, args } = rowOf(request)
  return replyTo(kind, args, outcome).map((message) =>
    toJson(ExecClientMessageSchema, create(ExecClientMessageSchema, { message })),
  )
}
