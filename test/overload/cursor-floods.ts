// What a hostile Cursor service sends, as messages of its agent protocol.

import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { encodeEnvelope } from '../../src/protocols/connect/envelope.ts'
import { floodBytes } from './harness.ts'

type Message = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>['message']>

const frame = (message: Message) =>
  Buffer.from(
    encodeEnvelope(toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message }))),
  )

export interface CursorFlood {
  name: string
  head: readonly Buffer[]
  /** How often it is sent, unless the connection closes. */
  piece(at: number): Buffer
  times: number
  /** Each asks for this much; the service takes all of it, or nothing. */
  asksFor?: number
  takesNothing?: boolean
  /** How long one message may hold the event loop, if it is long. */
  heldMs?: number
  stream: boolean
}

const large = 15_000_000
const most = floodBytes
const blobId = Buffer.alloc(32, 1)
const zeros = Buffer.alloc(large)

const setBlob = (id: Uint8Array, blobData: Uint8Array) =>
  frame({
    case: 'kvServerMessage',
    value: { id: 1, message: { case: 'setBlobArgs', value: { blobId: id, blobData } } },
  })
const getBlob = frame({
  case: 'kvServerMessage',
  value: { id: 2, message: { case: 'getBlobArgs', value: { blobId } } },
})
const askContext = (id: number) =>
  frame({ case: 'execServerMessage', value: { id, message: { case: 'requestContextArgs', value: {} } } })
const call = (id: number, text: string) =>
  frame({
    case: 'execServerMessage',
    value: { id, message: { case: 'mcpArgs', value: { name: 'read', toolCallId: `${id}${text}` } } },
  })
const announce = (callId: string) =>
  frame({
    case: 'interactionUpdate',
    value: { message: { case: 'toolCallStarted', value: { callId } } },
  })
const checkpoint = (pendingToolCalls: string[]) =>
  frame({ case: 'conversationCheckpointUpdate', value: { pendingToolCalls } })
const say = frame({
  case: 'interactionUpdate',
  value: { message: { case: 'textDelta', value: { text: 'x'.repeat(10_000) } } },
})

const one = (piece: Buffer) => () => piece
const megabyte = 'x'.repeat(1_000_000)
const longText = 'x'.repeat(large)

export const cursorFloods: readonly CursorFlood[] = [
  { name: 'asks for one blob again and again, and takes it', head: [setBlob(blobId, zeros)], piece: one(getBlob), times: 50, asksFor: large, stream: true },
  { name: 'asks for one blob again and again, and takes nothing', head: [setBlob(blobId, zeros)], piece: one(getBlob), times: 200, takesNothing: true, stream: true },
  { name: 'asks for the context again and again', head: [], piece: askContext, times: 2_000, asksFor: 100_000, stream: true },
  { name: 'ids of blobs', head: [], piece: (at) => setBlob(Buffer.alloc(large, at), Buffer.alloc(0)), times: most / large, stream: true },
  { name: 'blobs', head: [], piece: (at) => setBlob(Buffer.alloc(32, at), zeros), times: most / large, stream: true },
  // One message of 15 MB is decoded at once: 110 to 270 ms here, over SSE twice as long as over HTTP/2.
  { name: 'checkpoints', head: [], piece: one(checkpoint([longText])), times: most / large, stream: true, heldMs: 1_000 },
  { name: 'a checkpoint of small values', head: [], piece: one(checkpoint(Array.from({ length: 4_000_000 }, () => ''))), times: 20, stream: true },
  { name: 'calls', head: [], piece: (at) => call(at + 1, megabyte), times: most / 1_000_000, stream: true },
  { name: 'calls that are announced', head: [], piece: (at) => announce(`${at}${megabyte}`), times: most / 1_000_000, stream: true },
  { name: 'text that is not streamed', head: [], piece: one(say), times: most / 10_000, stream: false },
  { name: 'text', head: [], piece: one(say), times: most / 10_000, stream: true },
] // biome-ignore format: a table, one flood a line
