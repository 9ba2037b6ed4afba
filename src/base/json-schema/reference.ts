// Lookups in a JSON Schema: local references and the schema of one member. Both are bounded.

import { type Fields, isObject } from '../json.ts'

const maxSteps = 32
const maxNesting = 8
const maxParts = 16

/** The target of a local `$ref`; undefined for any other. */
export function resolveReference(ref: unknown, root: unknown): unknown {
  if (ref === '#') return root
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined
  let found: unknown = root
  const steps = ref.slice(2).split('/', maxSteps + 1)
  if (steps.length > maxSteps) return undefined
  for (const step of steps) {
    const key = pointerStep(step)
    if ((!isObject(found) && !Array.isArray(found)) || !Object.hasOwn(found, key)) return undefined
    found = (found as Fields)[key]
  }
  return found
}

function pointerStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}

/** The schema of one member of an object, also where a reference or a combination of schemas states it. */
export function memberSchema(schema: unknown, name: string, root: unknown = schema, depth = 0): unknown {
  if (!isObject(schema) || depth > maxNesting) return undefined
  const { properties, additionalProperties } = schema
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name]
  for (const part of [resolveReference(schema.$ref, root), ...combinedParts(schema)]) {
    const found = memberSchema(part, name, root, depth + 1)
    if (found !== undefined) return found
  }
  return isObject(additionalProperties) ? additionalProperties : undefined
}

const combinedParts = (schema: Fields) =>
  [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) =>
    Array.isArray(list) ? list.slice(0, maxParts) : [],
  )
