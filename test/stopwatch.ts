// Milliseconds that this process could have used: on a loaded machine it waits for its turn, and a promise about time is not about that.

const tickMs = 5

/** Begins to count; the function that it gives says how much has passed, and counts no further. */
export function startStopwatch(): () => number {
  const work = process.cpuUsage()
  let passed = 0
  let last = performance.now()
  const tick = () => {
    const now = performance.now()
    passed += Math.min(now - last, 2 * tickMs)
    last = now
  }
  const timer = setInterval(tick, tickMs)
  return () => {
    clearInterval(timer)
    tick()
    // Work of its own delays the ticks, too, and that counts.
    const { user, system } = process.cpuUsage(work)
    return Math.max(passed, (user + system) / 1_000)
  }
}
