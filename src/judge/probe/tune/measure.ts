// Measures one combination of settings: the tasks of a probe, until they are done or the rest does not matter.

import type { ErrorCode } from '../../../core/errors.ts'
import { CouldNotRun, type ProbeOptions, type ProbeResult, probe } from '../probe.ts'
import type { TaskRun } from '../run-task.ts'

export interface Figures {
  /** 0 to 100: the weight of passed runs divided by the weight of all planned runs. Tasks that were not run count as failed. */
  score: number
  /** The score if all remaining runs passed. */
  atMost: number
  passed: number
  /** Judged runs. */
  total: number
  planned: number
  requests: number
  inputTokens: number
  outputTokens: number
  milliseconds: number
}

/**
 * complete: all tasks were run. lost: it ended early for a reason that shows that it does not work. cut: the rest
 * did not matter. could-not-run: no answer came.
 */
export interface Measured extends Figures {
  state: 'complete' | 'lost' | 'cut' | 'could-not-run'
  reason?: string
}

/** Nothing more can be measured: interrupted, the budget is used up, or the account refuses. */
export class TuneEnded extends Error {
  override readonly name = 'TuneEnded'
  readonly by: 'interrupt' | 'budget' | 'account'

  constructor(by: TuneEnded['by'], message: string) {
    super(message)
    this.by = by
  }
}

/** Failures of the account or the service that say nothing about the settings. */
const accountCodes = new Set<ErrorCode>([
  'unauthenticated',
  'forbidden',
  'rate-limited',
  'quota-exhausted',
  'upstream-challenge',
  'upstream-credential',
])

export interface Measuring {
  /** Whether it matters for the choice if this combination scores this much. */
  counts(atMost: number): boolean
  onFigures?(figures: Figures): void
}

export async function measure(options: ProbeOptions, { counts, onFigures }: Measuring): Promise<Measured> {
  const startedAt = performance.now()
  const cut = new AbortController()
  const runs: TaskRun[] = []
  const now = () => figuresOf(runs, options, performance.now() - startedAt)
  const onEnd = (run: TaskRun) => {
    runs.push(run)
    onFigures?.(now())
    if (!counts(now().atMost)) cut.abort()
  }
  try {
    const signal = AbortSignal.any([options.signal, cut.signal])
    const result = await probe({ ...options, signal, onEnd })
    if (options.signal.aborted) throw new TuneEnded('interrupt', 'it was interrupted')
    return { ...now(), ...endOf(result, now(), cut.signal.aborted) }
  } catch (error) {
    if (error instanceof CouldNotRun) return { ...now(), state: 'could-not-run', reason: error.message }
    throw error
  }
}

function endOf(
  { runs, stopped = '', stoppedBy }: ProbeResult,
  { total, planned }: Figures,
  isCut: boolean,
): Pick<Measured, 'state' | 'reason'> {
  if (total === planned) return { state: 'complete' }
  if (isCut) return { state: 'cut' }
  const code = runs.findLast(({ failure }) => failure !== undefined)?.failure?.code
  if (stoppedBy === 'budget') throw new TuneEnded('budget', stopped)
  if (code !== undefined && accountCodes.has(code)) throw new TuneEnded('account', stopped)
  return { state: 'lost', reason: stopped.trim() }
}

function figuresOf(
  runs: readonly TaskRun[],
  { tasks, repeat }: Pick<ProbeOptions, 'tasks' | 'repeat'>,
  milliseconds: number,
): Figures {
  const weigh = (some: readonly TaskRun[]) => some.reduce((sum, { task }) => sum + task.weight, 0)
  const all = tasks.reduce((sum, { weight }) => sum + weight, 0) * repeat
  const passed = runs.filter(({ outcome }) => outcome === 'passed')
  const failed = runs.filter(({ outcome }) => outcome === 'failed')
  const sum = (field: 'requests' | 'inputTokens' | 'outputTokens') =>
    runs.reduce((total, run) => total + run[field], 0)
  return {
    score: (100 * weigh(passed)) / all,
    atMost: 100 - (100 * weigh(failed)) / all,
    passed: passed.length,
    total: passed.length + failed.length,
    planned: tasks.length * repeat,
    requests: sum('requests'),
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    milliseconds: Math.round(milliseconds),
  }
}
