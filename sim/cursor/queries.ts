// Questions to the user, by their names in scripts, with the field of their answer.

import { fromJson, type JsonValue } from '@bufbuild/protobuf'
import {
  type InteractionQuery,
  InteractionQuerySchema,
  InteractionResponseSchema,
} from '../../proto/gen/agent/v1/interaction_pb.ts'

const QUERIES: Readonly<Record<string, { case: string; args: JsonValue }>> = {
  web_search: { case: 'webSearchRequestQuery', args: { args: { searchTerm: 'weather' } } },
  web_fetch: { case: 'webFetchRequestQuery', args: { args: { url: 'https://example.com/' } } },
  ask_question: {
    case: 'askQuestionInteractionQuery',
    args: {
      toolCallId: 'ask_1',
      args: {
        title: 'A question',
        questions: [
          {
            id: 'q1',
            prompt: 'Which?',
            options: [
              { id: 'a', label: 'A' },
              { id: 'b', label: 'B' },
            ],
          },
        ],
      },
    },
  },
  switch_mode: { case: 'switchModeRequestQuery', args: {} },
  create_plan: { case: 'createPlanRequestQuery', args: {} },
  setup_vm_environment: { case: 'setupVmEnvironmentArgs', args: {} },
  pr_management: { case: 'prManagementRequestQuery', args: {} },
  mcp_auth: { case: 'mcpAuthRequestQuery', args: {} },
  generate_image: { case: 'generateImageRequestQuery', args: {} },
  replace_env: { case: 'replaceEnvArgs', args: {} },
}

export const QUERY_NAMES: readonly string[] = Object.keys(QUERIES)

interface QuerySpec {
  readonly query: InteractionQuery['query'] & { case: string }
  /** The field of the answer, which has the number of the question. */
  readonly wanted: string
}

export function toQuery(name: string, args: JsonValue | undefined): QuerySpec {
  const known = QUERIES[name]
  if (known === undefined) throw new Error(`there is no query "${name}"`)
  const json = { id: 0, [known.case]: args ?? known.args }
  const { query } = fromJson(InteractionQuerySchema, json)
  if (query.case === undefined) throw new Error(`the query "${name}" is empty`)
  const asked = InteractionQuerySchema.fields.find(({ localName }) => localName === known.case)?.number
  const answer = InteractionResponseSchema.fields.find(({ number }) => number === asked)
  return { query, wanted: answer?.localName ?? '' }
}
