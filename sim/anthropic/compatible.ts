// A compatible server with its own models: they think by default, sign nothing, and refuse a call without its thinking, like
// Moonshot's.

import type { AnthropicModel } from './models.ts'
import { Refusal } from './refusal.ts'
import { isThinking, type MessagesRequest, toBlocks } from './request.ts'

export const COMPATIBLE: Partial<AnthropicModel> = { thinksByDefault: true, omitsThinking: false }

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
