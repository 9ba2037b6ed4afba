// Expiry times in words.

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** `for 3 hours (until 2026-01-02 03:47 UTC)`, `expired 2 days ago (…)`. */
export function expiryInWords(expiresAt: number | undefined, now: number): string {
  if (expiresAt === undefined) return 'until it is refused (its expiry is unknown)'
  const span = spanInWords(Math.abs(expiresAt - now))
  return expiresAt > now
    ? `for ${span} (until ${dateInWords(expiresAt)})`
    : `expired ${span} ago (${dateInWords(expiresAt)})`
}

function spanInWords(ms: number): string {
  const [unit, size] = units.find(([, size]) => ms >= size) ?? ['minute', 60_000]
  const count = Math.floor(ms / size)
  if (count === 0) return 'a few seconds'
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const latestDate = 8_640_000_000_000_000

export const isoDate = (ms: number) => new Date(Math.min(ms, latestDate)).toISOString()

const dateInWords = (ms: number) =>
  isoDate(ms)
    .replace(/:\d\d\.\d+Z$/, ' UTC')
    .replace('T', ' ')
