// Opens a URL in the user's browser. The URL is printed as well, so a failure needs no message.

import { spawn } from 'node:child_process'
import type { Environment } from '../config/environment.ts'

export function openBrowser(url: string, environment: Pick<Environment, 'variable'>): void {
  const graphical = environment.variable('DISPLAY') || environment.variable('WAYLAND_DISPLAY')
  // Without a display, xdg-open would start a text browser.
  if (process.platform !== 'darwin' && !graphical) return
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], {
    // The browser outlives this program, and Ctrl-C here does not close it.
    detached: true,
    stdio: 'ignore',
  })
  child.on('error', () => undefined)
  child.unref()
}
