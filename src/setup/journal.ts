// The journal of setup, for --undo: the text of each file before and after, in the data folder, readable by the user only. An
// entry is written before its file changes, so that a crash loses nothing. Each entry is a separate file, so that two setups at
// the same time keep both.

import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { randomId } from '../base/ids.ts'
import { FileProblem, readBytes, writeWhole } from './write-file.ts'

const entrySchema = z.object({
  id: z.string(),
  client: z.string(),
  /** The project's folder; undefined for the user's own file. */
  project: z.string().optional(),
  path: z.string(),
  /** Its place among the files of one setup, in the order of writing. */
  place: z.number().optional(),
  /** Mode of the file before; undefined if there was no file. */
  mode: z.number().optional(),
  folders: z.array(z.string()),
  writtenAt: z.string(),
})

export type JournalEntry = z.infer<typeof entrySchema>

export interface Kept {
  before: Buffer | undefined
  after: Buffer
}

export interface Journal {
  /** Oldest first. */
  entries(): JournalEntry[]
  keep(entry: Omit<JournalEntry, 'id'>, texts: Kept): JournalEntry
  kept(entry: JournalEntry): Kept
  /** The path of the backup. */
  backupOf(entry: JournalEntry): string
  drop(entry: JournalEntry): void
}

export class DamagedJournal extends Error {
  override readonly name = 'DamagedJournal'
}

const filePart = (path: string) => basename(path).replace(/[^\w.-]/g, '_')
const entryName = /^(\d+)-\w+-entry\.json$/

export function openJournal(dataFolder: string): Journal {
  const folder = join(dataFolder, 'setup')
  const entryFile = ({ id }: Pick<JournalEntry, 'id'>) => join(folder, `${id}-entry.json`)
  const beforeFile = ({ id, path }: JournalEntry) => join(folder, `${id}-before-${filePart(path)}`)
  const afterFile = ({ id, path }: JournalEntry) => join(folder, `${id}-after-${filePart(path)}`)
  /** Sorted by number. */
  const names = () =>
    filesIn(folder)
      .filter((name) => entryName.test(name))
      .sort((one, other) => numberOf(one) - numberOf(other))

  function readEntry(name: string): JournalEntry[] {
    const file = join(folder, name)
    const bytes = readBytes(file)
    // Another setup removed it in the meantime.
    if (bytes === undefined) return []
    try {
      return [entrySchema.parse(JSON.parse(bytes.toString('utf8')))]
    } catch {
      throw new DamagedJournal(
        `${file} is damaged; the file as it was is beside it. Put that back by hand, then remove ${file}.`,
      )
    }
  }
  return {
    entries: () => names().flatMap(readEntry),
    keep(facts, { before, after }) {
      const number = numberOf(names().at(-1) ?? '') + 1
      const entry = { id: `${number}-${randomId(8)}`, ...facts }
      try {
        if (before !== undefined) writeWhole(beforeFile(entry), before, { mode: 0o600 })
        writeWhole(afterFile(entry), after, { mode: 0o600 })
        writeWhole(entryFile(entry), `${JSON.stringify(entry, undefined, 2)}\n`, { mode: 0o600 })
      } catch (error) {
        if (!(error instanceof FileProblem)) throw error
        const reason = /\(\w+\)/.exec(error.message)?.[0] ?? ''
        throw new FileProblem(
          `Nothing was written: what --undo needs cannot be kept in ${folder} ${reason}. Make that folder writable, or set XDG_DATA_HOME to one that is.`,
        )
      }
      return entry
    },
    kept: (entry) => {
      const after = readBytes(afterFile(entry))
      const before = entry.mode === undefined ? undefined : readBytes(beforeFile(entry))
      if (after === undefined || (entry.mode !== undefined && before === undefined))
        throw new DamagedJournal(
          `What ${entry.path} was before is no longer whole in ${folder}; mend it by hand, then remove ${entryFile(entry)}.`,
        )
      return { before, after }
    },
    backupOf: beforeFile,
    drop(entry) {
      for (const file of [entryFile(entry), beforeFile(entry), afterFile(entry)])
        rmSync(file, { force: true })
    },
  }
}

const numberOf = (name: string) => Number(entryName.exec(name)?.[1] ?? 0)

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw new FileProblem(
      `${folder} cannot be read (${code}). Make that folder readable, or set XDG_DATA_HOME to one that is.`,
    )
  }
}
