// Fills in the paths and commands of rows.ts.

import type { Row } from './rows.ts'
import { pathsOf, type System, thisSystem } from './system.ts'

interface Surroundings {
  home: string
  variable(name: string): string | undefined
}

/** Where Windows keeps them if a program was started without these variables. */
const usualFolders: Readonly<Record<string, string>> = {
  APPDATA: '~\\AppData\\Roaming',
  LOCALAPPDATA: '~\\AppData\\Local',
}

export function expandPath(path: string, { home, variable }: Surroundings, system: System): string {
  const whole = path.replace(/^%(\w+)%/, (_, name: string) => variable(name) || usualFolders[name] || '~')
  return whole === '~' || /^~[\\/]/.test(whole) ? pathsOf(system).join(home, whole.slice(1)) : whole
}

/** A folder of the gateway; the variable replaces the part before `dragoman`. */
export function expandFolder(
  folder: Row & { variable: string },
  around: Surroundings,
  system: System,
): string {
  const base = around.variable(folder.variable)
  return base ? pathsOf(system).join(base, 'dragoman') : expandPath(folder[system], around, system)
}

/** The words of a command. In them, names in capital letters are replaced by their values. */
export const commandWords = (command: string, values: Readonly<Record<string, string>> = {}): string[] =>
  command.split(' ').map((word) => word.replace(/[A-Z]{2,}/g, (name) => values[name] ?? name))

/** A path as people write it: `~/` is the home folder, on Windows also `~\`. Undefined for any other path. */
export function fromHome(path: string, home: string, system: System = thisSystem): string | undefined {
  const isFromHome = system === 'windows' ? /^~(?:[\\/]|$)/ : /^~(?:\/|$)/
  return isFromHome.test(path) ? pathsOf(system).join(home, path.slice(2)) : undefined
}
