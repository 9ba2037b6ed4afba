// Opens a URL in the user's browser. The URL is printed as well, so a failure needs no message.

import { spawn } from 'node:child_process'
import { commandWords } from '../base/platform/expand.ts'
import { commands } from '../base/platform/rows.ts'
import { type System, thisSystem } from '../base/platform/system.ts'
import type { Environment } from '../config/environment.ts'

export function openBrowser(url: string, environment: Pick<Environment, 'variable'>): void {
  const [program, ...args] = browserCommand(url, environment)
  if (program === undefined) return
  const child = spawn(program, args, {
    // The browser outlives this program, and Ctrl-C here does not close it.
    detached: true,
    stdio: 'ignore',
  })
  child.on('error', () => undefined)
  child.unref()
}

/** Empty without a display: xdg-open would start a text browser. */
export function browserCommand(
  url: string,
  { variable }: Pick<Environment, 'variable'>,
  system: System = thisSystem,
): string[] {
  const isGraphical = system !== 'linux' || variable('DISPLAY') || variable('WAYLAND_DISPLAY')
  return isGraphical ? commandWords(commands.browser[system], { URL: url }) : []
}
