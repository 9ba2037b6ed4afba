// What the gateway has run by itself, for whom, and what came of it: two lines a run, the first of them on disk before it
// begins, and one for a call that is no run. Commands and paths are in it, contents are not.

import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { asciiControls } from '../base/visible-text.ts'
import type { LineFile } from '../observe/rotating-file.ts'
import type { Scrubber } from '../observe/scrub.ts'
import type { Failure, Outcome } from '../protocols/client-tools/job.ts'
import type { LocalJob } from '../protocols/local-tools/calls.ts'

export interface AuditedRun {
  id: string
  turn: string
  key: string
  client?: string | undefined
  job: LocalJob
  /** Only of commands. */
  sandbox?: string | undefined
}

/** A call of which nothing came: there is no such tool, or its arguments mean nothing. */
export interface RefusedCall {
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
  /** What a command did and was not left to stand. */
  undone: readonly string[]
}

export class AuditLog {
  readonly #file: LineFile
  readonly #scrubber: Scrubber

  constructor(file: LineFile, scrubber: Scrubber) {
    this.#file = file
    this.#scrubber = scrubber
  }

  /** Rejects where it cannot be written: what leaves no trace is not run. */
  begin({ id, turn, key, client, job, sandbox }: AuditedRun): Promise<void> {
    const who = { run: id, turn, key, ...(client === undefined ? {} : { client }) }
    return this.#write({
      event: 'begin',
      ...who,
      ...told(job),
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
    // Cut when secrets are out of it, or half of one might stay.
    const scrubbed = (value: unknown) =>
      typeof value === 'string' ? this.#scrubber.scrub(value).slice(0, longest) : value
    const told = Object.entries({ time: new Date().toISOString(), ...record })
    const line = JSON.stringify(Object.fromEntries(told.map(([name, value]) => [name, scrubbed(value)])))
    return this.#file.append(asciiControls(`${line}\n`))
  }
}

const longest = 4_000

function told(job: LocalJob): Record<string, unknown> {
  const { kind, ...said } = job
  if (job.kind === 'list') return { tool: kind, path: job.path }
  if (job.kind !== 'write') return { tool: kind, ...said }
  const sha256 = createHash('sha256').update(job.content).digest('hex')
  return { tool: kind, path: job.path, bytes: Buffer.byteLength(job.content), sha256 }
}

/** In a word, for the audit log, the log and the metrics. */
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

/** Why nothing could be noted in this file, as things are. */
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
    return `no tool will run, for the audit log ${file} cannot be written (${code}: ${place})`
  }
}
