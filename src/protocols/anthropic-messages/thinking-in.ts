// What a Messages request says about thinking, in words that every backend knows.

import type { ReasoningEffort } from '../../core/request.ts'
import { type Fields, object, oneOf, optional, positiveInteger, string } from '../decode.ts'

export interface ThinkingIn {
  effort: ReasoningEffort | undefined
  /** The client asked to see it: other services' reasoning may be shown as thinking. */
  shown: boolean
}

const types = ['enabled', 'adaptive', 'disabled', 'between_tools'] as const
const efforts: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max']

/** Below these budgets; what is larger is `high`, the most that all services with such a setting know. */
const budgets: readonly { below: number; effort: ReasoningEffort }[] = [
  { below: 4_096, effort: 'low' },
  { below: 16_384, effort: 'medium' },
]

export function readThinking(fields: Fields): ThinkingIn {
  const thinking = optional(fields.thinking, 'thinking', object)
  const output = optional(fields.output_config, 'output_config', object)
  const stated = optional(output?.effort, 'output_config.effort', oneOf(efforts))
  if (!thinking) return { effort: stated, shown: false }
  const type = oneOf(types)(thinking.type, 'thinking.type')
  // Betas have more ways of showing it.
  const display = optional(thinking.display, 'thinking.display', string)
  const shown = (type === 'enabled' || type === 'adaptive') && display !== 'omitted'
  switch (type) {
    case 'enabled': {
      const budget = positiveInteger(thinking.budget_tokens, 'thinking.budget_tokens')
      return { effort: stated ?? effortOf(budget), shown }
    }
    case 'adaptive':
      return { effort: stated, shown }
    default:
      return { effort: 'none', shown }
  }
}

const effortOf = (budget: number): ReasoningEffort =>
  budgets.find(({ below }) => budget < below)?.effort ?? 'high'
