// `dragoman probe MODEL`: estimate, consent, the tasks through a gateway in this process, the score card.

import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isLoopback } from '../base/loopback.ts'
import { version } from '../base/version.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { GatewayError } from '../core/errors.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { clients } from '../judge/clients/all.ts'
import type { DoorName } from '../judge/clients/answer.ts'
import { cardHtml } from '../judge/probe/card-html.ts'
import { cardText, estimateText } from '../judge/probe/card-text.ts'
import { estimate, type Prices } from '../judge/probe/estimate.ts'
import { FailureLog } from '../judge/probe/failure.ts'
import { CouldNotRun, type ProbeOptions, probe } from '../judge/probe/probe.ts'
import { makeReport, type Report } from '../judge/probe/report.ts'
import { TapeStaging, tapeFolderName } from '../judge/probe/tape-staging.ts'
import type { Task } from '../judge/probe/task.ts'
import { chooseTasks } from '../judge/probe/tasks.ts'
import { CommandError } from '../process/command-error.ts'
import { out } from '../process/output.ts'
import type { Target } from '../server/catalog.ts'
import { FileProblem, writeWhole } from '../setup/write-file.ts'
import { showProgress } from './probe-progress.ts'
import { ownTerminal, type Terminal } from './setup-terminal.ts'

interface ProbeFlags {
  config?: string
  door: DoorName
  stream: boolean
  only?: string[]
  repeat: number
  concurrency: number
  /** In seconds. */
  timeout: number
  budget?: number
  priceIn?: number
  priceOut?: number
  min: number
  all?: boolean
  yes?: boolean
  json?: string
  html?: string
  tapes?: string
}

/** 128 plus the number of SIGINT, the shells' convention. */
const interruptedCode = 130

export async function probeModel(model: string, flags: ProbeFlags): Promise<void> {
  const chosen = chooseTasks(flags.only ?? [])
  if ('problem' in chosen) throw new CommandError(chosen.problem, 2)
  const prices = pricesOf(flags)
  for (const file of [flags.json, flags.html]) if (file !== undefined) checkPlace(file)
  if (flags.tapes !== undefined) checkPlace(flags.tapes, 'folder')
  const staging = new TapeStaging()
  try {
    const ran = await run({ model, flags, prices, tasks: chosen.tasks, staging })
    const folder = flags.tapes ?? tapeFolderName(model, ran.facts.startedAt)
    const report = makeReport(ran.runs, { ...ran.facts, tapesOf: (failed) => staging.keep(failed, folder) })
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
  const { stream, repeat, concurrency, budget, all = false } = flags
  const failures = new FailureLog()
  const { gateway, config } = await openGateway(flags.config, failures, staging)
  try {
    const targets = await findTargets(gateway, model)
    const client = clients[flags.door]
    const terminal = ownTerminal()
    terminal.err(`probe of ${model} through the ${flags.door} door\n`)
    terminal.err(estimateText(estimate(tasks, client, repeat), { prices, concurrency }))
    await agree({ isLocal: targets.every((target) => isOnThisMachine(target, config)), flags, terminal })
    const interrupt = interruption()
    const options: ProbeOptions = {
      ...{ model, tasks, client, stream, repeat, concurrency, budget, all, failures },
      ...showProgress(tasks.length * repeat),
      fetch: (request) => gateway.fetch(request),
      timeoutMs: flags.timeout * 1000,
      backends: Object.keys(config.backends),
      signal: interrupt.signal,
      noToolsHint: noToolsHint(targets, config),
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
    // After this, all tapes are on disk.
    await gateway.close()
  }
}

/** --min needs a complete run: a part of the tasks does not show the score. */
const isEnough = ({ score, state }: Report, min: number): boolean =>
  min === 0 || (state === 'complete' && score >= min)

function pricesOf({ priceIn, priceOut }: ProbeFlags): Prices | undefined {
  if (priceIn === undefined && priceOut === undefined) return undefined
  if (priceIn === undefined || priceOut === undefined)
    throw new CommandError('--price-in and --price-out must be used together.', 2)
  return { in: priceIn, out: priceOut }
}

/** Finds out before tokens are spent whether a report can be written. */
function checkPlace(place: string, kind: 'file' | 'folder' = 'file'): void {
  if (place === '-') throw new CommandError('Name a file: "-" is not supported here.', 2)
  const path = resolve(place)
  const there = statSync(path, { throwIfNoEntry: false })
  if (there && there.isDirectory() !== (kind === 'folder'))
    throw new CommandError(`${place} is no ${kind}.`, 2)
  const parent = statSync(dirname(path), { throwIfNoEntry: false })
  if (!parent?.isDirectory())
    throw new CommandError(`${place} cannot be written: there is no folder ${dirname(path)}.`, 2)
}

async function openGateway(file: string | undefined, failures: FailureLog, staging: TapeStaging) {
  const environment = readEnvironment()
  const { config, secrets } = loadConfig(file, environment)
  // The probe reads the log lines and does not print them. No local tools, no kept sessions, no other instances.
  config.log.level = 'info'
  config.exec.enabled = false
  config.sessions.keep = 'memory'
  delete config.sessions.redis
  config.tapes = staging.settings
  const gateway = await createGateway({
    ...{ config, keys: [], secrets, connect: environment, writeLog: failures.onLine },
    // The breaker must not skip a task because earlier ones failed.
    breaker: { failures: Number.POSITIVE_INFINITY },
  })
  return { config, gateway }
}

async function findTargets(gateway: Gateway, model: string): Promise<Target[]> {
  try {
    return await gateway.catalog.resolve(model)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw new CommandError(gateway.scrub(error.message), 2)
  }
}

const isOnThisMachine = ({ backendName }: Target, { backends }: Config): boolean => {
  const backend = backends[backendName]
  return backend !== undefined && isLoopback(new URL(backend.baseUrl).hostname)
}

interface Agreement {
  isLocal: boolean
  flags: ProbeFlags
  terminal: Terminal
}

async function agree({ isLocal, flags, terminal }: Agreement): Promise<void> {
  if (isLocal || flags.yes) return
  if (!terminal.interactive)
    throw new CommandError('Nothing was sent: there is no terminal to ask on. Confirm with --yes.', 2)
  const said = await terminal.ask('Send it? [y/N] ').catch(() => '')
  if (!/^y(es)?$/i.test(said.trim())) throw new CommandError('Nothing was sent.', 2)
}

/** Ctrl-C ends the probe and prints the card so far; a second Ctrl-C ends the program. */
function interruption() {
  const controller = new AbortController()
  const stop = () => controller.abort()
  process.once('SIGINT', stop)
  return { signal: controller.signal, release: () => void process.off('SIGINT', stop) }
}

function noToolsHint([target]: readonly Target[], { backends }: Config): string {
  const name = target?.backendName ?? ''
  const backend = backends[name]
  if (backend?.kind === 'openai' && backend.tools === 'native')
    return `Try "tools": "text" for this backend ("${name}"): docs/tool-text.md. --all runs the remaining tasks anyway.`
  return 'Look at the tapes for what it answers. --all runs the remaining tasks anyway.'
}

function deliver(report: Report, { json, html }: ProbeFlags): void {
  out(cardText(report))
  if (json !== undefined)
    writeWhole(resolve(json), `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o644 })
  if (html !== undefined) writeWhole(resolve(html), cardHtml(report), { mode: 0o644 })
}
