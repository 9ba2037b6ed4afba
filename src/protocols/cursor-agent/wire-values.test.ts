import { create, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  AgentServerMessageSchema,
  type ConversationStateStructureSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { hasAtMost } from './wire-values.ts'

type State = NonNullable<Parameters<typeof create<typeof ConversationStateStructureSchema>>[1]>

const stateOf = (value: State) =>
  toBinary(
    AgentServerMessageSchema,
    create(AgentServerMessageSchema, { message: { case: 'conversationCheckpointUpdate', value } }),
  )
const isWithin = (most: number, bytes: Uint8Array) => hasAtMost(most, AgentServerMessageSchema, bytes)

it('counts values inside messages, however small they are', () => {
  const many = stateOf({ pendingToolCalls: Array.from({ length: 1_000 }, () => '') })
  expect(many.length).toBeLessThan(2_100)
  expect([isWithin(1_000, many), isWithin(1_001, many)]).toEqual([false, true])
  expect(isWithin(2, stateOf({ pendingToolCalls: ['x'.repeat(100_000)] }))).toBe(true)
})

it('ends for any bytes, and counts no more than there are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(isWithin(bytes.length + 1, bytes)).toBe(true)
    }),
  )
})
