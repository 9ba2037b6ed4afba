import type { Usage } from './events.ts'

/** Of several answers to one request: all were paid for. */
export function sumUsage(first: Usage | undefined, second: Usage | undefined): Usage | undefined {
  if (!first || !second) return second ?? first
  const sum = { ...second }
  for (const [key, value] of Object.entries(first) as [keyof Usage, number | boolean][]) {
    if (key === 'estimated') sum.estimated = true
    else sum[key] = (sum[key] ?? 0) + (value as number)
  }
  return sum
}
