// Writes a plan's files and restores them.

import { DamagedJournal, type Journal, type JournalEntry, type Kept } from './journal.ts'
import { writtenForms } from './mask.ts'
import { CannotEdit, type FileChange } from './plan.ts'
import { takeOut } from './take-out.ts'
import {
  missingFolders,
  modeOf,
  readBytes,
  removeFolders,
  removeWhole,
  targetOf,
  textOf,
  writeWhole,
} from './write-file.ts'

interface Occasion {
  client: string
  project: string | undefined
  /** A key: a file that holds it must not be readable by others. */
  secret: string | undefined
  /** The file is for its owner alone, whatever it holds. */
  isPrivate?: boolean
  /** The file's place in the plan: a file may name those before it. */
  place?: number
  now: Date
}

/** The file changed after the plan was made. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile'
}

const isSame = (one: Buffer | undefined, other: Buffer | undefined) =>
  one === undefined || other === undefined ? one === other : one.equals(other)

export function applyChange(journal: Journal, { path, before, after }: FileChange, occasion: Occasion): void {
  const target = targetOf(path)
  const shown = before === undefined ? undefined : Buffer.from(before)
  const check = unchanged(target, shown)
  check()
  const mode = modeOf(target)
  // A second setup of the same file keeps the first original: an undo restores that.
  const first = standing(journal, { ...occasion, path: target, now: shown })
  const entry = journal.keep(
    {
      client: occasion.client,
      ...(occasion.project !== undefined && { project: occasion.project }),
      path: target,
      ...(occasion.place !== undefined && { place: occasion.place }),
      ...ofFileBefore(first ?? { mode, folders: missingFolders(target) }),
      writtenAt: occasion.now.toISOString(),
    },
    { before: first ? journal.kept(first).before : shown, after: Buffer.from(after) },
  )
  try {
    writeWhole(target, after, {
      mode: modeFor(mode, occasion.isPrivate || holdsKey(after, occasion.secret)),
      check,
    })
  } catch (error) {
    if (!first) removeFolders(entry.folders)
    journal.drop(entry)
    throw error
  }
  if (first) journal.drop(first)
}

const ofFileBefore = ({ mode, folders }: { mode?: number | undefined; folders: string[] }) => ({
  ...(mode !== undefined && { mode }),
  folders,
})

/** Throws if the file's content differs from this. */
const unchanged = (path: string, bytes: Buffer | undefined) => () => {
  if (!isSame(readBytes(path), bytes))
    throw new ChangedMeanwhile(`${path} was changed meanwhile; nothing was written to it.`)
}

interface Standing {
  client: string
  project: string | undefined
  path: string
  now: Buffer | undefined
}

/** The entry whose result the file holds now. */
export function standing(
  journal: Journal,
  { client, project, path, now }: Standing,
): JournalEntry | undefined {
  return journal
    .entries()
    .filter((entry) => entry.path === path && entry.client === client && entry.project === project)
    .findLast((entry) => {
      try {
        return isSame(journal.kept(entry).after, now)
      } catch (error) {
        if (error instanceof DamagedJournal) return false
        throw error
      }
    })
}

const holdsKey = (text: string, secret: string | undefined) =>
  secret !== undefined && writtenForms(secret).some((form) => text.includes(form))

/** The file's old mode or the default one; a file with a key is for its owner only. */
function modeFor(mode: number | undefined, closed: boolean): number {
  const usual = mode ?? 0o666 & ~process.umask()
  return closed ? usual & 0o700 : usual
}

type Undone =
  | { outcome: 'restored' | 'removed' | 'nothing' }
  /** The file was changed since; this is its text without what setup added. */
  | { outcome: 'merged'; now: string; without: string }
  | { outcome: 'refused'; now: string; written: string }

/** Restores a file byte for byte if possible; else reports what could be done. */
export function undoEntry(journal: Journal, entry: JournalEntry): Undone {
  const { before, after } = journal.kept(entry)
  const now = readBytes(entry.path)
  if (isSame(now, before)) {
    journal.drop(entry)
    return { outcome: 'nothing' }
  }
  if (isSame(now, after)) {
    restore(entry, before, unchanged(entry.path, now))
    journal.drop(entry)
    return { outcome: before === undefined ? 'removed' : 'restored' }
  }
  return changedSince(entry.path, now, { before, after })
}

function changedSince(path: string, now: Buffer | undefined, { before, after }: Kept): Undone {
  const written = after.toString('utf8')
  const there = now?.toString('utf8') ?? ''
  if (now === undefined) return { outcome: 'refused', now: there, written }
  try {
    const was = before === undefined ? '' : textOf(before)
    const without = takeOut(path, { before: was, written, now: textOf(now) })
    if (without !== undefined) return { outcome: 'merged', now: there, without }
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error
  }
  return { outcome: 'refused', now: there, written }
}

/** Writes what `undoEntry` proposed, after the user agreed. */
export function finishMerge(
  journal: Journal,
  entry: JournalEntry,
  { now, without }: { now: string; without: string },
): void {
  const check = unchanged(entry.path, Buffer.from(now))
  if (without.trim() === '' && entry.mode === undefined) restore(entry, undefined, check)
  else writeWhole(entry.path, without, { mode: entry.mode ?? modeOf(entry.path) ?? 0o600, check })
  journal.drop(entry)
}

function restore({ path, mode, folders }: JournalEntry, before: Buffer | undefined, check: () => void): void {
  if (before !== undefined && mode !== undefined) return writeWhole(path, before, { mode, check })
  check()
  removeWhole(path, folders)
}
