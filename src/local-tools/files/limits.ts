// Limits of a job in time and size.

import { setImmediate } from 'node:timers/promises'
import { Refusal } from './refusal.ts'

export interface FileLimits {
  /** For the result. */
  outputBytes: number
  signal: AbortSignal
  /** For listings, and for files found by name. */
  maxEntries?: number
  /**
   * Runs ripgrep with these arguments, in the root and inside the sandbox. Only the names that it finds are used: the gateway
   * reads the files itself.
   */
  search?: (args: string[]) => Promise<{ stdout: string; code: number }>
}

export const defaultMaxEntries = 2000

export function checkNotStopped({ signal }: FileLimits): void {
  if (signal.aborted) throw new Refusal('This was stopped before it was done.')
}

const sliceMs = 10

/** Splits long work, so that the event loop serves others in between. */
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
