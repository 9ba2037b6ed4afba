// The tapes of a probe: all of them are recorded to a place of their own, those of failed tasks are kept.

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { TaskRun } from './run-task.ts'

export class TapeStaging {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dragoman-probe-'))

  /** As the gateway's own recorder is told: it knows all secrets, and keeps them off the tapes. */
  get settings(): Config['tapes'] {
    return {
      record: 'all',
      folder: this.#folder,
      maxBytes: 16 * 1024 * 1024,
      keepBytes: Number.MAX_SAFE_INTEGER,
    }
  }

  /** Once the recorder is through. The tapes keep their names, by which one leads to another; gives their paths. */
  keep({ task, attempt, turnIds }: TaskRun, folder: string): string[] {
    const names = readdirSync(this.#folder)
    const own = turnIds.flatMap((turn) => names.find((name) => name.endsWith(`-${turn}.jsonl`)) ?? [])
    if (own.length === 0) return []
    const place = join(folder, `${task.id}${attempt > 1 ? `-run-${attempt}` : ''}`)
    mkdirSync(place, { recursive: true, mode: 0o700 })
    return own.map((name) => {
      const draft = join(place, `.${name}.draft`)
      copyFileSync(join(this.#folder, name), draft)
      renameSync(draft, join(place, name))
      return join(place, name)
    })
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** A name for a folder: of this probe and no other. */
export function tapeFolderName(model: string, startedAt: Date): string {
  const time = startedAt
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/:/g, '')
  return `probe-${model.replace(/[^\w.-]+/g, '-').slice(0, 80)}-${time}`
}
