// Keep-alives: they keep a silent stream open through proxies and clients with short timeouts. One coarse interval per stream, no
// timer work per delta.

const defaultKeepAliveMs = 15_000

const ticks = 3

export interface KeepAlive {
  /** Something was written: the silence begins again. */
  touch(): void
  stop(): void
}

/** Calls `send` when nothing was written for `silenceMs`, up to a third earlier. */
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
