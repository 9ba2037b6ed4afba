// Finds a program on this machine by name, but never one inside the folder where the model writes.

import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

interface ProgramName {
  program: string
  /** An environment variable with a path that takes precedence. */
  variable: string
  /** Programs in this folder are ignored. */
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

/** True also for the folder itself. */
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
