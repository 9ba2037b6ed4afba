// When Redis could not be asked, by the logs of the gateways.

export interface Outage {
  from: number
  until: number
}

/** A lost Redis is noticed by a request that waits for it in vain. */
const noticedMs = 2_000
/** For so long after a report no other loss is reported. */
const quietMs = 30_000

export function outagesOf(logs: readonly string[], end: number): Outage[] {
  const outages: Outage[] = []
  let open: Outage | undefined
  for (const line of logs) {
    const isLost = line.includes('Redis cannot be used')
    if (!isLost && !line.includes('Redis is back')) continue
    const at = Date.parse((JSON.parse(line) as { time: string }).time)
    if (isLost) {
      open = { from: at - noticedMs, until: end }
      outages.push(open)
    } else if (open) {
      open.until = Math.max(at + noticedMs, open.from + noticedMs + quietMs)
      open = undefined
    }
  }
  return outages
}

/** Whether any of the time was in an outage. */
export const isDuring = (outages: readonly Outage[], from: number, until = from): boolean =>
  outages.some((outage) => from <= outage.until && until >= outage.from)
