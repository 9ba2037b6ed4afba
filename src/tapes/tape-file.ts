// Writes tapes to a file, atomically.

import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { replaceFileSync } from '../base/platform/replace-file.ts'
import { type ReadTape, TapeError } from './read.ts'

export const linesOf = (tapes: readonly Pick<ReadTape, 'head' | 'frames'>[]): string =>
  tapes
    .flatMap(({ head, frames }) => [head, ...frames])
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')

/** Readable by its owner only: the file holds prompts and answers. */
export function writeTapeFile(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}.draft`
  try {
    const file = openSync(draft, 'wx', 0o600)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    replaceFileSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new TapeError(path, `cannot be written (${(error as NodeJS.ErrnoException).code ?? error})`)
  }
}
