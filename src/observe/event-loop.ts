// How long whatever happens has to wait until this process gets to it: looked at by a timer, which is late by as much.

import type { Metrics } from './metrics.ts'

const everyMs = 250

/** Gives the way to stop. */
export function watchEventLoop(metrics: Metrics): () => void {
  let due = performance.now() + everyMs
  const timer = setInterval(() => {
    const now = performance.now()
    metrics.observe('dragoman_event_loop_delay_seconds', {}, Math.max(0, now - due) / 1000)
    due = now + everyMs
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
