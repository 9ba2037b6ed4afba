// `dragoman probe MODEL`: estimate, consent, the tasks through a gateway, the score card.

import { resolve } from 'node:path'
import { version } from '../base/version.ts'
import { clients } from '../judge/clients/all.ts'
import { cardHtml } from '../judge/probe/card-html.ts'
import { cardText, estimateText } from '../judge/probe/card-text.ts'
import { estimate, type Prices } from '../judge/probe/estimate.ts'
import { CouldNotRun, type ProbeOptions, probe } from '../judge/probe/probe.ts'
import { makeReport, type Report } from '../judge/probe/report.ts'
import { TapeStaging, tapeFolderName } from '../judge/probe/tape-staging.ts'
import type { Task } from '../judge/probe/task.ts'
import { chooseTasks } from '../judge/probe/tasks.ts'
import { CommandError } from '../process/command-error.ts'
import { out } from '../process/output.ts'
import { FileProblem, writeWhole } from '../setup/write-file.ts'
import {
  agreeToSend,
  checkFlags,
  interruptedCode,
  interruption,
  type ProbeFlags,
  pricesOf,
} from './probe-flags.ts'
import { openConfigured, openRunning } from './probe-gateway.ts'
import { showProgress } from './probe-progress.ts'
import { ownTerminal } from './setup-terminal.ts'

export async function probeModel(model: string, flags: ProbeFlags): Promise<void> {
  checkFlags(flags)
  const chosen = chooseTasks(flags.only ?? [])
  if ('problem' in chosen) throw new CommandError(chosen.problem, 2)
  const { tasks } = chosen
  const prices = pricesOf(flags)
  if (flags.tune) return (await import('./probe-tune.ts')).tuneModel(model, { flags, tasks, prices })
  const staging = new TapeStaging()
  try {
    const ran = await run({ model, flags, prices, tasks, staging })
    const folder = flags.tapes ?? tapeFolderName(model, ran.facts.startedAt)
    const report = makeReport(ran.runs, {
      ...ran.facts,
      tapesOf: (failed) => staging.keep(failed, folder),
      hasTapes: flags.url === undefined,
    })
    deliver(report, flags)
    process.exitCode = ran.isInterrupted ? interruptedCode : isEnough(report, flags.min) ? 0 : 1
  } catch (error) {
    throw error instanceof FileProblem ? new CommandError(error.message, 2) : error
  } finally {
    staging.remove()
  }
}

interface Running {
  model: string
  flags: ProbeFlags
  prices: Prices | undefined
  tasks: readonly Task[]
  staging: TapeStaging
}

async function run({ model, flags, prices, tasks, staging }: Running) {
  const { stream, repeat, concurrency, budget, all = false, url, keyFile } = flags
  const subject =
    url === undefined
      ? await openConfigured(model, flags.config, staging.settings)
      : await openRunning({ url, keyFile })
  try {
    const client = clients[flags.door]
    const terminal = ownTerminal()
    const place = url === undefined ? '' : ` of ${url}`
    terminal.err(`probe of ${model} through the ${flags.door} door${place}\n`)
    terminal.err(estimateText(estimate(tasks, client, repeat), { prices, concurrency }))
    await agreeToSend({ isLocal: subject.isLocal, flags, terminal })
    const interrupt = interruption()
    const { backends, failures, noToolsHint } = subject
    const options: ProbeOptions = {
      ...{ model, tasks, client, stream, repeat, concurrency, budget, all, backends, failures, noToolsHint },
      ...showProgress(tasks.length * repeat),
      fetch: (request) => subject.fetch(request),
      timeoutMs: flags.timeout * 1000,
      signal: interrupt.signal,
    }
    const startedAt = new Date()
    const { runs, stopped } = await probe(options)
    interrupt.release()
    const milliseconds = Date.now() - startedAt.getTime()
    const facts = { model, door: flags.door, stream, startedAt, milliseconds, tasks, repeat, stopped, prices }
    return { runs, facts: { dragoman: version, ...facts }, isInterrupted: interrupt.signal.aborted }
  } catch (error) {
    throw error instanceof CouldNotRun
      ? new CommandError(`The probe could not run. ${error.message}`, 2)
      : error
  } finally {
    await subject.close()
  }
}

/** --min needs a complete run: a part of the tasks does not show the score. */
const isEnough = ({ score, state }: Report, min: number): boolean =>
  min === 0 || (state === 'complete' && score >= min)

function deliver(report: Report, { json, html }: ProbeFlags): void {
  out(cardText(report))
  if (json !== undefined)
    writeWhole(resolve(json), `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o644 })
  if (html !== undefined) writeWhole(resolve(html), cardHtml(report), { mode: 0o644 })
}
