// Reasoning efforts: the values of all dialects. Each dialect has some of them.

import type { ReasoningEffort } from '../../core/request.ts'
import { string } from './decode.ts'

export const efforts: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
]

export interface StatedEffort {
  effort?: ReasoningEffort
  /** An unknown value. */
  otherEffort?: string
}

export function readEffortWord(value: unknown, path: string): StatedEffort {
  const word = string(value, path)
  const effort = efforts.find((known) => known === word)
  return effort === undefined ? { otherEffort: word } : { effort }
}
