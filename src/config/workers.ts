// How many processes serve.

/**
 * Far more than cores that one parent could keep busy by handing out connections. There is no "auto": Node 20 counts the
 * machine's cores, not those that a container may use.
 */
export const mostWorkers = 64
