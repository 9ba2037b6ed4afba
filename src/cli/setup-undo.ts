// `dragoman setup CLIENT --undo`: restores the files. Later changes by others are kept, or the file is left alone.

import { CommandError } from '../process/command-error.ts'
import { finishMerge, standing, undoEntry } from '../setup/apply.ts'
import { type Journal, type JournalEntry, openJournal } from '../setup/journal.ts'
import { showDiff } from '../setup/line-diff.ts'
import { maskSecrets } from '../setup/mask.ts'
import { tilde } from '../setup/plan.ts'
import { readBytes } from '../setup/write-file.ts'
import type { Terminal } from './setup-terminal.ts'

interface UndoOptions {
  client: string
  project: string | undefined
  /** Only this file; absent: all that were written for the client. */
  path?: string
  dataFolder: string
  home: string
  terminal: Terminal
  /** Asks before writing a file that changed after setup. */
  agree(): Promise<void>
  /** Why there is nothing to undo; by default in the words of setup. */
  nothingKnown?(entries: readonly JournalEntry[]): string
}

export async function undoSetup(options: UndoOptions): Promise<void> {
  const { client, project, dataFolder, terminal } = options
  const journal = openJournal(dataFolder)
  const isOwn = (entry: JournalEntry) =>
    entry.client === client &&
    entry.project === project &&
    (options.path === undefined || entry.path === options.path)
  const own = journal.entries().filter(isOwn)
  if (own.length === 0) {
    const reason = options.nothingKnown?.(journal.entries()) ?? nothingKnown(journal, options)
    throw new CommandError(`There is nothing to undo: ${reason}`)
  }
  // For each file the entry whose result it holds, else the latest. Undoing an entry restores the result of the one before.
  const latest = [...new Set(own.map(({ path }) => path))].map(
    (path) =>
      standing(journal, { client, project, path, now: readBytes(path) }) ??
      (own.findLast((entry) => entry.path === path) as JournalEntry),
  )
  // A file that names another is restored before that one goes: if it cannot be, both stay.
  latest.sort((one, other) => (other.place ?? 0) - (one.place ?? 0))
  for (const entry of latest) await undoOne(journal, entry, options)
  const left = own.length - latest.length
  if (left > 0)
    terminal.err('That was the latest of several setups; run `--undo` again for the one before it.\n')
}

function nothingKnown(journal: Journal, { client, project }: UndoOptions): string {
  const elsewhere = journal.entries().filter((entry) => entry.client === client)
  const [other] = elsewhere
  if (!other) return `no set-up of ${client} was written by this command.`
  return project === undefined
    ? `only a project's file was set up, in ${other.project}; undo it there, with --project.`
    : `no file of this project was set up${other.project === undefined ? '; leave out --project for your own' : ''}.`
}

async function undoOne(journal: Journal, entry: JournalEntry, options: UndoOptions): Promise<void> {
  const { terminal, home, agree } = options
  const name = tilde(entry.path, home)
  const undone = undoEntry(journal, entry)
  switch (undone.outcome) {
    case 'restored':
      terminal.err(`${name} is restored.\n`)
      return
    case 'removed':
      terminal.err(`${name} is removed again.\n`)
      return
    case 'nothing':
      terminal.err(`${name} is as it was before; there was nothing to undo.\n`)
      return
    case 'merged':
      terminal.err(
        `${name} was changed since it was set up. This takes out what set-up had added, and no more:\n`,
      )
      terminal.out(`\n${maskSecrets(showDiff(undone.now, undone.without))}\n`)
      await agree()
      finishMerge(journal, entry, undone)
      terminal.err('Done.\n')
      return
    case 'refused':
      terminal.err(`What was changed since set-up wrote it:\n`)
      terminal.out(`\n${maskSecrets(showDiff(undone.written, undone.now))}\n`)
      throw new CommandError(
        `${name} is left as it is: it was changed in the same places since it was set up. ${
          entry.mode === undefined
            ? 'There was no such file before'
            : `As it was before, it is in ${journal.backupOf(entry)}`
        }; put it right by hand.`,
      )
  }
}
