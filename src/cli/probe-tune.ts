// `dragoman probe MODEL --tune`: measures the settings that decide how a model gets its tools, and offers to write the best ones
// into the configuration.

import { resolve } from 'node:path'
import { version } from '../base/version.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { clients } from '../judge/clients/all.ts'
import { estimateText } from '../judge/probe/card-text.ts'
import { estimate, type Prices } from '../judge/probe/estimate.ts'
import { CouldNotRun, type ProbeOptions } from '../judge/probe/probe.ts'
import { Spending } from '../judge/probe/spending.ts'
import type { Task } from '../judge/probe/task.ts'
import { marginFor } from '../judge/probe/tune/choose.ts'
import { type Measuring, measure } from '../judge/probe/tune/measure.ts'
import {
  choiceLine,
  choiceReport,
  makeTuneReport,
  type TuneReport,
  tuneText,
} from '../judge/probe/tune/report.ts'
import { type Combination, mostCombinations, tune } from '../judge/probe/tune/tune.ts'
import { CommandError } from '../process/command-error.ts'
import { FileProblem, writeWhole } from '../setup/write-file.ts'
import { agreeToSend, interruptedCode, interruption, type ProbeFlags } from './probe-flags.ts'
import { openGateway } from './probe-gateway.ts'
import { planTune, type TunePlan } from './probe-tune-plan.ts'
import { showTuneProgress } from './probe-tune-progress.ts'
import { offerChange, undoTune } from './probe-tune-write.ts'
import { ownTerminal, type Terminal } from './setup-terminal.ts'

interface TuneRun {
  flags: ProbeFlags
  tasks: readonly Task[]
  prices: Prices | undefined
  environment?: Environment
  terminal?: Terminal
}

export async function tuneModel(model: string, run: TuneRun): Promise<void> {
  const { flags, environment = readEnvironment(), terminal = ownTerminal() } = run
  if (flags.undo) return undoTune(model, { flags, environment, terminal })
  const plan = await planTune(model, flags, environment)
  announce(plan, run, terminal)
  await agreeToSend({ isLocal: plan.isLocal, flags, terminal })
  const { report, isInterrupted } = await compare(plan, run)
  terminal.out(tuneText(report))
  try {
    if (isInterrupted) {
      terminal.err('Interrupted: the configuration stays as it is.\n')
      process.exitCode = interruptedCode
    } else if (report.changes.length > 0)
      report.isWritten = await offerChange(plan, report.changes, { flags, environment, terminal })
    else if (report.score === undefined)
      throw new CommandError(`The tune has no result. ${report.stopped}`, 2)
  } finally {
    if (flags.json !== undefined) writeReport(flags.json, report)
  }
}

function writeReport(file: string, report: TuneReport): void {
  try {
    writeWhole(resolve(file), `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o644 })
  } catch (error) {
    throw error instanceof FileProblem ? new CommandError(error.message, 2) : error
  }
}

function announce({ model, backendName, questions, notes }: TunePlan, run: TuneRun, { err }: Terminal): void {
  const { flags, tasks, prices } = run
  const most = mostCombinations(questions)
  err(`tune of ${model} (backend "${backendName}") through the ${flags.door} door\n`)
  for (const { name, choices } of questions)
    err(`compares   ${name}: ${choices.map((choice) => choice.name).join('; ')}\n`)
  for (const note of notes) err(`           ${note}\n`)
  err(
    `at most    ${most} combinations; one that cannot change the choice any more is ended. For all of them to the end:\n`,
  )
  const found = estimate(tasks, clients[flags.door], flags.repeat * most)
  err(estimateText(found, { prices, concurrency: flags.concurrency }))
}

async function compare(plan: TunePlan, { flags, tasks }: TuneRun) {
  const { repeat, door, stream } = flags
  const margin = marginFor(repeat)
  const progress = showTuneProgress()
  const interrupt = interruption()
  const spending = new Spending(flags.budget)
  const startedAt = new Date()
  const settings = { tasks, flags, spending, signal: interrupt.signal }
  try {
    const result = await tune({
      questions: plan.questions,
      margin,
      effectOf: plan.effectOf,
      measure: async (combination, measuring) => {
        progress.begin(combination.choice.name)
        return measureIn(plan, combination, { ...settings, ...measuring, onFigures: progress.onFigures })
      },
      onRow: (row, { current }) => progress.end(choiceLine(choiceReport(row, row.choice === current))),
    })
    const facts = { dragoman: version, model: plan.model, backend: plan.backendName, door, stream, startedAt }
    const milliseconds = Date.now() - startedAt.getTime()
    const report = makeTuneReport(result, { ...facts, milliseconds, tasks: tasks.length, repeat, margin })
    return { report, isInterrupted: interrupt.signal.aborted }
  } catch (error) {
    throw error instanceof CouldNotRun
      ? new CommandError(`The tune could not run. ${error.message}`, 2)
      : error
  } finally {
    interrupt.release()
  }
}

interface Settings extends Measuring {
  tasks: readonly Task[]
  flags: ProbeFlags
  spending: Spending
  signal: AbortSignal
}

/** Each combination has a gateway of its own, on the configuration that would be written. */
async function measureIn(plan: TunePlan, { changes }: Combination, settings: Settings) {
  const { tasks, flags, spending, signal } = settings
  const { door, stream, repeat, concurrency, budget, all = false } = flags
  const { gateway, failures } = await openGateway(plan.configWith(changes), plan.environment, undefined)
  const options: ProbeOptions = {
    ...{
      model: plan.askedModel,
      tasks,
      stream,
      repeat,
      concurrency,
      budget,
      all,
      failures,
      spending,
      signal,
    },
    client: clients[door],
    fetch: (request) => gateway.fetch(request),
    timeoutMs: flags.timeout * 1000,
    backends: plan.backends,
    noToolsHint: '',
  }
  try {
    return await measure(options, settings)
  } finally {
    await gateway.close()
  }
}
