// Ends serving: running turns get time to end, then they are canceled, then their sockets are closed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Latch } from '../base/latch.ts'
import { stoppingError } from './admit.ts'
import type { RequestHandler } from './handle-request.ts'
import type { Listeners } from './listeners.ts'

interface Running {
  requests: RequestHandler
  listeners: Listeners
  /** Other instances stop relaying to a gateway that has withdrawn. */
  cluster: { withdraw(): Promise<void> } | undefined
  /** Cancels the running turns. */
  stopping: Latch
}

interface Shutdown {
  /** Time for running turns to end. */
  patienceMs: number
  /** Other workers stay on the port, so this one accepts nothing new meanwhile. */
  leaving: boolean
}

/** Time for canceled turns to end; commands of local tools take a moment to die. */
const cutOffMs = 1_000

/** `closeParts` runs after the last turn, while the server closes. */
export async function shutDown(
  { requests, listeners, cluster, stopping }: Running,
  { patienceMs, leaving }: Shutdown,
  closeParts: () => Promise<unknown>,
): Promise<void> {
  /** Also waits for new connections: a request on its way gets the error that the gateway is stopping, not a closed socket. */
  async function settled(limitMs: number): Promise<void> {
    const deadline = Date.now() + limitMs
    while ((requests.active > 0 || listeners.newcomers > 0) && Date.now() < deadline) await sleep(20)
    listeners.closeIdle()
  }

  if (leaving) listeners.leave()
  await cluster?.withdraw()
  await settled(patienceMs)
  const closed = listeners.stopAccepting()
  // Running turns are canceled with an error, then by closing the socket.
  stopping.trip(stoppingError())
  await settled(cutOffMs)
  listeners.closeAll()
  // Closing the socket ends stalled turns; wait for their report.
  await settled(cutOffMs)
  await Promise.all([closed, closeParts()])
}
