// The depth limit of JSON values. JSON.stringify takes a stack frame per level, so input is checked on arrival.

export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (isDeeper(value[at], levels - 1)) return true
    return false
  }
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true
  return false
}
