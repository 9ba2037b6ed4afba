// Comments that keep a silent stream open through proxies and impatient clients. One coarse interval a stream, no work
// per delta.

export const keepAliveMs = 15_000

const tickMs = 5_000

export interface KeepAlive {
  /** Something was written: the silence starts anew. */
  touch(): void
  stop(): void
}

/** Calls `send` whenever nothing was written for about 15 s. */
export function startKeepAlive(send: () => void): KeepAlive {
  let silentTicks = 0
  const timer = setInterval(() => {
    silentTicks++
    if (silentTicks * tickMs < keepAliveMs) return
    silentTicks = 0
    send()
  }, tickMs)
  timer.unref()
  return {
    touch: () => {
      silentTicks = 0
    },
    stop: () => clearInterval(timer),
  }
}
