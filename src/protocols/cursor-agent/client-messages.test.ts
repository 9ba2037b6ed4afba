import { fromBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AgentClientMessageSchema } from '../../../proto/gen/agent/v1/run_pb.ts'
import { blobFound, contextInjection } from './client-messages.ts'

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

it('tells words to a run as the official client does', () => {
  const bytes = contextInjection({
    injectionId: 'inj-1',
    runId: 'run-1',
    text: 'also run the tests',
    messageId: 'm-1',
  })
  expect(Buffer.from(bytes).toString('hex')).toBe(
    '222e9a012b0a05696e6a2d31120572756e2d311a1b0a190a12616c736f2072756e2074686520746573747312036d2d31',
  )
})
