// Runs the gateway's own tools on this machine, with one interface for all backends. Off unless configured; every run is an
// allowed tool, inside the root, within its limits, and in the audit log.

import { randomId } from '../base/ids.ts'
import { isObject, parseJson } from '../base/json.ts'
import { Semaphore } from '../base/semaphore.ts'
import type { Finding } from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import type { Tool } from '../core/request.ts'
import { errorFields } from '../observe/log.ts'
import { type OpenFile, openRotatingFile } from '../observe/rotating-file.ts'
import type { Observing } from '../observe/turn-observer.ts'
import type { ClientResult, Failure, Outcome } from '../protocols/client-tools/job.ts'
import { type LocalJob, toLocalJob } from '../protocols/local-tools/calls.ts'
import { localTools } from '../protocols/local-tools/definitions.ts'
import { toResultText } from '../protocols/local-tools/results.ts'
import { AuditLog, auditProblem, endOf } from './audit.ts'
import { LocalToolsProblem } from './local-tools-problem.ts'
import type { LocalTools } from './tools.ts'
import { createWorkshop, type Workshop, type WorkshopSettings } from './workshop.ts'

export interface LocalSettings extends WorkshopSettings {
  /** Tool runs for one answer. */
  maxRuns: number
  progress: 'reasoning' | 'text' | 'off'
  auditFile?: string | undefined
}

interface LocalCall {
  name: string
  /** The text of a JSON object. */
  input: string
}

export interface RunContext {
  turnId: string
  key: string
  client?: string | undefined
  signal: AbortSignal
  onBegin?(job: LocalJob): void
  onOutput?(text: string, stream: 'stdout' | 'stderr'): void
}

export interface LocalRun {
  outcome: Outcome
  result: ClientResult
}

/** Each may start a process; more are queued. */
const atOnce = 4

export class LocalExecutor implements LocalTools {
  readonly settings: LocalSettings
  readonly #observing: Observing
  readonly #audit: AuditLog | undefined
  readonly #closing = new AbortController()
  readonly #running = new Semaphore(atOnce)
  #workshop: Promise<Workshop> | undefined

  constructor(settings: LocalSettings, observing: Observing, openFile: OpenFile = openRotatingFile) {
    this.settings = settings
    this.#observing = observing
    const { auditFile } = settings
    if (auditFile !== undefined) this.#audit = new AuditLog(openFile(auditFile), observing.scrubber)
    observing.metrics.gauge('dragoman_local_tools_running', () => this.#running.taken)
  }

  /** The usable tools on this machine. Rejects if the root is unusable. */
  async tools(): Promise<readonly Tool[]> {
    return (await this.#open()).tools
  }

  async root(): Promise<string> {
    return (await this.#open()).workshop.root
  }

  /** Logs problems at startup rather than at the first call. */
  async start(): Promise<void> {
    for (const { status, message } of await this.findings())
      this.#observing.log[status === 'ok' ? 'info' : 'warn'](`local tools: ${message}`)
  }

  /** How the tools are confined on this machine, for the user. */
  async findings(): Promise<Finding[]> {
    const { workshop } = await this.#open()
    const problem = auditProblem(this.settings.auditFile)
    return problem === undefined
      ? workshop.findings
      : [...workshop.findings, { status: 'warning', message: problem }]
  }

  /** Never rejects: a failure is a result for the model. */
  async run(call: LocalCall, context: RunContext): Promise<LocalRun> {
    const outcome = await this.#try(call, context)
    return { outcome, result: toResultText(outcome) }
  }

  /** Ends running tools, and waits for their audit records. */
  async close(): Promise<void> {
    this.#closing.abort(new GatewayError('canceled', 'The gateway is stopping.'))
    const workshop = await this.#workshop?.catch(() => undefined)
    await this.#running.allFree()
    await workshop?.close()
  }

  async #open(): Promise<{ workshop: Workshop; tools: readonly Tool[] }> {
    this.#workshop ??= createWorkshop(this.settings).catch((error: Error) => {
      throw new LocalToolsProblem(`exec.root: ${error.message}`, { cause: error })
    })
    const workshop = await this.#workshop
    return { workshop, tools: localTools(this.settings.tools.filter((kind) => workshop.can(kind))) }
  }

  async #try(call: LocalCall, context: RunContext): Promise<Outcome> {
    const { workshop, tools } = await this.#open()
    const job = readJob(call, tools)
    if (job.kind === 'failed') {
      await this.#refused(call, context, job)
      return job
    }
    const signal = AbortSignal.any([context.signal, this.#closing.signal])
    const release = await this.#running.acquire(signal)
    if (release === undefined) return { kind: 'failed', error: 'it was canceled' }
    try {
      return await this.#audited(job, workshop, { ...context, signal })
    } finally {
      release()
    }
  }

  /** Records an attempt that was not run. */
  async #refused(call: LocalCall, { turnId, key, client }: RunContext, refusal: Failure): Promise<void> {
    await this.#audit
      ?.refused({ turn: turnId, key, client, call: call.name }, refusal)
      .catch(this.#onUnwritten)
    this.#observing.log.info('local tool', { turn: turnId, outcome: 'refused' })
  }

  async #audited(job: LocalJob, workshop: Workshop, context: RunContext): Promise<Outcome> {
    const { turnId: turn, key, client, signal } = context
    const { log, metrics } = this.#observing
    const sandbox = job.kind === 'shell' ? workshop.sandbox : undefined
    const run = { id: randomId(8), turn, key, client, job, sandbox }
    const startedAt = performance.now()
    try {
      await this.#audit?.begin(run)
    } catch (error) {
      log.error('the audit log cannot be written: no local tool runs', errorFields(error))
      return {
        kind: 'failed',
        error: 'local tools cannot be used: their audit log cannot be written',
        denied: true,
      }
    }
    context.onBegin?.(job)
    const undone: string[] = []
    const onNote = (note: string) => {
      undone.push(note)
      log.warn('a change of a local command was undone', { turn, note })
    }
    const outcome = await workshop.run(job, { ...context, onNote }).catch((error): Outcome => {
      log.error('a local tool failed', { tool: job.kind, ...errorFields(error) })
      return { kind: 'failed', error: 'the gateway failed to do it; its log has the cause' }
    })
    const milliseconds = Math.round(performance.now() - startedAt)
    const end = endOf(outcome, signal.aborted)
    await this.#audit?.end(run, { outcome, end, milliseconds, undone }).catch(this.#onUnwritten)
    log.info('local tool', { turn, tool: job.kind, outcome: end, milliseconds })
    metrics.count('dragoman_local_tool_runs_total', {
      tool: job.kind,
      outcome: end,
    })
    return outcome
  }

  readonly #onUnwritten = (error: unknown) =>
    this.#observing.log.error('the audit log cannot be written', errorFields(error))
}

/** The job of the call, or a failure in words for the model. */
function readJob({ name, input }: LocalCall, tools: readonly Tool[]): LocalJob | Failure {
  if (!tools.some((tool) => tool.name === name)) {
    const names = tools.map((tool) => tool.name).join(', ')
    return { kind: 'failed', error: `there is no tool ${name}; there are ${names}`, denied: true }
  }
  try {
    const given = parseJson(input)
    return toLocalJob(name, isObject(given) ? given : {}) as LocalJob
  } catch (error) {
    return { kind: 'failed', error: (error as Error).message }
  }
}
