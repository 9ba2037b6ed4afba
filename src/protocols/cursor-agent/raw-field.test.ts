import { create, toBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import {
  AgentServerMessageSchema,
  ConversationStateStructureSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { rawField } from './raw-field.ts'

const state = create(ConversationStateStructureSchema, { pendingToolCalls: ['a', 'b'] })
const message = toBinary(
  AgentServerMessageSchema,
  create(AgentServerMessageSchema, { message: { case: 'conversationCheckpointUpdate', value: state } }),
)

it('is the same as the field encoded again', () => {
  expect(rawField(message, 3)).toEqual(toBinary(ConversationStateStructureSchema, state))
})

it('skips other fields', () => {
  // Field 2000, a varint, on both sides.
  const other = [0x80, 0x7d, 0x05]
  expect(rawField(Uint8Array.from([...other, ...message, ...other]), 3)).toEqual(rawField(message, 3))
})

it('is undefined for a field that is absent, repeated, or no message', () => {
  expect(rawField(message, 4)).toBeUndefined()
  expect(rawField(Uint8Array.from([...message, ...message]), 3)).toBeUndefined()
  expect(rawField(Uint8Array.from([0x18, 0x01]), 3)).toBeUndefined()
})
