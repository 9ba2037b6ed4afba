// Graceful shutdown of a gateway process: once, however often it is requested, and also after an uncaught error.

import type { Gateway } from '../gateway.ts'
import { errorFields } from '../observe/log.ts'
import { closeMs, drainMs, mostErrors } from './stop-times.ts'

/** `leaving`: other processes continue on the port. */
type Stop = (reason: string, options?: { leaving?: boolean }) => void

export interface Stopper {
  readonly isStopping: boolean
  stop: Stop
}

interface StopperOptions {
  /** Before running turns are waited for. */
  onStopping?: (() => void) | undefined
  onStop?: (() => Promise<void>) | undefined
  /** An uncaught error affects only this process. */
  hasOthers?: boolean
}

export function createStopper(
  gateway: Gateway,
  { onStopping, onStop, hasOthers = false }: StopperOptions,
): Stopper {
  let isStopping = false
  let errors = 0
  // Also sets the exit code for an empty event loop.
  const fail = () => {
    process.exitCode = 1
  }
  const end = async (leaving: boolean) => {
    // A hard deadline.
    setTimeout(() => process.exit(1), drainMs + closeMs).unref()
    try {
      await gateway.close(drainMs, { leaving })
      await onStop?.()
    } catch (error) {
      fail()
      gateway.log.error('stopping failed', errorFields(error))
    }
    process.exit()
  }
  const stop: Stop = (reason, { leaving = false } = {}) => {
    if (isStopping) return
    isStopping = true
    gateway.log.info('stopping', { reason })
    onStopping?.()
    void end(leaving)
  }
  // The state is unknown after an uncaught error: running turns may finish, sessions are dropped, and a new process must take over.
  const lastResort = (kind: string) => (error: unknown) => {
    fail()
    gateway.log.error(kind, errorFields(error))
    if (++errors > mostErrors) process.exit()
    stop(kind, { leaving: hasOthers })
  }
  process.on('uncaughtException', lastResort('uncaught exception'))
  process.on('unhandledRejection', lastResort('unhandled rejection'))
  return {
    stop,
    get isStopping() {
      return isStopping
    },
  }
}
