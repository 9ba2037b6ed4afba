// Decides the questions one after the other, each with the answers of those before it: fewer combinations than all of them, and
// each differs from the best so far in one setting.

import { CouldNotRun } from '../probe.ts'
import { choose, matters } from './choose.ts'
import { type Measured, type Measuring, TuneEnded } from './measure.ts'
import { type Choice, nativeName, type Question, type SettingChange } from './questions.ts'

export interface Combination {
  /** The choice that differs from the best so far. */
  question: Question
  choice: Choice
  /** Of the configuration as it is. */
  changes: readonly SettingChange[]
}

export interface Row {
  choice: Choice
  /** Undefined: not measured, because no score of it would matter. */
  measured: Measured | undefined
}

export interface Answer {
  question: Question
  rows: readonly Row[]
  /** Undefined: not decided. */
  winner: Choice | undefined
}

export interface TuneResult {
  answers: readonly Answer[]
  /** What to change in the configuration; none if it is as good as it can be. */
  changes: readonly SettingChange[]
  /** The combination of the decided answers; undefined if none was measured. */
  best: Measured | undefined
  /** The configuration as it is; undefined if that was not measured to its end. */
  current: Measured | undefined
  /** Why not all questions were decided. */
  ended?: TuneEnded
}

export interface TuneOptions {
  questions: readonly Question[]
  margin: number
  measure(combination: Combination, measuring: Measuring): Promise<Measured>
  onQuestion?(question: Question): void
  onRow?(row: Row, question: Question): void
}

export function tune(options: TuneOptions): Promise<TuneResult> {
  return new Tuning(options).run()
}

class Tuning {
  readonly #options: TuneOptions
  readonly #settled: Map<Question, Choice>
  readonly #measured = new Map<string, Measured>()

  constructor(options: TuneOptions) {
    this.#options = options
    this.#settled = new Map(options.questions.map((question) => [question, question.current]))
  }

  async run(): Promise<TuneResult> {
    const answers: Answer[] = []
    let ended: TuneEnded | undefined
    for (const question of this.#options.questions) {
      if (question.needsNative && !this.#isNative()) continue
      const rows: Row[] = []
      try {
        await this.#ask(question, rows)
      } catch (error) {
        if (!(error instanceof TuneEnded)) throw error
        ended = error
        answers.push({ question, rows, winner: undefined })
        break
      }
      const winner = this.#winnerOf(rows)
      answers.push({ question, rows, winner })
      this.#settled.set(question, winner)
    }
    const current = new Map(this.#options.questions.map((question) => [question, question.current]))
    return {
      answers,
      changes: changesOf(this.#settled),
      best: this.#measured.get(keyOf(this.#settled)),
      current: this.#measured.get(keyOf(current)),
      ...(ended && { ended }),
    }
  }

  /** If no service has a setting for it, the calls are the service's own. */
  #isNative(): boolean {
    const [form] = [...this.#settled].filter(([{ name }]) => name === 'tools')
    return form === undefined || form[1].name === nativeName
  }

  async #ask(question: Question, rows: Row[]): Promise<void> {
    const { margin, measure, onQuestion, onRow } = this.#options
    onQuestion?.(question)
    for (const [at, choice] of question.choices.entries()) {
      const combined = new Map(this.#settled).set(question, choice)
      const known = this.#measured.get(keyOf(combined))
      const rivals = {
        simpler: rows.flatMap(({ measured }) => scoreOf(measured) ?? []),
        others: question.choices.slice(at + 1).flatMap((other) => {
          const behind = new Map(this.#settled).set(question, other)
          return scoreOf(this.#measured.get(keyOf(behind))) ?? []
        }),
      }
      const counts = (atMost: number) => matters(atMost, rivals, margin)
      const combination = { question, choice, changes: changesOf(combined) }
      const measured = known ?? (counts(100) ? await measure(combination, { counts }) : undefined)
      if (measured) this.#measured.set(keyOf(combined), measured)
      const row = { choice, measured }
      rows.push(row)
      onRow?.(row, question)
    }
  }

  /** What ended early loses to all that did not, whatever it had scored until then. */
  #winnerOf(rows: readonly Row[]): Choice {
    for (const state of ['complete', 'lost'] as const) {
      const scored = rows.flatMap(({ choice, measured }) =>
        measured?.state === state ? [{ choice, score: measured.score }] : [],
      )
      const winner = choose(scored, this.#options.margin)
      if (winner) return winner.choice
    }
    const reasons = rows.flatMap(({ measured }) => measured?.reason ?? [])
    throw new CouldNotRun(reasons[0] ?? 'nothing was answered')
  }
}

const scoreOf = (measured: Measured | undefined): number | undefined =>
  measured?.state === 'complete' ? measured.score : undefined

const keyOf = (settled: ReadonlyMap<Question, Choice>): string =>
  JSON.stringify([...settled].map(([{ name }, choice]) => [name, choice.name]))

const changesOf = (settled: ReadonlyMap<Question, Choice>): SettingChange[] =>
  [...settled.values()].flatMap(({ changes }) => changes)

/** The most combinations that a tune can measure. */
export const mostCombinations = (questions: readonly Question[]): number =>
  questions.reduce((most, { choices }) => most + choices.length - 1, questions.length > 0 ? 1 : 0)
