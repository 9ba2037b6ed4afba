// Model facts from `GET /v1/models`. They override the table in models.ts. Compatible servers list few of them.

import { type Fields, isObject } from '../../base/json.ts'
import type { ReasoningEffort } from '../../core/request.ts'
import { type AnthropicModel, anthropicModel } from './models.ts'

const efforts: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max']

/** The facts in one entry of the listing. */
export function listedFacts(entry: Readonly<Fields>): Partial<AnthropicModel> {
  const capabilities = isObject(entry.capabilities) ? entry.capabilities : {}
  const output = isObject(capabilities.structured_outputs)
    ? capabilities.structured_outputs.supported
    : undefined
  return {
    ...(typeof entry.max_input_tokens === 'number' ? { contextTokens: entry.max_input_tokens } : {}),
    ...(typeof entry.max_tokens === 'number' ? { outputTokens: entry.max_tokens, known: true } : {}),
    ...(typeof output === 'boolean' ? { structuredOutput: output } : {}),
    ...(isObject(capabilities.effort) ? { efforts: effortsOf(capabilities.effort) } : {}),
    ...(isObject(capabilities.thinking) ? thinkingOf(capabilities.thinking, String(entry.id)) : {}),
  }
}

const supports = (leaves: Readonly<Fields>, name: string) => {
  const leaf = leaves[name]
  return isObject(leaf) && leaf.supported === true
}

const effortsOf = (effort: Readonly<Fields>) =>
  effort.supported === false ? [] : efforts.filter((name) => supports(effort, name))

function thinkingOf({ supported, types }: Readonly<Fields>, id: string): Partial<AnthropicModel> {
  if (supported === false) return { thinking: 'none' }
  if (!isObject(types)) return {}
  const { thinksByDefault } = anthropicModel(id)
  const adaptive = supports(types, 'adaptive')
  const budget = supports(types, 'enabled')
  return {
    thinking: adaptive ? (budget ? 'both' : 'adaptive') : budget ? 'budget' : 'none',
    thinkingOff: thinksByDefault ? offOf(types) : 'omit',
  }
}

function offOf(types: Readonly<Fields>): AnthropicModel['thinkingOff'] {
  if (supports(types, 'between_tools')) return 'between_tools'
  return supports(types, 'disabled') ? 'disabled' : 'never'
}
