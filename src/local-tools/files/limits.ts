// What a job may take of time and room.

import { setImmediate } from 'node:timers/promises'
import { Refusal } from './refusal.ts'

export interface FileLimits {
  /** Of what is handed back. */
  outputBytes: number
  signal: AbortSignal
  /** Of a listing, and of files found by name. */
  maxEntries?: number
  /**
   * Runs ripgrep with these arguments, in the root and inside the sandbox. It only narrows down where to look: what is
   * found is read here, so nothing but names is taken from it.
   */
  search?: (args: string[]) => Promise<{ stdout: string; code: number }>
}

export const defaultMaxEntries = 2000

export function checkNotStopped({ signal }: FileLimits): void {
  if (signal.aborted) throw new Refusal('This was stopped before it was done.')
}

const sliceMs = 10

/** Long work in pieces, so that others get their turn in between. */
export class TimeSlice {
  #since = performance.now()
  readonly #limits: FileLimits

  constructor(limits: FileLimits) {
    this.#limits = limits
  }

  async pauseIfDue(): Promise<void> {
    if (performance.now() - this.#since < sliceMs) return
    await setImmediate()
    checkNotStopped(this.#limits)
    this.#since = performance.now()
  }
}
