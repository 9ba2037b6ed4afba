// Comments that keep a silent stream open through proxies and impatient clients. One coarse interval a stream, no work
// per delta.

export const defaultKeepAliveMs = 15_000

const ticks = 3

export interface KeepAlive {
  /** Something was written: the silence starts anew. */
  touch(): void
  stop(): void
}

/** Calls `send` whenever nothing was written for `silenceMs`, give or take a third. */
export function startKeepAlive(send: () => void, silenceMs = defaultKeepAliveMs): KeepAlive {
  let silentTicks = 0
  const timer = setInterval(() => {
    if (++silentTicks < ticks) return
    silentTicks = 0
    send()
  }, silenceMs / ticks)
  timer.unref()
  return {
    touch: () => {
      silentTicks = 0
    },
    stop: () => clearInterval(timer),
  }
}
