// Writes a plan's files and takes them back.

import type { Journal, JournalEntry, Kept } from './journal.ts'
import { jsonValue } from './json-edit.ts'
import { merge } from './line-diff.ts'
import { CannotEdit, type FileChange } from './plan.ts'
import { scanToml } from './toml-scan.ts'
import { missingFolders, modeOf, readBytes, removeWhole, targetOf, textOf, writeWhole } from './write-file.ts'

export interface Occasion {
  client: string
  project: string | undefined
  /** A key that must not be readable by others where it stands in a file. */
  secret: string | undefined
  now: Date
}

/** The file is not what the plan was made from. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile'
}

const isSame = (one: Buffer | undefined, other: Buffer | undefined) =>
  one === undefined || other === undefined ? one === other : one.equals(other)

export function applyChange(journal: Journal, { path, before, after }: FileChange, occasion: Occasion): void {
  const target = targetOf(path)
  const now = readBytes(target)
  if (!isSame(now, before === undefined ? undefined : Buffer.from(before)))
    throw new ChangedMeanwhile(`${path} was changed meanwhile; nothing was written to it.`)
  const next = Buffer.from(after)
  const mode = modeOf(target)
  const last = journal.entries().findLast((entry) => entry.path === target)
  // Set up again on top of itself: what was there before the first time is what an undo gives back.
  if (last && isSame(journal.kept(last).after, now)) journal.replace(last, next)
  else
    journal.keep(
      {
        client: occasion.client,
        ...(occasion.project !== undefined && { project: occasion.project }),
        path: target,
        ...(mode !== undefined && { mode }),
        folders: missingFolders(target),
        writtenAt: occasion.now.toISOString(),
      },
      { before: now, after: next },
    )
  const holdsKey = occasion.secret !== undefined && after.includes(occasion.secret)
  writeWhole(target, next, modeFor(mode, holdsKey))
}

/** As it was, or as new files are; but nobody else reads a key. */
function modeFor(mode: number | undefined, holdsKey: boolean): number {
  const usual = mode ?? 0o666 & ~process.umask()
  return holdsKey ? usual & 0o700 : usual
}

export type Undone =
  | { outcome: 'restored' | 'removed' | 'nothing' }
  /** Somebody else changed it: this would be it without what set-up had added. */
  | { outcome: 'merged'; now: string; without: string }
  | { outcome: 'refused'; now: string; written: string }

/** Restores what can be restored to the byte; of the rest it says what could be done. */
export function undoEntry(journal: Journal, entry: JournalEntry): Undone {
  const { before, after } = journal.kept(entry)
  const now = readBytes(entry.path)
  if (isSame(now, before)) {
    journal.drop(entry)
    return { outcome: 'nothing' }
  }
  if (isSame(now, after)) {
    restore(entry, before)
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
    const without = merge(written, before === undefined ? '' : textOf(before), textOf(now))
    if (without === undefined) return { outcome: 'refused', now: there, written }
    checkSound(path, without)
    return { outcome: 'merged', now: there, without }
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error
    return { outcome: 'refused', now: there, written }
  }
}

/** Lines know nothing of what they mean: what was put together from them must still be readable. */
function checkSound(path: string, text: string): void {
  if (/\.jsonc?$/.test(path)) jsonValue(text, [])
  if (path.endsWith('.toml')) scanToml(text)
}

/** After the user agreed to what `undoEntry` proposed. */
export function finishMerge(
  journal: Journal,
  entry: JournalEntry,
  { now, without }: { now: string; without: string },
): void {
  if (!isSame(readBytes(entry.path), Buffer.from(now)))
    throw new ChangedMeanwhile(`${entry.path} was changed meanwhile; nothing was written to it.`)
  if (without.trim() === '' && entry.mode === undefined) restore(entry, undefined)
  else writeWhole(entry.path, without, entry.mode ?? modeOf(entry.path) ?? 0o600)
  journal.drop(entry)
}

function restore({ path, mode, folders }: JournalEntry, before: Buffer | undefined): void {
  if (before === undefined || mode === undefined) removeWhole(path, folders)
  else writeWhole(path, before, mode)
}
