// How deep a JSON value goes. Writing it out again takes a stack frame a level, so depth is bounded where it comes in.

export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const children = Array.isArray(value) ? value : Object.values(value)
  return children.some((child) => isDeeper(child, levels - 1))
}
