// The tapes of a probe: all turns are recorded to a temporary folder; the tapes of failed tasks are kept.

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replaceFileSync } from '../../base/platform/replace-file.ts'
import type { Config } from '../../config/schema.ts'
import type { TaskRun } from './run-task.ts'

export class TapeStaging {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dragoman-probe-'))

  /** Settings for the gateway's own recorder, which keeps secrets off the tapes. */
  get settings(): Config['tapes'] {
    return {
      record: 'all',
      folder: this.#folder,
      maxBytes: 16 * 1024 * 1024,
      keepBytes: Number.MAX_SAFE_INTEGER,
    }
  }

  /** Copies the tapes of a run once the recorder has finished, and returns their paths. Names stay: tapes refer to each other. */
  keep({ task, attempt, turnIds }: TaskRun, folder: string): string[] {
    const names = readdirSync(this.#folder)
    const own = turnIds.flatMap((turn) => names.find((name) => name.endsWith(`-${turn}.jsonl`)) ?? [])
    if (own.length === 0) return []
    const place = join(folder, `${task.id}${attempt > 1 ? `-run-${attempt}` : ''}`)
    mkdirSync(place, { recursive: true, mode: 0o700 })
    return own.map((name) => {
      const draft = join(place, `.${name}.draft`)
      copyFileSync(join(this.#folder, name), draft)
      replaceFileSync(draft, join(place, name))
      return join(place, name)
    })
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** A folder name that is unique to this probe. */
export function tapeFolderName(model: string, startedAt: Date): string {
  const time = startedAt
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/:/g, '')
  return `probe-${model.replace(/[^\w.-]+/g, '-').slice(0, 80)}-${time}`
}
