// The folder of tapes: its path, its files, and the search for a tape by file or turn.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipePatienceMs } from '../base/read-file.ts'
import type { Environment } from '../config/environment.ts'
import { readTapeFile, TapeError, type TapeFile } from './read.ts'

export const tapeFolder = ({ stateFolder }: Pick<Environment, 'stateFolder'>): string =>
  join(stateFolder, 'tapes')

/** The tape files sorted by name; none if the folder does not exist. */
export function tapeFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .map((name) => join(folder, name))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new TapeError(folder, code === 'ENOTDIR' ? 'is not a folder' : `cannot be read (${code})`)
  }
}

/** `wanted` is a file, or the id of a turn with a tape in `folder`. */
export function findTape(wanted: string, folder: string): TapeFile {
  if (isThere(wanted)) return readTapeFile(wanted, { pipeMs: pipePatienceMs })
  const found = findTurn(wanted, folder)
  if (found) return found
  throw new TapeError(wanted, `is neither a file nor the id of a turn with a tape in ${folder}`)
}

/** The file with the tape of this turn. Damaged files are skipped. */
export function findTurn(turn: string, folder: string): TapeFile | undefined {
  const files = tapeFiles(folder)
  // Most files are named after their turn. All are read only if none of these matches.
  const named = files.filter((file) => file.includes(turn))
  for (const file of [...named, ...files.filter((one) => !named.includes(one))]) {
    const tape = readOrSkip(file)
    if (tape?.tapes.some((one) => one.turn === turn)) return tape
  }
  return undefined
}

function readOrSkip(file: string): TapeFile | undefined {
  try {
    return readTapeFile(file)
  } catch (error) {
    if (error instanceof TapeError) return undefined
    throw error
  }
}

function isThere(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}
