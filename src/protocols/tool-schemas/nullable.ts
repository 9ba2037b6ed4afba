// Null among the values of a schema.

import { copySpelling } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { isRemark, without } from './keywords.ts'

const nullSchema = { type: 'null' }

/** The schema that also takes null. */
export function withNull(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const { type, anyOf } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, nullSchema] }
  if (type === undefined || schema.const !== undefined || schema.$ref !== undefined)
    return unionWithNull(schema)
  const types = [type].flat()
  const typed: Fields = { ...schema, type: types.includes('null') ? type : [...types, 'null'] }
  if (!Array.isArray(schema.enum) || schema.enum.includes(null)) return typed
  return { ...typed, enum: copySpelling(schema.enum, [...schema.enum, null]) }
}

/** Remarks stay outside: beside a reference they would be refused. */
function unionWithNull(schema: Fields): Fields {
  const remarks = Object.keys(schema).filter(isRemark)
  const outside = Object.fromEntries(remarks.map((name) => [name, schema[name]]))
  return { ...outside, anyOf: [without(schema, ...remarks), nullSchema] }
}
