// What the gateway has run by itself, for whom, and what came of it: two lines a run, the first of them on disk before it
// begins. Commands and paths are in it, contents are not.

import { createHash } from 'node:crypto'
import { RotatingFile } from '../observe/rotating-file.ts'
import type { Scrubber } from '../observe/scrub.ts'
import type { Outcome } from '../protocols/client-tools/job.ts'
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

export class AuditLog {
  readonly #file: RotatingFile
  readonly #scrubber: Scrubber

  constructor(file: string, scrubber: Scrubber) {
    this.#file = new RotatingFile(file)
    this.#scrubber = scrubber
  }

  get path(): string {
    return this.#file.path
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

  end({ id, turn }: AuditedRun, outcome: Outcome, milliseconds: number): Promise<void> {
    return this.#write({ event: 'end', run: id, turn, ...summaryOf(outcome), milliseconds })
  }

  #write(record: Record<string, unknown>): Promise<void> {
    const line = JSON.stringify({ time: new Date().toISOString(), ...record })
    return this.#file.append(`${this.#scrubber.scrub(line)}\n`)
  }
}

const longest = 4_000

function told(job: LocalJob): Record<string, unknown> {
  const { kind, ...said } = job
  if (job.kind !== 'write') return { tool: kind, ...cut(said) }
  const { path, content } = job
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { tool: kind, path: path.slice(0, longest), bytes: Buffer.byteLength(content), sha256 }
}

const cut = (said: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(said).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, longest) : value,
    ]),
  )

function summaryOf(outcome: Outcome): Record<string, unknown> {
  if (outcome.kind === 'failed')
    return { outcome: outcome.denied ? 'refused' : 'failed', error: outcome.error.slice(0, longest) }
  if (outcome.kind !== 'shell') return { outcome: 'done' }
  const { exitCode, timedOut, truncated } = outcome
  return { outcome: timedOut ? 'out of time' : 'done', exitCode, ...(truncated ? { truncated } : {}) }
}
