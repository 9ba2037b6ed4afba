// A clock that a replay replaces by the tape's.

export interface Clock {
  /** Milliseconds. */
  now(): number
  /** Calls `fire` once; returns a function that stops it. Does not keep the process alive. */
  after(milliseconds: number, fire: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, fire) {
    const timer = setTimeout(fire, milliseconds)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
