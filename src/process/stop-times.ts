// Deadlines for shutdown.

/** For running turns. */
export const drainMs = 30_000
/** For closing, after the drain. */
export const closeMs = 5_000

/** Uncaught errors during shutdown; one more ends the process at once. */
export const mostErrors = 10
