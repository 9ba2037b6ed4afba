// The result of a tune as data (--json) and as text.

import { visibleLine } from '../../../base/visible-text.ts'
import { duration, grouped } from '../card-text.ts'
import type { Measured } from './measure.ts'
import type { SettingChange } from './questions.ts'
import type { Row, TuneResult } from './tune.ts'

interface ChoiceReport extends Omit<Partial<Measured>, 'state'> {
  choice: string
  /** It is configured. */
  isCurrent: boolean
  state: Measured['state'] | 'not-measured'
}

export interface TuneReport {
  /** The version of this format. */
  tune: 1
  dragoman: string
  model: string
  backend: string
  door: string
  stream: boolean
  startedAt: string
  milliseconds: number
  /** Tasks of each combination. */
  tasks: number
  repeat: number
  /** Scores that differ by less than this count as equal. */
  margin: number
  /** partial: not all questions were decided; `stopped` says why. */
  state: 'complete' | 'partial'
  stopped?: string
  questions: { question: string; winner?: string; choices: ChoiceReport[] }[]
  /** Of the best combination; absent if none was measured. */
  score?: number
  /** Of the configuration as it was; absent if it was not measured to its end. */
  currentScore?: number
  /** Inside the backend; without a value, the setting is removed. */
  changes: SettingChange[]
  isWritten: boolean
}

interface TuneFacts extends Pick<TuneReport, 'dragoman' | 'model' | 'backend' | 'door' | 'stream'> {
  startedAt: Date
  milliseconds: number
  tasks: number
  repeat: number
  margin: number
}

export function makeTuneReport(result: TuneResult, facts: TuneFacts): TuneReport {
  const { answers, changes, best, current, ended } = result
  return {
    tune: 1,
    ...facts,
    startedAt: facts.startedAt.toISOString(),
    margin: rounded(facts.margin),
    state: ended ? 'partial' : 'complete',
    ...(ended && { stopped: ended.message }),
    questions: answers.map(({ question, rows, winner }) => ({
      question: question.name,
      ...(winner && { winner: winner.name }),
      choices: rows.map((row) => choiceReport(row, question.current === row.choice)),
    })),
    ...(best && isWhole(best) && { score: rounded(best.score) }),
    ...(current && isWhole(current) && { currentScore: rounded(current.score) }),
    changes: [...changes],
    isWritten: false,
  }
}

const isWhole = ({ state }: Measured) => state === 'complete' || state === 'lost'

/** Truncated, so that 100 means all. */
const rounded = (score: number): number => Math.floor(score * 10) / 10

export function choiceReport({ choice, measured }: Row, isCurrent: boolean): ChoiceReport {
  if (!measured) return { choice: choice.name, isCurrent, state: 'not-measured' }
  return {
    choice: choice.name,
    isCurrent,
    ...measured,
    score: rounded(measured.score),
    atMost: rounded(measured.atMost),
  }
}

/** The figures of every choice; what the best one changes is shown as a change of the file. */
export function tuneText(report: TuneReport): string {
  const { model, door, questions, state, stopped } = report
  const lines = [
    '',
    `${model}, by the ${door} door`,
    ...questions.flatMap(({ question, winner, choices }) => [
      '',
      question,
      ...choices.map((choice) => `  ${choice.choice === winner ? '*' : ' '} ${choiceLine(choice)}`),
    ]),
    '',
    ...(state === 'partial' ? [`PARTIAL: ${stopped}`] : []),
    verdict(report),
  ]
  return `${lines.map((line) => visibleLine(line)).join('\n')}\n`
}

export function choiceLine({ choice, isCurrent, ...figures }: ChoiceReport): string {
  return `${scoreOf(figures).padStart(5)}  ${`${choice}${isCurrent ? ' (now)' : ''}`.padEnd(22)} ${howItWent(figures)}`
}

type Went = Omit<ChoiceReport, 'choice' | 'isCurrent'>

const scoreOf = ({ state, score = 0 }: Went): string => (state === 'complete' ? score.toFixed(1) : '-')

function howItWent(figures: Went): string {
  const { state, atMost = 0, passed, total, planned, reason } = figures
  switch (state) {
    case 'complete':
      return `${passed} of ${planned} passed; ${spent(figures)}`
    case 'cut':
      return `ended after ${total} of ${planned}, at most ${atMost.toFixed(1)}: it cannot change the choice; ${spent(figures)}`
    case 'lost':
      return `ended after ${total} of ${planned}: ${reason}; ${spent(figures)}`
    case 'could-not-run':
      return `could not run: ${reason}`
    default:
      return 'not measured: it could not change the choice'
  }
}

function spent({ inputTokens = 0, outputTokens = 0, requests = 0, milliseconds = 0 }: Went): string {
  return `${grouped(inputTokens + outputTokens)} tokens in ${requests} requests, ${duration(milliseconds / 1000)}`
}

function verdict({ score, currentScore, changes, margin, repeat, state }: TuneReport): string {
  const tie = `Differences below ${margin.toFixed(1)} points count as none${repeat === 1 ? '; --repeat makes that finer' : ''}.`
  if (score === undefined) return 'Nothing was compared to its end.'
  if (changes.length === 0)
    return `${state === 'partial' ? 'Of what was compared, no' : 'No'} other setting is better: the configuration stays as it is (${score.toFixed(1)} of 100). ${tie}`
  const now = currentScore === undefined ? 'not measured to its end' : currentScore.toFixed(1)
  return `Best: ${score.toFixed(1)} of 100, with the change below; as configured now: ${now}. ${tie}`
}
