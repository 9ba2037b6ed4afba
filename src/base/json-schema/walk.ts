// One check of one value: what is left of its budget, where it is, and the problems that it found.

import { fails, open, type Verdict } from './verdict.ts'

export interface SchemaProblem {
  /** Member names and array positions, from the outside in. */
  path: readonly (string | number)[]
  /** Without the path: `must be integer, not string`. */
  message: string
}

/** The work that is left for checks that share it. */
export interface CheckBudget {
  steps: number
}

/** A part of a schema that can be asked about a value. */
export interface Rule {
  verdict(value: unknown, walk: Walk): Verdict
}

/** A keyword, or several that belong together. */
export type Check = (value: unknown, walk: Walk) => Verdict

/** Written only where it is shown. */
export type Message = string | ((value: unknown) => string)

/** Levels of the schema, references included. */
const maxDepth = 200

export class Walk {
  readonly budget: CheckBudget
  readonly #most: number
  #problems: SchemaProblem[] | undefined
  readonly #path: (string | number)[] = []
  #depth = 0

  /** `most`: the problems to collect. Without any, the walk ends at the first. */
  constructor(budget: CheckBudget, most = 0) {
    this.budget = budget
    this.#most = most
  }

  /** Whether the first failure is enough. */
  get isQuiet(): boolean {
    return this.#problems === undefined
  }

  /** Whether there is nothing more to find after a failure. */
  get isOver(): boolean {
    return this.#problems === undefined || this.#problems.length >= this.#most
  }

  get isSpent(): boolean {
    return this.budget.steps < 0
  }

  /** Takes steps of the budget; false where it ended. */
  spend(steps: number): boolean {
    this.budget.steps = Math.max(this.budget.steps - steps, -1)
    return this.budget.steps >= 0
  }

  verdictOf(rule: Rule, value: unknown): Verdict {
    if (this.#depth >= maxDepth || --this.budget.steps < 0) return open
    this.#depth++
    const verdict = rule.verdict(value, this)
    this.#depth--
    return verdict
  }

  /** The verdict on a member or an element. */
  inside(step: string | number, rule: Rule, value: unknown): Verdict {
    if (this.#problems === undefined) return this.verdictOf(rule, value)
    this.#path.push(step)
    const verdict = this.verdictOf(rule, value)
    this.#path.pop()
    return verdict
  }

  /** The verdict without its problems, for a part that need not fit. */
  quietly(rule: Rule, value: unknown): Verdict {
    const problems = this.#problems
    this.#problems = undefined
    const verdict = this.verdictOf(rule, value)
    this.#problems = problems
    return verdict
  }

  /** The problems are kept apart: the value need not fit this part. */
  apart(rule: Rule, value: unknown): { verdict: Verdict; problems: SchemaProblem[] } {
    const others = this.#problems
    const problems: SchemaProblem[] = []
    this.#problems = problems
    const verdict = this.verdictOf(rule, value)
    this.#problems = others
    return { verdict, problems }
  }

  fail(message: Message, value: unknown, ...inside: string[]): Verdict {
    if (!this.isOver) {
      const text = typeof message === 'string' ? message : message(value)
      this.#problems?.push({ path: [...this.#path, ...inside], message: text })
    }
    return fails
  }

  /** Takes over problems that were kept apart. */
  failBy(problems: readonly SchemaProblem[]): Verdict {
    for (const problem of problems) if (!this.isOver) this.#problems?.push(problem)
    return fails
  }
}
