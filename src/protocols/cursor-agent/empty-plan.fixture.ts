import { create, toBinary } from '@bufbuild/protobuf'
import { RequestContextSchema } from '../../../proto/gen/agent/v1/context_pb.ts'
import { AgentRunRequestSchema } from '../../../proto/gen/agent/v1/run_pb.ts'
import type { RunPlan } from './request-out.ts'

/** A plan whose opening is nothing, for tests of what comes behind it. */
export function emptyPlan(more: Partial<RunPlan> = {}): RunPlan {
  return {
    opening: new Uint8Array(),
    template: toBinary(AgentRunRequestSchema, create(AgentRunRequestSchema, { runId: 'run-1' })),
    context: toBinary(RequestContextSchema, create(RequestContextSchema, { cloudRule: 'be brief' })),
    conversationId: 'conversation-1',
    tools: [],
    workspace: undefined,
    said: [],
    ...more,
  }
}
