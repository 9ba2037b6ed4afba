// The tools that the gateway runs itself, on this machine: one interface, whichever backend's model asks. Off unless
// configured; every run is on the list of what is allowed, inside the root, within its limits, and in the audit log.

import type { Finding } from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import { randomId } from '../core/ids.ts'
import type { Tool } from '../core/request.ts'
import { errorFields } from '../observe/log.ts'
import type { Observing } from '../observe/turn-observer.ts'
import type { ClientResult, Outcome } from '../protocols/client-tools/job.ts'
import { isObject, parseJson } from '../protocols/json.ts'
import { type LocalJob, toLocalJob } from '../protocols/local-tools/calls.ts'
import { type LocalKind, localTools } from '../protocols/local-tools/definitions.ts'
import { toResultText } from '../protocols/local-tools/results.ts'
import { AuditLog } from './audit.ts'
import { createWorkshop, type Workshop, type WorkshopSettings } from './workshop.ts'

export interface LocalSettings extends WorkshopSettings {
  tools: readonly LocalKind[]
  /** Tool runs for one answer. */
  maxRuns: number
  progress: 'reasoning' | 'text' | 'off'
  auditFile?: string | undefined
}

export interface LocalCall {
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

/** They cannot be used as they are configured. */
export class LocalToolsProblem extends Error {
  override readonly name = 'LocalToolsProblem'
}

/** Each may start a process: more wait for their turn. */
const atOnce = 4

export class LocalExecutor {
  readonly settings: LocalSettings
  readonly #observing: Observing
  readonly #audit: AuditLog | undefined
  readonly #closing = new AbortController()
  #workshop: Promise<Workshop> | undefined
  #running = 0
  #waiting: (() => void)[] = []

  constructor(settings: LocalSettings, observing: Observing) {
    this.settings = settings
    this.#observing = observing
    if (settings.auditFile !== undefined) this.#audit = new AuditLog(settings.auditFile, observing.scrubber)
    observing.metrics.gauge('dragoman_local_tools_running', 'Local tools at work.', () => this.#running)
  }

  /** What can be used here, once it was looked for. Rejects where the root is none. */
  async tools(): Promise<readonly Tool[]> {
    return (await this.#open()).tools
  }

  async root(): Promise<string> {
    return (await this.#open()).workshop.root
  }

  /** Says at once what would not work later. */
  async start(): Promise<void> {
    for (const { status, message } of await this.findings())
      this.#observing.log[status === 'ok' ? 'info' : 'warn'](`local tools: ${message}`)
  }

  /** For people: how the tools are guarded here. */
  async findings(): Promise<Finding[]> {
    return (await this.#open()).workshop.findings
  }

  /** Never rejects: whatever goes wrong is for the model to read. */
  async run(call: LocalCall, context: RunContext): Promise<LocalRun> {
    const outcome = await this.#try(call, context)
    return { outcome, result: toResultText(outcome) }
  }

  async close(): Promise<void> {
    this.#closing.abort(new GatewayError('canceled', 'The gateway is stopping.'))
    const workshop = await this.#workshop?.catch(() => undefined)
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
    let job: LocalJob | undefined
    try {
      const input = parseJson(call.input)
      job = toLocalJob(call.name, isObject(input) ? input : {})
    } catch (error) {
      return { kind: 'failed', error: (error as Error).message }
    }
    if (job === undefined || !tools.some(({ name }) => name === call.name)) {
      const names = tools.map(({ name }) => name).join(', ')
      return { kind: 'failed', error: `there is no tool ${call.name}; there are ${names}`, denied: true }
    }
    const signal = AbortSignal.any([context.signal, this.#closing.signal])
    await this.#turn(signal)
    try {
      if (signal.aborted) return { kind: 'failed', error: 'it was canceled' }
      return await this.#audited(job, workshop, { ...context, signal })
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  async #audited(job: LocalJob, workshop: Workshop, context: RunContext): Promise<Outcome> {
    const { turnId, key, client } = context
    const sandbox = job.kind === 'shell' ? workshop.sandbox : undefined
    const run = { id: randomId(8), turn: turnId, key, client, job, sandbox }
    const startedAt = performance.now()
    try {
      await this.#audit?.begin(run)
    } catch (error) {
      this.#observing.log.error('the audit log cannot be written: no local tool runs', errorFields(error))
      return {
        kind: 'failed',
        error: 'local tools cannot be used: their audit log cannot be written',
        denied: true,
      }
    }
    context.onBegin?.(job)
    const outcome = await workshop.run(job, context).catch((error): Outcome => {
      this.#observing.log.error('a local tool failed', { tool: job.kind, ...errorFields(error) })
      return { kind: 'failed', error: 'the gateway failed to do it; its log has the cause' }
    })
    const milliseconds = Math.round(performance.now() - startedAt)
    await this.#audit?.end(run, outcome, milliseconds).catch((error) => {
      this.#observing.log.error('the audit log cannot be written', errorFields(error))
    })
    this.#report(run.turn, job, outcome, milliseconds)
    return outcome
  }

  #report(turn: string, job: LocalJob, outcome: Outcome, milliseconds: number): void {
    const { log, metrics } = this.#observing
    const denied = outcome.kind === 'failed' && outcome.denied
    const how = denied ? 'refused' : outcome.kind === 'failed' ? 'failed' : 'done'
    log.info('local tool', { turn, tool: job.kind, outcome: how, milliseconds })
    metrics.count('dragoman_local_tool_runs_total', 'Local tools that were run.', {
      tool: job.kind,
      outcome: how,
    })
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#running >= atOnce && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    this.#running++
  }
}
