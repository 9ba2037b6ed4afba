// Decides the questions in order. While one is decided, earlier ones have their answers and later ones their simplest choice. So only
// a part of all combinations is measured, and each differs from the best so far in one setting.

import { CouldNotRun } from '../probe.ts'
import { choose, matters } from './choose.ts'
import { type Measured, type Measuring, TuneEnded } from './measure.ts'
import { type Choice, nativeName, type Question, type SettingChange } from './questions.ts'

export interface Combination {
  /** The choice that differs from the best so far. */
  question: Question
  choice: Choice
  /** The changes to the current configuration. */
  changes: readonly SettingChange[]
}

export interface Row {
  choice: Choice
  /** Undefined: not measured, because no score of this choice would matter. */
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
  /** The changes to make in the configuration; empty if it is already the best. */
  changes: readonly SettingChange[]
  /** The combination of the decided answers; undefined if none was measured. */
  best: Measured | undefined
  /** The current configuration; undefined if it was not measured. */
  current: Measured | undefined
  /** The reason why some questions were not decided. */
  ended?: TuneEnded
}

export interface TuneOptions {
  questions: readonly Question[]
  margin: number
  measure(combination: Combination, measuring: Measuring): Promise<Measured>
  /** Equal for changes that have the same effect: one of them is measured. */
  effectOf?(changes: readonly SettingChange[]): string
  onQuestion?(question: Question): void
  onRow?(row: Row, question: Question): void
}

export function tune(options: TuneOptions): Promise<TuneResult> {
  return new Tuning(options).run()
}

class Tuning {
  readonly #options: TuneOptions
  /** The winners so far, and the simplest choice of each undecided question. */
  readonly #settled: Map<Question, Choice>
  readonly #measured = new Map<string, Measured>()

  constructor(options: TuneOptions) {
    this.#options = options
    this.#settled = new Map(
      options.questions.map((question) => [question, question.choices[0] ?? question.current]),
    )
  }

  async run(): Promise<TuneResult> {
    const { questions } = this.#options
    const answers: Answer[] = []
    const current = new Map(questions.map((question) => [question, question.current]))
    // Undecided questions keep the current choice.
    const wanted = new Map(current)
    let best: Measured | undefined
    let ended: TuneEnded | undefined
    for (const question of questions) {
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
      answers.push({ question, rows, winner: winner.choice })
      this.#settled.set(question, winner.choice)
      wanted.set(question, winner.choice)
      best = winner.measured
    }
    return {
      answers,
      changes: changesOf(wanted),
      best,
      current: this.#measured.get(this.#effectOf(current)),
      ...(ended && { ended }),
    }
  }

  /** Without a question about `tools`, the backend has no such setting, and the service makes the calls itself. */
  #isNative(): boolean {
    const [form] = [...this.#settled].filter(([{ name }]) => name === 'tools')
    return form === undefined || form[1].name === nativeName
  }

  async #ask(question: Question, rows: Row[]): Promise<void> {
    const { margin, measure, onQuestion, onRow } = this.#options
    onQuestion?.(question)
    for (const { choice, combined, effect, behind } of this.#distinct(question)) {
      const known = this.#measured.get(effect)
      const rivals = {
        simpler: rows.flatMap(({ measured }) => scoreOf(measured) ?? []),
        others: behind.flatMap((other) => scoreOf(this.#measured.get(other)) ?? []),
      }
      const counts = (atMost: number) => matters(atMost, rivals, margin)
      const combination = { question, choice, changes: changesOf(combined) }
      const measured = known ?? (counts(100) ? await measure(combination, { counts }) : undefined)
      if (measured) this.#measured.set(effect, measured)
      const row = { choice, measured }
      rows.push(row)
      onRow?.(row, question)
    }
  }

  /** The choices of a question, without those that have the effect of a simpler one. Each has the effects of the choices after it. */
  #distinct(question: Question) {
    const all = question.choices.map((choice) => {
      const combined = new Map(this.#settled).set(question, choice)
      return { choice, combined, effect: this.#effectOf(combined) }
    })
    const first = all.filter(({ effect }, at) => all.findIndex((other) => other.effect === effect) === at)
    return first.map((one, at) => ({ ...one, behind: first.slice(at + 1).map(({ effect }) => effect) }))
  }

  #effectOf(settled: ReadonlyMap<Question, Choice>): string {
    const changes = changesOf(settled)
    return this.#options.effectOf?.(changes) ?? JSON.stringify(changes)
  }

  /** A choice that ended early (`lost`) loses to every complete one, whatever its score was. */
  #winnerOf(rows: readonly Row[]): { choice: Choice; measured: Measured } {
    for (const state of ['complete', 'lost'] as const) {
      const scored = rows.flatMap(({ choice, measured }) =>
        measured?.state === state ? [{ choice, measured, score: measured.score }] : [],
      )
      const winner = choose(scored, this.#options.margin)
      if (winner) return winner
    }
    const reasons = rows.flatMap(({ measured }) => measured?.reason ?? [])
    throw new CouldNotRun(reasons[0] ?? 'nothing was answered')
  }
}

const scoreOf = (measured: Measured | undefined): number | undefined =>
  measured?.state === 'complete' ? measured.score : undefined

const changesOf = (settled: ReadonlyMap<Question, Choice>): SettingChange[] =>
  [...settled.values()].flatMap(({ changes }) => changes)

/** The most combinations that a tune can measure. */
export const mostCombinations = (questions: readonly Question[]): number =>
  questions.reduce((most, { choices }) => most + choices.length - 1, questions.length > 0 ? 1 : 0)
