// JSON from outside may be nested deeper than what works on it can follow.

const deepest = 200

export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth >= deepest) return true
  for (const one of Object.values(value)) if (isTooDeep(one, depth + 1)) return true
  return false
}
