import { fromBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AgentClientMessageSchema } from '../../../proto/gen/agent/v1/run_pb.ts'
import { blobFound } from './client-messages.ts'

it('a blob that was found is read as one, whatever is in it', () => {
  const data = fc.option(fc.uint8Array({ maxLength: 500 }), { nil: undefined })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), data, (id, blobData) => {
      const { message } = fromBinary(AgentClientMessageSchema, blobFound(id, blobData))
      expect(message).toMatchObject({ case: 'kvClientMessage', value: { id } })
      const { value } = (message.value as { message: { value: { blobData?: Uint8Array } } }).message
      expect(value.blobData).toEqual(blobData)
    }),
  )
})
