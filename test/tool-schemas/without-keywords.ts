// A schema without some of its keywords: what is left for a model to be held to.

type Schema = Record<string, unknown>

const named = new Set(['properties', '$defs', 'definitions'])
const valued = new Set(['enum', 'const', 'default', 'examples', 'required'])

/** Also without the exclusivity of oneOf, which no service enforces. */
export function withoutKeywords(schema: unknown, keywords: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withoutKeywords(one, keywords))
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([keyword]) => !keywords.has(keyword))
  const inner = kept.map(([keyword, value]) => {
    if (valued.has(keyword)) return [keyword, value]
    const isUnion = keyword === 'oneOf' && !('anyOf' in schema)
    if (!named.has(keyword)) return [isUnion ? 'anyOf' : keyword, withoutKeywords(value, keywords)]
    const members = Object.entries(value as Schema).map(([name, one]) => [
      name,
      withoutKeywords(one, keywords),
    ])
    return [keyword, Object.fromEntries(members)]
  })
  return Object.fromEntries(inner)
}
