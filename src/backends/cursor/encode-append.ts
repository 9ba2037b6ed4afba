// The body of one BidiAppend call, which has the message as hexadecimal text. A large message is written in pieces: as one string
// the text would be in memory twice more.

import { create, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { BidiAppendRequestSchema } from '../../../proto/gen/aiserver/v1/service_pb.ts'

const dataField = 1
const pieceBytes = 64 * 1024

export function encodeAppend(
  message: Uint8Array,
  { requestId, number }: { requestId: string; number: bigint },
): Uint8Array {
  const rest = create(BidiAppendRequestSchema, { requestId: { requestId }, appendSeqno: number })
  const tail = toBinary(BidiAppendRequestSchema, rest)
  const length = 2 * message.length
  if (length === 0) return tail
  const head = new BinaryWriter().tag(dataField, WireType.LengthDelimited).uint32(length).finish()
  const body = Buffer.allocUnsafe(head.length + length + tail.length)
  body.set(head)
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length)
  for (let at = 0; at < bytes.length; at += pieceBytes)
    body.write(bytes.toString('hex', at, at + pieceBytes), head.length + 2 * at, 'latin1')
  body.set(tail, head.length + length)
  return body
}
