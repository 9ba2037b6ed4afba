// POST /v1/responses of the OpenAI simulator: checks a request and says how it is answered.

import type { Exchange } from '../server.ts'
import type { Json } from '../shape.ts'
import { estimateTokens } from '../tokens.ts'
import { isReasoning } from './openai-models.ts'
import { checkResponsesRequest } from './responses/check-request.ts'
import { toConversation } from './responses/conversation.ts'
import type { ResponsesQuirk } from './responses/quirks.ts'
import { createResponsesRenderer } from './responses/render.ts'
import { offeredTools, type ResponsesRequest, type WireTool } from './responses/request.ts'
import { accountOf, seal } from './responses/sealed.ts'
import { Stored } from './responses/stored.ts'
import { strictProblem } from './tool-schemas/strict.ts'

interface ResponsesApiOptions {
  readonly quirks: ReadonlySet<ResponsesQuirk>
  readonly isLenient: boolean
}

export class ResponsesApi {
  readonly #options: ResponsesApiOptions
  readonly #stored = new Stored()

  constructor(options: ResponsesApiOptions) {
    this.#options = options
  }

  /** `key`: the credential of the request, to which sealed reasoning is bound. */
  respond(body: unknown, key: string, headers: Record<string, string>): Exchange {
    const { quirks, isLenient } = this.#options
    const stored = this.#stored
    const account = accountOf(key)
    const { request, items } = checkResponsesRequest(body, { account, stored, isLenient })
    const tools = offeredTools(request, items)
    const isSealed = request.include?.includes('reasoning.encrypted_content') ?? false
    const { effort, summary } = request.reasoning ?? {}
    return {
      stream: request.stream === true,
      headers,
      renderer: createResponsesRenderer({
        echo: echoOf(request),
        tools,
        showsSummary: summary != null,
        showsRawReasoning: quirks.has('raw-reasoning'),
        seal: (text) => (isSealed ? seal(text, { account, model: request.model }) : undefined),
        inputTokens: estimateTokens([items, request.instructions ?? '', request.tools ?? []]),
        obfuscates: request.stream_options?.include_obfuscation !== false,
        quirks,
        onFinished: (id, output) => stored.keep(id, items, output, request.store !== false),
      }),
      conversation: toConversation(request, items),
      showsReasoning: isReasoning(request.model, effort),
    }
  }
}

function echoOf(request: ResponsesRequest): Json {
  const { effort = null, summary = null } = request.reasoning ?? {}
  return {
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: request.metadata ?? {},
    model: request.model,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort, summary },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: request.service_tier ?? 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { verbosity: 'medium', format: { type: 'text' }, ...request.text },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(withStrict),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    user: null,
  }
}

/** Without a stated value, the service makes a schema strict if it can. */
function withStrict(tool: WireTool): WireTool {
  if (tool.type !== 'function' || typeof tool.strict === 'boolean') return tool
  return { ...tool, strict: strictProblem(tool.parameters ?? {}) === undefined }
}
