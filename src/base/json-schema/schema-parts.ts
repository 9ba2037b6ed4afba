// What the keywords of a schema need of the schema as a whole.

import type { Fields } from '../json.ts'
import type { EcmaPattern } from '../pattern/pattern.ts'
import { open } from './verdict.ts'
import type { Check, Rule } from './walk.ts'

export interface SchemaParts {
  ruleOf(schema: unknown): Rule
  /** The same for the same schema: what several places lead to. */
  sharedRuleOf(schema: unknown): Rule
  /** The target of the schema's `$ref`; undefined where it leads nowhere, or out of the schema. */
  targetOf(schema: Fields): unknown
  /** Undefined where the pattern cannot be decided. */
  patternOf(source: string): EcmaPattern | undefined
  /** Takes some of what one schema may cost to prepare; false where it is too much. */
  takes(amount: number): boolean
}

/** Undefined where the keywords say nothing. */
export type Compile = (schema: Fields, parts: SchemaParts) => Check | undefined

/** For a keyword that cannot be decided, or whose value makes no sense. */
export const undecided: Check = () => open

export const listOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : [])

const maxListed = 30
const maxShown = 200

export function shown(values: readonly unknown[]): string {
  const all = values
    .slice(0, maxListed)
    .map((value) => JSON.stringify(value))
    .join(', ')
  return all.length > maxShown || values.length > maxListed ? `${all.slice(0, maxShown)} …` : all
}
