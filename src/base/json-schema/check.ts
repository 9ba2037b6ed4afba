// The JSON Schema checker: compiled once for a schema, then asked about any number of values. It knows the keywords that tool
// parameters use (docs/calls.md). A value never fails by an unknown keyword, a reference that leads nowhere, a pattern that cannot
// be decided or an exhausted budget: a false alarm would stop a good call, and the client has a complete validator.

import { Rules, SchemaRules } from './rules.ts'
import { fails, open } from './verdict.ts'
import { type CheckBudget, type Rule, type SchemaProblem, Walk } from './walk.ts'

export type { CheckBudget, SchemaProblem } from './walk.ts'

export interface Judgement {
  /** In the order of the schema's rules, at most 20; empty where no problem was found. */
  problems: SchemaProblem[]
  /** False where the value may not fit after all: a part could not be decided, or the budget ended. */
  isComplete: boolean
}

const maxSteps = 100_000

export const checkBudget = (): CheckBudget => ({ steps: maxSteps })

const maxProblems = 20

export class SchemaChecker {
  readonly root: unknown
  readonly #rules: SchemaRules
  readonly #whole: Rule

  constructor(root: unknown) {
    this.root = root
    this.#rules = new SchemaRules(root)
    this.#whole = this.#rules.sharedRuleOf(root)
  }

  /** Whether the schema says nothing, so that every value is fine. */
  get isTrivial(): boolean {
    return this.root !== false && (!(this.#whole instanceof Rules) || this.#whole.isTrivial)
  }

  judge(value: unknown, budget = checkBudget()): Judgement {
    const verdict = new Walk(budget).verdictOf(this.#whole, value)
    return { problems: verdict === fails ? this.#problemsOf(value) : [], isComplete: verdict !== open }
  }

  /** The problems in the order of the schema's rules, at most 20; empty where the value fits. */
  check(value: unknown): SchemaProblem[] {
    return this.judge(value).problems
  }

  conforms(value: unknown): boolean {
    return this.conformsTo(this.root, value)
  }

  /** `part` is a part of the schema, or made of its parts: its references lead into the whole. */
  conformsTo(part: unknown, value: unknown, budget = checkBudget()): boolean {
    return new Walk(budget).verdictOf(this.#rules.sharedRuleOf(part), value) !== fails
  }

  /** The search for all of them takes more steps, and may end before it has found one. */
  #problemsOf(value: unknown): SchemaProblem[] {
    for (const most of [maxProblems, 1]) {
      const { problems } = new Walk(checkBudget(), most).apart(this.#whole, value)
      if (problems.length > 0) return problems
    }
    return [{ path: [], message: 'does not fit the schema' }]
  }
}

/** A problem as one line: `tags[1]: must be string, not integer`. */
export function describeProblem({ path, message }: SchemaProblem): string {
  const place = path.reduce<string>(pathTo, '')
  return place === '' ? message : `${place}: ${message}`
}

/** `pathTo('a', 0)` is `a[0]`. */
export function pathTo(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`
  return path === '' ? step : `${path}.${step}`
}
