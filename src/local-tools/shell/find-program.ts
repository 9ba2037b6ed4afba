// A program of this machine, by its name: never one that lies in the folder where the model writes.

import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

export interface ProgramName {
  program: string
  /** An environment variable that names a file of the user's own. */
  variable: string
  /** No program from here. */
  outside?: string
}

export function findProgram({ program, variable, outside }: ProgramName): string | undefined {
  const named = process.env[variable]
  if (named) return isRunnable(named) ? named : undefined
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(outside !== undefined && isWithin(folder, outside)))
    .map((folder) => join(folder, program))
    .find(isRunnable)
}

/** The path itself counts. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`)

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
