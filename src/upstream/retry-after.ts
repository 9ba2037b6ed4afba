// When an upstream wants to be asked again.

const longestMs = 365 * 24 * 60 * 60 * 1000

/** Seconds or an HTTP date; milliseconds where a service gives them. */
export function retryAfter(headers: Record<string, string | string[] | undefined>): number | undefined {
  const exact = Number(headers['retry-after-ms'])
  if (Number.isFinite(exact) && exact >= 0) return Math.min(exact, longestMs)
  const value = headers['retry-after']
  if (typeof value !== 'string') return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.min(Math.max(0, seconds * 1000), longestMs)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
