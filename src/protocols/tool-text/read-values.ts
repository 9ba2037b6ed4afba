// Raw values between tags → a call. The tool's schema says what each of them is.

import { type Fields, isObject, parseJson } from '../json.ts'
import type { ValueDialect } from './families.ts'
import type { Call } from './pieces.ts'
import { makeCall, readInput } from './read-calls.ts'
import { readTextValue } from './text-value.ts'
import type { Toolbox } from './toolbox.ts'
import type { RawValue, ValuesEnd } from './values-body.ts'

export function readValues(
  name: string,
  { values, json }: Extract<ValuesEnd, { state: 'complete' }>,
  { tools }: { tools: Toolbox; dialect: ValueDialect },
): Call | undefined {
  if (json !== '') return readInput(name, json, tools)
  const changes: string[] = []
  const schema = tools.find(name)?.schema
  const entries = values.map((value): [string, unknown] => {
    if (value.isString !== undefined) return [value.key, flagged(value)]
    const read = readTextValue(value.text, propertyOf(schema, value.key))
    if (read.change !== undefined) changes.push(`${value.key}: ${read.change}`)
    return [value.key, read.value]
  })
  return makeCall(name, Object.fromEntries(entries), { tools, changes })
}

/** The tag itself says whether its text is a string or JSON. */
function flagged({ text, isString }: RawValue): unknown {
  if (isString) return text
  const value = parseJson(text)
  return value === undefined ? text : value
}

function propertyOf(schema: Fields | undefined, key: string): unknown {
  const properties = isObject(schema?.properties) ? schema.properties : {}
  return Object.hasOwn(properties, key) ? properties[key] : undefined
}
