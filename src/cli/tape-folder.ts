// The folder of recorded turns. It is made before a gateway starts: a folder that cannot be written must stop the start, before turns
// are lost.

import { access, constants, mkdir } from 'node:fs/promises'
import type { Config } from '../config/schema.ts'
import { CommandError } from '../process/command-error.ts'

/** `usual`: the default folder. */
export async function prepareTapeFolder({ tapes }: Config, usual: string): Promise<void> {
  if (tapes.record === 'off') return
  const folder = tapes.folder ?? usual
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const reason = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in the way' : code
    throw new CommandError(
      `Turns cannot be recorded in ${folder} (${reason}). Name a folder that can be written: --record FOLDER, or "tapes.folder".`,
      2,
    )
  }
}
