// How long a program takes to stop, at most.

/** For what runs. */
export const drainMs = 30_000
/** For what closing takes behind that. */
export const closeMs = 5_000

/** Uncaught errors while a program stops; then it ends at once. */
export const mostErrors = 10
