// Lists, of elements of one kind or with a schema for each place.

import { type Fields, isObject } from '../../base/json.ts'
import { Unfit } from './unfit.ts'
import type { Walk, Written } from './walk.ts'

export function writeList(walk: Walk, schema: Fields, depth: number): Written {
  const { items, prefixItems, additionalItems } = schema
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
  if (first) return tuple(walk, schema, first, Array.isArray(items) ? additionalItems : items, depth)
  if (items === undefined || items === null) return { fields: unknownItems(walk) }
  const part = walk.place(items, depth + 1)
  return { fields: { items: part.schema }, undo: part.undo && { items: part.undo } }
}

/** The service wants to know what is in a list. */
function unknownItems(walk: Walk): Fields {
  if (!walk.subset.typed) return {}
  if (walk.subset.goal === 'strict') throw new Unfit('it has a list of anything')
  walk.loosen()
  return { items: { type: 'string' } }
}

function tuple(
  walk: Walk,
  schema: Fields,
  first: readonly unknown[],
  others: unknown,
  depth: number,
): Written {
  const { tuples } = walk.subset
  if (tuples === 'unfit') throw new Unfit('it has a list with a schema for each place')
  const elements = first.map((element) => walk.place(element, depth + 1).schema)
  const rest = isObject(others) ? walk.place(others, depth + 1).schema : others
  if (tuples === 'list') {
    walk.loosen()
    const kinds = [...elements, ...(isObject(rest) ? [rest] : [])]
    const all = [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()]
    // Further elements may be anything.
    const isOpen = others !== false && !isObject(rest) && !(Number(schema.maxItems) <= first.length)
    const items = all.length === 1 ? all[0] : { anyOf: all }
    const isLeftOut = all.length === 0 || (isOpen && !walk.subset.typed)
    return {
      fields: { prefixItems: undefined, additionalItems: undefined, items: isLeftOut ? undefined : items },
    }
  }
  const isOld = Array.isArray(schema.items)
  if (tuples === 'kept')
    return { fields: isOld ? { items: elements } : { prefixItems: elements, items: rest } }
  return { fields: { items: rest, additionalItems: undefined, prefixItems: elements } }
}
