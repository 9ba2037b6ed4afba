// Shows an address in the user's browser. A convenience: the address is printed as well, so a failure needs no words.

import { spawn } from 'node:child_process'
import type { Environment } from '../config/environment.ts'

export function openBrowser(url: string, environment: Pick<Environment, 'variable'>): void {
  const graphical = environment.variable('DISPLAY') || environment.variable('WAYLAND_DISPLAY')
  // Without a screen xdg-open would start a browser for terminals.
  if (process.platform !== 'darwin' && !graphical) return
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], {
    // Not ours: it outlives this program, and Ctrl-C here does not close it.
    detached: true,
    stdio: 'ignore',
  })
  child.on('error', () => undefined)
  child.unref()
}
