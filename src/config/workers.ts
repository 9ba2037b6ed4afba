// The limit of worker processes. Apart from schema.ts: `dragoman --help` needs it without loading zod.

/**
 * A parent process cannot hand out connections to more. There is no "auto": Node 20 counts the cores of the machine, not those of
 * the container.
 */
export const mostWorkers = 64
