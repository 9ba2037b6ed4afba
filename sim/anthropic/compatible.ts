// A compatible server with its own models: they think by default, sign nothing, and refuse a call without its thinking, like
// Moonshot's.

import type { AnthropicModel } from './models.ts'
import { Refusal } from './refusal.ts'
import { isThinking, type MessagesRequest, toBlocks } from './request.ts'

export const COMPATIBLE: Partial<AnthropicModel> = { thinksByDefault: true, omitsThinking: false }

/** Such servers know tools with a schema only: vLLM's model of a tool requires one. */
export function checkPlainTools({ tools = [] }: MessagesRequest): void {
  for (const [index, { type }] of tools.entries())
    if (String(type).startsWith('tool_search_tool_'))
      throw new Refusal(`tools.${index}.input_schema: Field required`)
}

export function checkRepliedThinking({ messages, thinking }: MessagesRequest): void {
  if (thinking?.type === 'disabled') return
  for (const [index, { content }] of messages.entries()) {
    const blocks = toBlocks(content)
    if (!blocks.some(({ type }) => type === 'tool_use') || blocks.some(isThinking)) continue
    throw new Refusal(
      `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
    )
  }
}
