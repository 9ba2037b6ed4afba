// Equality of JSON values, by a text that equal values share: no list of values is compared in pairs.

import type { CheckBudget } from './walk.ts'

const maxDepth = 200

/** Larger ones may have lost digits when they were parsed: that two of them are equal is not certain. */
export const isExact = (value: unknown): boolean =>
  typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isInteger(value)

export const isStructure = (value: unknown): value is object => typeof value === 'object' && value !== null

interface ValueText {
  text: string
  isExact: boolean
}

/** Undefined where the budget ended, or the value is too deep. */
export function valueText(value: unknown, budget: CheckBudget): ValueText | undefined {
  const writer = new ValueWriter(budget)
  const text = writer.write(value, 0)
  return budget.steps < 0 || writer.isTooDeep ? undefined : { text, isExact: writer.isExact }
}

class ValueWriter {
  readonly #budget: CheckBudget
  isExact = true
  isTooDeep = false

  constructor(budget: CheckBudget) {
    this.#budget = budget
  }

  write(value: unknown, depth: number): string {
    this.#budget.steps -= 2
    if (this.#budget.steps < 0) return ''
    if (typeof value === 'string') {
      this.#budget.steps -= value.length >> 6
      return JSON.stringify(value)
    }
    if (!isStructure(value)) {
      this.isExact &&= isExact(value)
      return String(value)
    }
    if (depth > maxDepth) {
      this.isTooDeep = true
      return ''
    }
    if (Array.isArray(value)) return `[${value.map((one) => this.write(one, depth + 1))}]`
    const names = Object.keys(value).sort()
    this.#budget.steps -= 2 * names.length
    const members = names.map(
      (name) => `${JSON.stringify(name)}:${this.write((value as Record<string, unknown>)[name], depth + 1)}`,
    )
    return `{${members}}`
  }
}
