// The audit log of local tools: who ran what, with which outcome. A run has two lines, the first of which is on disk before it
// begins; a refused call has one. The log has commands and paths, but no contents.

import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { asciiControls } from '../base/visible-text.ts'
import type { LineFile } from '../observe/rotating-file.ts'
import type { Scrubber } from '../observe/scrub.ts'
import type { Failure, Outcome } from '../protocols/client-tools/job.ts'
import type { LocalJob } from '../protocols/local-tools/calls.ts'

interface AuditedRun {
  id: string
  turn: string
  key: string
  client?: string | undefined
  job: LocalJob
  /** Only for commands. */
  sandbox?: string | undefined
}

/** A call that was not run: the tool is unknown, or its arguments are invalid. */
interface RefusedCall {
  turn: string
  key: string
  client?: string | undefined
  /** The name that was called. */
  call: string
}

export interface RunEnd {
  outcome: Outcome
  end: ReturnType<typeof endOf>
  milliseconds: number
  /** Changes of a command that were undone. */
  undone: readonly string[]
}

export class AuditLog {
  readonly #file: LineFile
  readonly #scrubber: Scrubber

  constructor(file: LineFile, scrubber: Scrubber) {
    this.#file = file
    this.#scrubber = scrubber
  }

  /** Rejects if it cannot be written: without a record, nothing runs. */
  begin({ id, turn, key, client, job, sandbox }: AuditedRun): Promise<void> {
    const who = { run: id, turn, key, ...(client === undefined ? {} : { client }) }
    return this.#write({
      event: 'begin',
      ...who,
      ...fieldsOf(job),
      ...(sandbox === undefined ? {} : { sandbox }),
    })
  }

  end({ id, turn }: AuditedRun, { outcome, end, milliseconds, undone }: RunEnd): Promise<void> {
    const notes = undone.length === 0 ? {} : { undone: undone.join('; ') }
    return this.#write({
      event: 'end',
      run: id,
      turn,
      outcome: end,
      ...detailsOf(outcome),
      ...notes,
      milliseconds,
    })
  }

  refused({ turn, key, client, call }: RefusedCall, { error }: Failure): Promise<void> {
    const who = { turn, key, ...(client === undefined ? {} : { client }) }
    return this.#write({ event: 'refused', ...who, call, error })
  }

  #write(record: Record<string, unknown>): Promise<void> {
    // Cut after scrubbing, or half of a secret might stay.
    const scrubbed = (value: unknown) =>
      typeof value === 'string' ? this.#scrubber.scrub(value).slice(0, longest) : value
    const fields = Object.entries({ time: new Date().toISOString(), ...record })
    const line = JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [name, scrubbed(value)])))
    return this.#file.append(asciiControls(`${line}\n`))
  }
}

const longest = 4_000

function fieldsOf(job: LocalJob): Record<string, unknown> {
  const { kind, ...said } = job
  if (job.kind === 'list') return { tool: kind, path: job.path }
  if (job.kind !== 'write') return { tool: kind, ...said }
  const sha256 = createHash('sha256').update(job.content).digest('hex')
  return { tool: kind, path: job.path, bytes: Buffer.byteLength(job.content), sha256 }
}

/** The outcome in a word, for the audit log, the log and the metrics. */
export function endOf(outcome: Outcome, canceled: boolean) {
  if (outcome.kind === 'failed') return outcome.denied ? 'refused' : canceled ? 'canceled' : 'failed'
  if (outcome.kind !== 'shell') return 'done'
  if (outcome.timedOut) return 'out of time'
  return canceled && outcome.exitCode !== 0 ? 'canceled' : 'done'
}

function detailsOf(outcome: Outcome): Record<string, unknown> {
  if (outcome.kind === 'failed') return { error: outcome.error }
  if (outcome.kind === 'fetch') return outcome.truncated ? { truncated: true } : {}
  if (outcome.kind !== 'shell') return {}
  const { exitCode, truncated } = outcome
  return { exitCode, ...(truncated ? { truncated } : {}) }
}

/** Why the audit log cannot be written at present. */
export function auditProblem(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  let place = file
  while (!existsSync(place)) place = dirname(place)
  try {
    accessSync(place, constants.W_OK)
    if (place !== file) readdirSync(place)
    return undefined
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    return `no tool will run, because the audit log ${file} cannot be written (${code}: ${place})`
  }
}
