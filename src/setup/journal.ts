// What set-up wrote, so that it can be taken back: for each file what it was before and after, in the data folder, for the
// user's eyes only. The entry is there before the file is changed: whatever happens between, nothing is lost.

import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { randomId } from '../core/ids.ts'
import { readBytes, writeWhole } from './write-file.ts'

const entrySchema = z.object({
  id: z.string(),
  client: z.string(),
  /** The project's folder, or none for the user's own file. */
  project: z.string().optional(),
  path: z.string(),
  /** Of the file before; none if there was no file. */
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
  /** Written again before it was taken back: the first `before` stays. */
  replace(entry: JournalEntry, after: Buffer): void
  kept(entry: JournalEntry): Kept
  /** Where the file as it was is kept. */
  backupOf(entry: JournalEntry): string
  drop(entry: JournalEntry): void
}

export class DamagedJournal extends Error {
  override readonly name = 'DamagedJournal'
}

const filePart = (path: string) => basename(path).replace(/[^\w.-]/g, '_')

export function openJournal(dataFolder: string): Journal {
  const folder = join(dataFolder, 'setup')
  const file = join(folder, 'journal.json')
  const beforeFile = ({ id, path }: JournalEntry) => join(folder, `${id}-before-${filePart(path)}`)
  const afterFile = ({ id, path }: JournalEntry) => join(folder, `${id}-after-${filePart(path)}`)

  function entries(): JournalEntry[] {
    const bytes = readBytes(file)
    if (bytes === undefined) return []
    try {
      return z.array(entrySchema).parse(JSON.parse(bytes.toString('utf8')))
    } catch {
      throw new DamagedJournal(
        `${file} is damaged; the files as they were are beside it. Put them back by hand, then remove ${folder}.`,
      )
    }
  }
  const write = (next: JournalEntry[]) => {
    writeWhole(file, `${JSON.stringify(next, undefined, 2)}\n`, 0o600)
  }
  return {
    entries,
    keep(facts, { before, after }) {
      const entry = { id: randomId(8), ...facts }
      const known = entries()
      if (before !== undefined) writeWhole(beforeFile(entry), before, 0o600)
      writeWhole(afterFile(entry), after, 0o600)
      write([...known, entry])
      return entry
    },
    replace: (entry, after) => void writeWhole(afterFile(entry), after, 0o600),
    kept: (entry) => {
      const after = readBytes(afterFile(entry))
      const before = entry.mode === undefined ? undefined : readBytes(beforeFile(entry))
      if (after === undefined || (entry.mode !== undefined && before === undefined))
        throw new DamagedJournal(`What ${entry.path} was before is no longer in ${folder}; mend it by hand.`)
      return { before, after }
    },
    backupOf: beforeFile,
    drop(entry) {
      write(entries().filter(({ id }) => id !== entry.id))
      rmSync(beforeFile(entry), { force: true })
      rmSync(afterFile(entry), { force: true })
    },
  }
}
