// Ajv as the judge of arguments: it knows nothing of this project.

import { Ajv, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { isRecord } from '../../sim/shape.ts'

const options: Options = {
  strict: false,
  validateFormats: false,
  // Names like `toString` are members only where the value has them.
  ownProperties: true,
  logger: false,
}

type Fits = (value: unknown) => boolean

const drafts = { newer: new Ajv2020(options), older: new Ajv(options) }
const known = new Map<string, Fits>()

/** Throws if Ajv cannot compile the schema. */
export function ajvJudge(schema: unknown): Fits {
  const text = JSON.stringify(schema)
  const found = known.get(text)
  if (found) return found
  const isNewer = text.includes('"prefixItems"') || stated(schema).includes('2020-12')
  const ajv = drafts[isNewer ? 'newer' : 'older']
  const plain = withNullType(withoutNames(schema)) as object | boolean
  const validate = ajv.compile(plain)
  if (typeof plain === 'object') ajv.removeSchema(plain)
  const fits: Fits = (value) => validate(value) === true
  known.set(text, fits)
  return fits
}

const stated = (schema: unknown) => String(isRecord(schema) ? schema.$schema : '')

/** `$schema` and `$id` of the root name no document that could be loaded. */
function withoutNames(schema: unknown): unknown {
  if (!isRecord(schema)) return schema
  const { $schema: _, $id: __, ...rest } = schema
  return rest
}

/** OpenAPI's `nullable`, which Ajv refuses in some places. */
function withNullType(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullType)
  if (!isRecord(schema)) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      ['enum', 'const', 'default'].includes(name) ? value : withNullType(value),
    ]),
  )
  if (inner.nullable !== true) return inner
  const { nullable: _, ...rest } = inner
  return { anyOf: [rest, { type: 'null' }] }
}
