// JSON ↔ google.protobuf.Value, the form of schemas and tool arguments.

import { fromJson, type JsonValue } from '@bufbuild/protobuf'
import { type Value, ValueSchema } from '@bufbuild/protobuf/wkt'
import { lostNumbers } from '../../base/exact-json.ts'
import type { Note } from './parts-out.ts'

/** For values of JSON.parse, which reads numbers like 1e400 as infinity. No server accepts that: they become null. */
export function toValue(json: unknown): Value {
  return fromJson(ValueSchema, finite(json))
}

const mostNamed = 5

/** Numbers are doubles there: more digits are lost. */
export function noteLostDigits(json: unknown, note: Note): void {
  const lost = [...lostNumbers(json)]
  if (lost.length === 0) return
  const named = lost.slice(0, mostNamed).map((number) => number.slice(0, 40))
  const more = lost.length > mostNamed ? ` and ${lost.length - mostNamed} more` : ''
  note(`numbers reach Cursor as doubles, so digits were lost: ${named.join(', ')}${more}`)
}

function finite(json: unknown): JsonValue {
  if (typeof json === 'number') return Number.isFinite(json) ? json : null
  if (Array.isArray(json)) return json.map(finite)
  if (typeof json !== 'object' || json === null) return (json ?? null) as JsonValue
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, finite(value)]))
}

/** Never throws: JSON has no NaN and no infinities, which become null. */
export function fromValue({ kind }: Value): unknown {
  switch (kind.case) {
    case 'numberValue':
      return Number.isFinite(kind.value) ? kind.value : null
    case 'stringValue':
    case 'boolValue':
      return kind.value
    case 'listValue':
      return kind.value.values.map(fromValue)
    case 'structValue':
      return fromValues(kind.value.fields)
    default:
      return null
  }
}

export function fromValues(fields: Readonly<Record<string, Value>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fromValue(value)]))
}
