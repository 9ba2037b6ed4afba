// Raw values between tags → a call. The tool's schema says what each of them is.

import type { SchemaChecker } from '../../base/json-schema/check.ts'
import { memberSchema } from '../../base/json-schema/reference.ts'
import type { Call } from './pieces.ts'
import { hasProperty, inputKeys, makeCall, readInput } from './read-calls.ts'
import { readTextValue, type TextValue } from './text-value.ts'
import type { Toolbox } from './toolbox.ts'
import type { RawValue, ValuesEnd } from './values-body.ts'

export function readValues(
  name: string,
  { values, json }: Extract<ValuesEnd, { state: 'complete' }>,
  tools: Toolbox,
): Call | undefined {
  if (json !== '') return readInput(name, json, tools)
  const tool = tools.find(name)
  const checker = tool && tools.checkerOf(tool)
  const [only] = values
  if (
    values.length === 1 &&
    only &&
    inputKeys.includes(only.key) &&
    !(tool && hasProperty(tool.schema, only.key))
  ) {
    // All arguments are in one value, under a name like "arguments".
    const call = readInput(name, only.text, tools)
    if (call) return { ...call, changes: [...call.changes, `"${only.key}" was read as the arguments`] }
  }
  const changes: string[] = []
  const read = new Map<string, TextValue>()
  for (const value of values) {
    const found = readValue(value, checker)
    if (found.change !== undefined) changes.push(`${value.key}: ${found.change}`)
    read.set(value.key, found)
  }
  const input = Object.fromEntries([...read].map(([key, { value }]) => [key, value]))
  const members = [...read].map(
    ([key, { value, json: own }]) => `${JSON.stringify(key)}:${own ?? JSON.stringify(value)}`,
  )
  return makeCall(name, input, { tools, changes, text: `{${members.join(',')}}` })
}

/** Some tags state whether their text is a string. */
function readValue({ key, text, isString }: RawValue, checker: SchemaChecker | undefined): TextValue {
  if (isString) return { value: text }
  const own = memberSchema(checker?.root, key)
  if (isString === false && own === undefined) return readTextValue(text, anything)
  return readTextValue(text, own, checker)
}

/** Everything but a string. */
const anything = { type: ['object', 'array', 'number', 'boolean', 'null'] }
