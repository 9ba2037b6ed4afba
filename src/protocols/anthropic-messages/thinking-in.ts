// The thinking settings of a Messages request, in canonical terms.

import type { ReasoningEffort } from '../../core/request.ts'
import { type Fields, object, optional, positiveInteger, string } from '../requests/decode.ts'
import { readEffortWord } from '../requests/reasoning-effort.ts'

interface ThinkingIn {
  effort: ReasoningEffort | undefined
  /** An unknown effort value, in place of `effort`. */
  otherEffort: string | undefined
  /** The client wants to see thinking: reasoning of other services may be shown as thinking. */
  shown: boolean
}

/** Budgets below these limits. Larger budgets are `high`, the highest value that every service with such a setting knows. */
const budgets: readonly { below: number; effort: ReasoningEffort }[] = [
  { below: 4_096, effort: 'low' },
  { below: 16_384, effort: 'medium' },
]

/** `innerEffort`: the effort that the conversation sets, which overrides the request's own. */
export function readThinking(fields: Fields, innerEffort?: unknown): ThinkingIn {
  const thinking = optional(fields.thinking, 'thinking', object)
  const output = optional(fields.output_config, 'output_config', object)
  const { effort, otherEffort } =
    optional(innerEffort ?? output?.effort, 'output_config.effort', readEffortWord) ?? {}
  if (!thinking) return { effort, otherEffort, shown: false }
  const type = string(thinking.type, 'thinking.type')
  // Betas have more values of `display`.
  const shown = optional(thinking.display, 'thinking.display', string) !== 'omitted'
  switch (type) {
    case 'enabled': {
      const budget = positiveInteger(thinking.budget_tokens, 'thinking.budget_tokens')
      const byBudget = otherEffort === undefined ? effortOf(budget) : undefined
      return { effort: effort ?? byBudget, otherEffort, shown }
    }
    case 'disabled':
    case 'between_tools':
      return { effort: 'none', otherEffort: undefined, shown: false }
    default:
      // `adaptive`, and unknown types: the service may know them.
      return { effort, otherEffort, shown }
  }
}

const effortOf = (budget: number): ReasoningEffort =>
  budgets.find(({ below }) => budget < below)?.effort ?? 'high'
