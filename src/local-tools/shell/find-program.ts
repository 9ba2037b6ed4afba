// Finds a program on this machine by name, but never one inside the folder where the model writes.

import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

interface ProgramName {
  program: string
  /** A path that takes precedence. */
  named?: string | undefined
  /** Programs in this folder are ignored. */
  outside?: string
  /** The folders to look in; those of PATH unless it is said. */
  searchPath?: string | undefined
  /** Whether a program of this name is the right one. */
  isRight?: ((path: string) => boolean) | undefined
}

export function findProgram(name: ProgramName): string | undefined {
  const { program, named, outside, searchPath = process.env.PATH ?? '', isRight = () => true } = name
  if (named) return isRunnable(named) ? named : undefined
  return searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(outside !== undefined && isWithin(folder, outside)))
    .map((folder) => join(folder, program))
    .find((path) => isRunnable(path) && isRight(path))
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
