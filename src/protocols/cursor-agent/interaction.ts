// The agent's questions to its user. The gateway cannot ask anybody: it approves what the service does by itself on the user's
// account, and answers everything else at once, so that the turn goes on.

import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import type {
  InteractionQuery,
  InteractionResponseSchema,
} from '../../../proto/gen/agent/v1/interaction_pb.ts'
import { AgentClientMessageSchema } from '../../../proto/gen/agent/v1/run_pb.ts'

type Response = NonNullable<MessageInitShape<typeof InteractionResponseSchema>['result']>

const nobody = 'Nobody can be asked here: decide yourself, or ask in your answer.'
const unavailable = 'This is not available here.'

/** `mayUseTools`: false if the client wants an answer in words. */
export function answerQuery(query: InteractionQuery, mayUseTools: boolean): Uint8Array {
  const result = respond(query, mayUseTools)
  const value = { id: query.id, ...(result === undefined ? {} : { result }) }
  return toBinary(
    AgentClientMessageSchema,
    create(AgentClientMessageSchema, { message: { case: 'interactionResponse', value } }),
  )
}

interface Verdict {
  result: { case: 'approved'; value: Record<string, never> } | { case: 'rejected'; value: { reason: string } }
}

const approved: Verdict = { result: { case: 'approved', value: {} } }
const refused = (reason: string) => ({ result: { case: 'rejected' as const, value: { reason } } })

function respond({ query }: InteractionQuery, mayUseTools: boolean): Response | undefined {
  const verdict: Verdict = mayUseTools ? approved : refused('No tools are to be used for this answer.')
  const rejected = refused(unavailable)
  switch (query.case) {
    case 'webSearchRequestQuery':
      return { case: 'webSearchRequestResponse', value: verdict }
    case 'webFetchRequestQuery':
      return { case: 'webFetchRequestResponse', value: verdict }
    case 'askQuestionInteractionQuery':
      return { case: 'askQuestionInteractionResponse', value: { result: refused(nobody) } }
    case 'switchModeRequestQuery':
      return { case: 'switchModeRequestResponse', value: { result: { case: 'approved', value: {} } } }
    case 'createPlanRequestQuery': {
      const result = { result: { case: 'success' as const, value: {} } }
      return { case: 'createPlanRequestResponse', value: { result } }
    }
    case 'mcpAuthRequestQuery':
      return { case: 'mcpAuthRequestResponse', value: rejected }
    case 'generateImageRequestQuery':
      return { case: 'generateImageRequestResponse', value: rejected }
    case 'prManagementRequestQuery':
      return { case: 'prManagementResult', value: rejected }
    case 'setupVmEnvironmentArgs':
      return { case: 'setupVmEnvironmentResult', value: { result: { case: 'success', value: {} } } }
    case 'replaceEnvArgs': {
      const result = { case: 'failure' as const, value: { errorMessage: unavailable } }
      return { case: 'replaceEnvResult', value: { result } }
    }
    default:
      // Unknown to this version of the protocol: an answer without content is still an answer.
      return undefined
  }
}
