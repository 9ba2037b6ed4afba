// Renames a finished draft over a file. On Windows that fails while another program has the file open, which virus scanners, indexers
// and editors do for moments: it is tried again, for 0.6 s in all.

import { renameSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type System, thisSystem } from './system.ts'

const waitsMs = [10, 20, 40, 80, 160, 320]

const heldCodes = new Set(['EPERM', 'EACCES', 'EBUSY'])

/** Another program has the file open, or its removal is not finished. */
export const isHeldElsewhere = (error: unknown, system: System = thisSystem): boolean =>
  system === 'windows' && heldCodes.has(String((error as NodeJS.ErrnoException).code))

export async function replaceFile(
  draft: string,
  path: string,
  { system = thisSystem, move = rename, pause = (ms: number): Promise<unknown> => sleep(ms) } = {},
): Promise<void> {
  for (const ms of waitsMs) {
    try {
      return await move(draft, path)
    } catch (error) {
      if (!isHeldElsewhere(error, system)) throw error
      await pause(ms)
    }
  }
  return move(draft, path)
}

export function replaceFileSync(
  draft: string,
  path: string,
  { system = thisSystem, move = renameSync, pause = block } = {},
): void {
  for (const ms of waitsMs) {
    try {
      return move(draft, path)
    } catch (error) {
      if (!isHeldElsewhere(error, system)) throw error
      pause(ms)
    }
  }
  move(draft, path)
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
