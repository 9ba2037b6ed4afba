// The small messages that a client sends during a run, encoded.

import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { AgentClientMessageSchema } from '../../../proto/gen/agent/v1/run_pb.ts'
import type { ExecReply } from './native.ts'

type ClientMessage = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>['message']>

const encode = (message: ClientMessage) =>
  toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message }))

export const clientHeartbeat = encode({ case: 'clientHeartbeat', value: {} })

type Control = NonNullable<Extract<ClientMessage, { case: 'execClientControlMessage' }>['value']['message']>
const control = (message: Control) => encode({ case: 'execClientControlMessage', value: { message } })

export const execHeartbeat = (id: number) => control({ case: 'heartbeat', value: { id } })

/** Replies to an exec that does not end yet. */
export const execPieces = (id: number, replies: readonly ExecReply[]): Uint8Array[] =>
  replies.map((message) => encode({ case: 'execClientMessage', value: { id, message } }))

/** Replies and the close that ends the exec; without the close the server waits for more. */
export const execReplies = (id: number, replies: readonly ExecReply[]): Uint8Array[] => [
  ...execPieces(id, replies),
  control({ case: 'streamClose', value: { id } }),
]

export const execThrow = (id: number, error: string): Uint8Array[] => [
  control({ case: 'throw', value: { id, error } }),
  control({ case: 'streamClose', value: { id } }),
]

interface Injection {
  injectionId: string
  /** The target run. */
  runId: string
  text: string
  messageId: string
}

/** Words of the user for a run under way. */
export function contextInjection({ injectionId, runId, text, messageId }: Injection): Uint8Array {
  const context = { case: 'userContext' as const, value: { userMessage: { text, messageId } } }
  const value = { injectionId, expectedRunId: runId, context }
  return encode({
    case: 'conversationAction',
    value: { action: { case: 'injectContextAction', value } },
  })
}

/** Written by hand, with the data copied once: the encoder copies it for every enclosing message. */
export function blobFound(id: number, blobData: Uint8Array | undefined): Uint8Array {
  const field = (no: number, length: number) =>
    new BinaryWriter().tag(no, WireType.LengthDelimited).uint32(length).finish()
  const data = blobData ? field(1, blobData.length) : new Uint8Array(0)
  const result = field(2, data.length + (blobData?.length ?? 0))
  const number = new BinaryWriter().tag(1, WireType.Varint).uint32(id).finish()
  const inside = number.length + result.length + data.length + (blobData?.length ?? 0)
  const head = Buffer.concat([field(3, inside), number, result, data])
  const message = new Uint8Array(head.length + (blobData?.length ?? 0))
  message.set(head)
  if (blobData) message.set(blobData, head.length)
  return message
}

export const blobStored = (id: number, error?: string) =>
  encode({
    case: 'kvClientMessage',
    value: {
      id,
      message: { case: 'setBlobResult', value: error === undefined ? {} : { error: { message: error } } },
    },
  })
