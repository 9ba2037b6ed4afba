// The rules about thinking: which configuration a model takes, and how its blocks must be replayed.

import type { AnthropicModel, ThinkingType } from './models.ts'
import { Refusal } from './refusal.ts'
import { isThinking, loopStart, type MessagesRequest, toBlocks } from './request.ts'
import type { ThinkingMemory } from './thinking-memory.ts'

const MANUAL = 'https://docs.claude.com/en/docs/build-with-claude/extended-thinking'

/** The error text for a type of thinking that a model does not take. */
const UNSUPPORTED: Readonly<Record<ThinkingType, (model: AnthropicModel) => string>> = {
  enabled: ({ id, thinking }) =>
    thinking.includes('adaptive')
      ? '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
      : `'${id}' does not support thinking.`,
  adaptive: () => 'adaptive thinking is not supported on this model',
  disabled: ({ thinking }) =>
    thinking.includes('between_tools')
      ? 'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead of {"type": "disabled"}. The model then thinks between tool calls only.'
      : '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  between_tools: () => '"thinking.type.between_tools" is not supported for this model.',
}

export function isThinkingOn({ thinking }: MessagesRequest, model: AnthropicModel): boolean {
  return thinking === undefined ? model.thinksByDefault : thinking.type !== 'disabled'
}

export function checkThinkingConfig(request: MessagesRequest, model: AnthropicModel): void {
  const { thinking, max_tokens: maxTokens, output_config: output } = request
  if (thinking && !model.thinking.some((type) => type === thinking.type)) {
    throw new Refusal(UNSUPPORTED[thinking.type as ThinkingType](model))
  }
  const budget = thinking?.budget_tokens
  if (budget !== undefined && maxTokens !== undefined && budget >= maxTokens) {
    throw new Refusal(
      `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. Please consult our documentation at ${MANUAL}#max-tokens-and-context-window-size`,
    )
  }
  const effort = output?.effort
  if (effort && model.effort.length === 0) {
    throw new Refusal('This model does not support the effort parameter.')
  }
  if (effort && !model.effort.includes(effort)) {
    throw new Refusal(`output_config.effort: effort level '${effort}' is not supported for this model.`)
  }
  const isOff = thinking?.type === 'disabled' || thinking?.type === 'between_tools'
  if (isOff && model.limitsEffortWhenOff && (effort === 'xhigh' || effort === 'max')) {
    throw new Refusal(
      `output_config.effort '${effort}' is not supported when thinking is disabled on this model. Use effort 'high' or below, or enable thinking.`,
    )
  }
}

export function checkThinkingHistory(
  request: MessagesRequest,
  model: AnthropicModel,
  memory: ThinkingMemory,
): void {
  const isOn = isThinkingOn(request, model)
  for (const [index, message] of request.messages.entries()) {
    for (const [position, block] of toBlocks(message.content).entries()) {
      if (!isThinking(block)) continue
      const at = `messages.${index}.content.${position}`
      if (!isOn) {
        throw new Refusal(
          `${at}.type: When \`thinking\` is disabled, an \`assistant\` message cannot contain \`${block.type}\`. To use thinking blocks, enable \`thinking\` in your request.`,
        )
      }
    }
  }
  checkToolLoop(request, memory)
}

/**
 * In manual mode the first message of the tool loop must begin with its thinking. In every mode, replayed thinking must be complete.
 */
function checkToolLoop({ messages, thinking }: MessagesRequest, memory: ThinkingMemory): void {
  const start = loopStart(messages)
  if (start === undefined) return
  for (const [index, message] of messages.entries()) {
    if (index < start || message.role !== 'assistant') continue
    const blocks = toBlocks(message.content)
    const thoughts = blocks.filter(isThinking)
    const [first] = blocks
    if (index === start && thinking?.type === 'enabled' && first && !isThinking(first)) {
      throw new Refusal(
        `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at ${MANUAL}`,
      )
    }
    const changed = blocks.some(
      (block) => block.type === 'tool_use' && memory.isChanged(thoughts, String(block.id)),
    )
    if (thoughts.length > 0 && changed) {
      throw new Refusal(
        `messages.${index}.content.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      )
    }
  }
}
