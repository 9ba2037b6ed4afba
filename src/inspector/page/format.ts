// Formats numbers and times.

export function duration(ms: number | undefined): string {
  if (ms === undefined) return '–'
  // A value that would round up to the next unit is printed in that unit.
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(ms < 9_995 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

/** `toLocaleString` makes a new one each time, which is slow in a long list. */
const grouped = new Intl.NumberFormat('en')

export function count(value: number | undefined): string {
  if (value === undefined) return '–'
  if (value < 10_000) return grouped.format(value)
  return value < 1_000_000 ? `${(value / 1_000).toFixed(1)}k` : `${(value / 1_000_000).toFixed(1)}M`
}

export function size(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}

const pad = (value: number) => String(value).padStart(2, '0')

export function clock(at: number): string {
  const date = new Date(at)
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}

export const plural = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`

/** The value below which this share of them lies. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}
