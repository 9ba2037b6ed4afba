// How a gateway's process ends: in good order, once, however often it is asked; and by itself when something is thrown
// that nobody catches.

import type { Gateway } from '../gateway.ts'
import { errorFields } from '../observe/log.ts'
import { closeMs, drainMs, mostErrors } from './stop-times.ts'

/** `leaving`: other processes stay on its port. */
type Stop = (reason: string, options?: { leaving?: boolean }) => void

export interface Stopper {
  readonly isStopping: boolean
  stop: Stop
}

interface StopperOptions {
  onStop?: (() => Promise<void>) | undefined
  /** What is thrown is this process's trouble alone. */
  hasOthers?: boolean
}

export function createStopper(gateway: Gateway, { onStop, hasOthers = false }: StopperOptions): Stopper {
  let isStopping = false
  let errors = 0
  // Also for when nothing is left that could keep it running.
  const fail = () => {
    process.exitCode = 1
  }
  const end = async (leaving: boolean) => {
    // Whatever hangs: it ends.
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
    void end(leaving)
  }
  // Nobody knows what else is wrong then: what runs may end, its sessions are given up, and a new process is needed.
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
