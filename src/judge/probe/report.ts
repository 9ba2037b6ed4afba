// The score card as data: --json writes it, and the text and HTML cards are made from it.

import type { ErrorCode } from '../../core/errors.ts'
import { costOf, type Prices } from './estimate.ts'
import type { Blame } from './failure.ts'
import type { TaskRun } from './run-task.ts'
import { groupOf, type Task } from './task.ts'
import { groups } from './tasks.ts'

export interface FailureReport {
  task: string
  title: string
  attempt: number
  blame: Blame
  expected: string
  came: string
  code?: ErrorCode
  /** The gateway's notes on what it changed. */
  notes: string[]
  /** Tape files, in the order of the requests. */
  tapes: string[]
  /** The ids of the turns, if another program has the tapes. */
  turns?: string[]
}

export interface GroupReport {
  group: string
  title: string
  passed: number
  total: number
  /** 0 to 100, by weight. */
  score: number
}

export interface TaskReport {
  task: string
  title: string
  weight: number
  passed: number
  total: number
  requests: number
  inputTokens: number
  outputTokens: number
  milliseconds: number
}

export interface Report {
  /** The version of this format. */
  probe: 1
  dragoman: string
  model: string
  door: string
  stream: boolean
  startedAt: string
  milliseconds: number
  /** partial: not all tasks ran; `stopped` says why, and the score covers those that did. */
  state: 'complete' | 'partial'
  stopped?: string
  /** 0 to 100: the weight of passed runs divided by the weight of all runs. */
  score: number
  passed: number
  total: number
  /** Planned runs. */
  planned: number
  requests: number
  inputTokens: number
  outputTokens: number
  /** By --price-in and --price-out. */
  cost?: number
  /** Median time to the first visible event. */
  firstTokenMs?: number
  blame: Record<Blame, number>
  groups: GroupReport[]
  tasks: TaskReport[]
  failures: FailureReport[]
}

interface ReportFacts {
  dragoman: string
  model: string
  door: string
  stream: boolean
  startedAt: Date
  milliseconds: number
  tasks: readonly Task[]
  repeat: number
  stopped?: string | undefined
  prices?: Prices | undefined
  tapesOf(run: TaskRun): string[]
  /** False: the gateway is another program. */
  hasTapes?: boolean
}

export function makeReport(runs: readonly TaskRun[], facts: ReportFacts): Report {
  const { dragoman, model, door, stream, startedAt, stopped, prices } = facts
  const judged = runs.filter(({ outcome }) => outcome !== 'stopped')
  const planned = facts.tasks.length * facts.repeat
  const tokens = { inputTokens: sumOf(runs, 'inputTokens'), outputTokens: sumOf(runs, 'outputTokens') }
  const first = middle(runs.flatMap(({ firstMs }) => firstMs))
  return {
    probe: 1,
    ...{ dragoman, model, door, stream, startedAt: startedAt.toISOString() },
    milliseconds: Math.round(facts.milliseconds),
    state: judged.length < planned ? 'partial' : 'complete',
    ...(stopped === undefined ? {} : { stopped }),
    score: scoreOf(judged),
    ...counts(judged),
    planned,
    requests: sumOf(runs, 'requests'),
    ...tokens,
    ...(prices && { cost: costOf(tokens, prices) }),
    ...(first === undefined ? {} : { firstTokenMs: Math.round(first) }),
    blame: blames(judged),
    groups: groups.flatMap(({ name, title }) => {
      const own = judged.filter(({ task }) => groupOf(task) === name)
      return own.length === 0 ? [] : [{ group: name, title, ...counts(own), score: scoreOf(own) }]
    }),
    tasks: facts.tasks.flatMap((task) => taskReport(task, judged)),
    failures: judged.flatMap((run) => failureReport(run, facts)),
  }
}

function taskReport(task: Task, judged: readonly TaskRun[]): TaskReport[] {
  const own = judged.filter((run) => run.task === task)
  if (own.length === 0) return []
  return [
    {
      ...{ task: task.id, title: task.title, weight: task.weight },
      ...counts(own),
      requests: sumOf(own, 'requests'),
      inputTokens: sumOf(own, 'inputTokens'),
      outputTokens: sumOf(own, 'outputTokens'),
      milliseconds: Math.round(sumOf(own, 'tookMs')),
    },
  ]
}

function failureReport(run: TaskRun, { tapesOf, hasTapes = true }: ReportFacts): FailureReport[] {
  const { task, attempt, failure, notes, turnIds } = run
  if (!failure) return []
  const where = hasTapes ? { tapes: tapesOf(run) } : { tapes: [], turns: turnIds }
  return [{ task: task.id, title: task.title, attempt, ...failure, notes, ...where }]
}

const counts = (runs: readonly TaskRun[]) => ({
  passed: runs.filter(({ outcome }) => outcome === 'passed').length,
  total: runs.length,
})

/** Rounded to one decimal place, and never to 100 if something failed. */
function scoreOf(runs: readonly TaskRun[]): number {
  const weigh = (some: readonly TaskRun[]) => some.reduce((sum, { task }) => sum + task.weight, 0)
  const all = weigh(runs)
  if (all === 0) return 0
  return Math.floor((weigh(runs.filter(({ outcome }) => outcome === 'passed')) / all) * 1000) / 10
}

function blames(runs: readonly TaskRun[]): Record<Blame, number> {
  const found: Record<Blame, number> = { model: 0, upstream: 0, gateway: 0 }
  for (const { failure } of runs) if (failure) found[failure.blame]++
  return found
}

const sumOf = (runs: readonly TaskRun[], field: 'requests' | 'inputTokens' | 'outputTokens' | 'tookMs') =>
  runs.reduce((sum, run) => sum + run[field], 0)

function middle(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]
}
