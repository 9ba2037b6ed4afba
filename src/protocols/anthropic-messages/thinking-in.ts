// What a Messages request says about thinking, in words that every backend knows.

import type { ReasoningEffort } from '../../core/request.ts'
import { type Fields, object, optional, positiveInteger, string } from '../requests/decode.ts'
import { readEffortWord } from '../requests/reasoning-effort.ts'

interface ThinkingIn {
  effort: ReasoningEffort | undefined
  /** A word that is not known here, in place of `effort`. */
  otherEffort: string | undefined
  /** The client asked to see it: other services' reasoning may be shown as thinking. */
  shown: boolean
}

/** Below these budgets; what is larger is `high`, the most that all services with such a setting know. */
const budgets: readonly { below: number; effort: ReasoningEffort }[] = [
  { below: 4_096, effort: 'low' },
  { below: 16_384, effort: 'medium' },
]

export function readThinking(fields: Fields): ThinkingIn {
  const thinking = optional(fields.thinking, 'thinking', object)
  const output = optional(fields.output_config, 'output_config', object)
  const { effort, otherEffort } = optional(output?.effort, 'output_config.effort', readEffortWord) ?? {}
  if (!thinking) return { effort, otherEffort, shown: false }
  const type = string(thinking.type, 'thinking.type')
  // Betas have more ways of showing it.
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
      // `adaptive`, and types that are not known here: the service may know them.
      return { effort, otherEffort, shown }
  }
}

const effortOf = (budget: number): ReasoningEffort =>
  budgets.find(({ below }) => budget < below)?.effort ?? 'high'
