// Runs the tasks with limited concurrency, and stops early: at the budget, without a service, without tool support.

import { runTask, type TaskOptions, type TaskRun } from './run-task.ts'
import { Spending } from './spending.ts'
import { type StopOptions, StopRules } from './stop-rules.ts'
import type { Task } from './task.ts'

export interface ProbeOptions extends Omit<TaskOptions, 'spending'>, StopOptions {
  /** Runs of each task. */
  repeat: number
  /** Tasks that run at the same time. */
  concurrency: number
  /** In tokens. */
  budget?: number | undefined
  /** The account of several probes with one budget. */
  spending?: Spending | undefined
  onStart?(task: Task, attempt: number): void
  /** Called and awaited after each run. */
  onEnd?(run: TaskRun): void | Promise<void>
}

export interface ProbeResult {
  /** In the order of the tasks; all first attempts before all second ones. */
  runs: TaskRun[]
  /** Why not all tasks were run. */
  stopped?: string
  stoppedBy?: 'interrupt' | 'rules' | 'budget'
}

/** No answer came, so there is nothing to judge. */
export class CouldNotRun extends Error {
  override readonly name = 'CouldNotRun'
}

export async function probe(options: ProbeOptions): Promise<ProbeResult> {
  const { tasks, repeat, concurrency, budget, signal } = options
  // All tasks once, then all of them again: a probe that stops early has run as many tasks as possible.
  const jobs = Array.from({ length: repeat }, (_, at) =>
    tasks.map((task) => ({ task, attempt: at + 1 })),
  ).flat()
  const spending = options.spending ?? new Spending(budget)
  const stop = new AbortController()
  const rules = new StopRules(options)
  const runs: TaskRun[] = []
  const taskOptions: TaskOptions = { ...options, spending, signal: AbortSignal.any([signal, stop.signal]) }
  let next = 0

  async function work(): Promise<void> {
    for (let at = next++; at < jobs.length && !taskOptions.signal.aborted; at = next++) {
      const { task, attempt } = jobs[at] as (typeof jobs)[number]
      options.onStart?.(task, attempt)
      const run = await runTask(task, attempt, taskOptions)
      runs[at] = run
      await options.onEnd?.(run)
      if (spending.isOver) stop.abort()
      if (run.outcome === 'stopped') return
      if (rules.see(run)) stop.abort()
    }
  }

  await Promise.all(Array.from({ length: concurrency }, work))
  const done = runs.filter((run) => run !== undefined)
  if (rules.couldNotRun !== undefined) throw new CouldNotRun(rules.couldNotRun)
  return { runs: done, ...stopReason(options, rules, spending) }
}

function stopReason(
  { signal, budget }: ProbeOptions,
  rules: StopRules,
  spending: Spending,
): Pick<ProbeResult, 'stopped' | 'stoppedBy'> {
  if (signal.aborted) return { stopped: 'it was interrupted', stoppedBy: 'interrupt' }
  if (rules.stopped !== undefined) return { stopped: rules.stopped, stoppedBy: 'rules' }
  if (!spending.isOver) return {}
  const stopped = `the budget of ${budget} tokens does not cover the next request (${spending.tokens} are spent)`
  return { stopped, stoppedBy: 'budget' }
}
