import { create, toBinary } from '@bufbuild/protobuf'
import { RequestContextSchema } from '../../../proto/gen/agent/v1/context_pb.ts'
import { AgentRunRequestSchema } from '../../../proto/gen/agent/v1/run_pb.ts'
import { unpacked } from './packed.ts'
import type { RunPlan } from './request-out.ts'
import { ToolOffers } from './tool-offers.ts'

/** A plan with an empty opening message. */
export function emptyPlan(more: Partial<RunPlan> = {}): RunPlan {
  return {
    opening: new Uint8Array(),
    kept: {
      run: toBinary(AgentRunRequestSchema, create(AgentRunRequestSchema, { runId: 'run-1' })),
      context: unpacked(
        toBinary(RequestContextSchema, create(RequestContextSchema, { cloudRule: 'be brief' })),
      ),
      offer: new ToolOffers().share([]),
      toolsInContext: true,
    },
    conversationId: 'conversation-1',
    runId: 'run-1',
    workspace: undefined,
    said: [],
    ...more,
  }
}
