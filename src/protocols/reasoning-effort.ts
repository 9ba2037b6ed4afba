// How hard a model is asked to think, in words that all dialects share; each knows some of them.

import type { ReasoningEffort } from '../core/request.ts'

export const efforts: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
]
