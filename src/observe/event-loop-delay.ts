// Measures the event loop delay: how late a timer fires.

import type { Metrics } from './metrics.ts'

const everyMs = 250

/** Returns a function that stops the timer. */
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
