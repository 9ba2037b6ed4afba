// Where tapes are kept, and how one is found by its file or by its turn.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipePatienceMs } from '../base/read-file.ts'
import type { Environment } from '../config/environment.ts'
import { readTapeFile, TapeError, type TapeFile } from './read.ts'

export const tapeFolder = ({ stateFolder }: Pick<Environment, 'stateFolder'>): string =>
  join(stateFolder, 'tapes')

/** Its tapes, by name; an absent folder has none. */
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

/** `wanted`: a file, or the id of a turn with a tape in `folder`. */
export function findTape(wanted: string, folder: string): TapeFile {
  if (isThere(wanted)) return readTapeFile(wanted, { pipeMs: pipePatienceMs })
  const found = findTurn(wanted, folder)
  if (found) return found
  throw new TapeError(wanted, `is no file, and there is no tape of such a turn in ${folder}`)
}

/** The file with the tape of this turn; damaged ones are passed over. */
export function findTurn(turn: string, folder: string): TapeFile | undefined {
  const files = tapeFiles(folder)
  // Most are named after their turn: only if none is, all have to be read.
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
