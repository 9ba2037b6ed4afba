// The rules of Chat Completions across fields: calls and their results, tool choice, parameters that exclude each other or that a
// model does not take.

import { estimateTokens } from '../tokens.ts'
import { checkOpenAIModel, contextOf } from './openai-models.ts'
import { Refusal } from './refusal.ts'
import type { ChatMessage, ChatRequest } from './request.ts'

interface CheckOptions {
  /** Like DeepSeek and Kimi: an assistant message with tool calls must contain its reasoning. */
  readonly requiresReasoning: boolean
  /** Apply the rules of OpenAI's own models. */
  readonly isOpenAI?: boolean
}

export function checkRequest(request: ChatRequest, options: CheckOptions): void {
  checkPairs(request.messages)
  for (const [index, message] of request.messages.entries()) checkMessage(message, index, options)
  checkToolChoice(request)
  checkCombinations(request)
  if (options.isOpenAI ?? true) checkOpenAIModel(request)
  checkContext(request)
}

/** Each tool message answers a call of the assistant message before it, and each call is answered. */
function checkPairs(messages: readonly ChatMessage[]): void {
  let open: { index: number; ids: Set<string>; all: Set<string> } | undefined
  const close = () => {
    if (open && open.ids.size > 0) {
      throw new Refusal(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open.ids].join(', ')}`,
        { param: `messages.[${open.index + 1}].role` },
      )
    }
  }
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') {
      close()
      const ids = message.tool_calls?.map(({ id }) => id)
      open = ids ? { index, ids: new Set(ids), all: new Set(ids) } : undefined
      continue
    }
    if (open === undefined) {
      throw new Refusal(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        { param: `messages.[${index}].role` },
      )
    }
    const id = message.tool_call_id ?? ''
    if (!open.all.has(id)) {
      throw new Refusal(
        `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
        { param: `messages.[${index}].tool_call_id` },
      )
    }
    open.ids.delete(id)
  }
  close()
}

function checkMessage(message: ChatMessage, index: number, { requiresReasoning }: CheckOptions): void {
  if (message.role !== 'assistant') return
  const { tool_calls: calls, content, reasoning_content: reasoning } = message
  const saysSomething = content != null || message.refusal != null || message.function_call != null
  if (calls === undefined && !saysSomething) {
    throw new Refusal("Invalid value for 'content': expected a string, got null.", {
      param: `messages.[${index}].content`,
    })
  }
  if (requiresReasoning && calls && (typeof reasoning !== 'string' || reasoning === '')) {
    throw new Refusal(
      `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
    )
  }
}

function checkToolChoice({ tools, tool_choice: choice, parallel_tool_calls: parallel }: ChatRequest): void {
  for (const [name, value] of Object.entries({ tool_choice: choice, parallel_tool_calls: parallel })) {
    if (value !== undefined && value !== 'none' && tools === undefined) {
      throw new Refusal(
        `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`,
        {
          param: name,
        },
      )
    }
  }
  if (typeof choice !== 'object') return
  const named = choice.function?.name ?? choice.custom?.name
  const exists = tools?.some((tool) => (tool.function?.name ?? tool.custom?.name) === named)
  if (named !== undefined && !exists) {
    throw new Refusal(
      `Invalid value for 'tool_choice': no function named '${named}' was specified in the 'tools' parameter.`,
      { param: 'tool_choice' },
    )
  }
}

function checkCombinations(request: ChatRequest): void {
  if (request.stream_options != null && request.stream !== true) {
    throw new Refusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    })
  }
  if (request.max_tokens != null && request.max_completion_tokens != null) {
    throw new Refusal("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", {
      param: 'max_tokens',
    })
  }
}

function checkContext(request: ChatRequest): void {
  const contextTokens = contextOf(request.model)
  if (contextTokens === undefined) return
  const tokens = estimateTokens([request.messages, request.tools ?? []])
  if (tokens > contextTokens) {
    throw new Refusal(
      `This model's maximum context length is ${contextTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
      { param: 'messages', code: 'context_length_exceeded' },
    )
  }
}
