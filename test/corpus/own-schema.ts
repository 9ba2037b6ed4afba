// Whether a row's truth fits its own schema: types all the way down, and no name that the schema does not have. Some rows do
// not, and then nothing can be read by it. Enums do not matter: they do not say what a text is.

export function fitsTypes(value: unknown, schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  const { type, properties, items } = schema as Record<string, unknown>
  if (typeof type === 'string' && !isOf(type, value)) return false
  if (Array.isArray(value)) return value.every((one) => fitsTypes(one, items))
  if (typeof value !== 'object' || value === null || typeof properties !== 'object' || properties === null)
    return true
  const known = properties as Record<string, unknown>
  return Object.entries(value).every(
    ([name, one]) => Object.hasOwn(known, name) && fitsTypes(one, known[name]),
  )
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    default:
      return typeof value === type
  }
}
