// How long a program takes to stop, at most.

/** For what runs. */
export const drainMs = 30_000
/** For what closing takes behind that. */
export const closeMs = 5_000
