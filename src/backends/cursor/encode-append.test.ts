import { fromBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BidiAppendRequestSchema } from '../../../proto/gen/aiserver/v1/service_pb.ts'
import { encodeAppend } from './encode-append.ts'

const read = (message: Uint8Array, number: bigint) =>
  fromBinary(BidiAppendRequestSchema, encodeAppend(message, { requestId: 'r', number }))

it('has the message in hexadecimal, the number and the request id', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 500 }),
      fc.bigInt({ min: 0n, max: 2n ** 60n }),
      (message, number) => {
        const found = read(message, number)
        expect(found.data).toBe(Buffer.from(message).toString('hex'))
        expect([found.requestId?.requestId, found.appendSeqno]).toEqual(['r', number])
      },
    ),
  )
})

it('is the same for a message of many pieces', () => {
  const message = Buffer.alloc(200_001, 'dragoman')
  expect(read(message, 1n).data).toBe(message.toString('hex'))
})
