// JSON text → calls. Strictly first; what is put right after that is named in the call.

import { isDeeper } from '../../core/depth.ts'
import { type Fields, isObject, parseJson } from '../json.ts'
import { fitToSchema } from './fit-schema.ts'
import { readLenientJson, topLevelText } from './lenient-json.ts'
import type { Call } from './pieces.ts'
import { conforms } from './schema.ts'
import type { Toolbox } from './toolbox.ts'

const maxDepth = 128

const nameKeys = ['name', 'tool', 'tool_name', 'function', 'function_name']
export const inputKeys = ['arguments', 'parameters', 'args', 'input', 'params', 'tool_input', 'kwargs']

const plainKeys = new Set([...nameKeys, ...inputKeys, 'id', 'type', 'index'])

/** The calls in a JSON value: one, a list of them, or a list under `tool_calls`. Undefined: it holds something else. */
export function readCalls(text: string, tools: Toolbox): Call[] | undefined {
  const strict = parseJson(text)
  if (strict !== undefined) return toCalls(strict, { tools, changes: [], text })
  const lenient = readLenientJson(text)
  if (!lenient || lenient.complete === 'cut') return undefined
  return toCalls(lenient.value, { tools, changes: lenient.changes, text: lenient.text })
}

/** Arguments alone, where the name of the tool stood outside of them. */
export function readInput(name: string, text: string, tools: Toolbox): Call | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return makeCall(name, {}, { tools, changes: [] })
  const strict = parseJson(trimmed)
  if (isObject(strict)) return makeCall(name, strict, { tools, changes: [], text: trimmed })
  const lenient = strict === undefined ? readLenientJson(trimmed) : undefined
  if (!lenient || lenient.complete === 'cut' || !isObject(lenient.value)) return undefined
  return makeCall(name, lenient.value, { tools, changes: lenient.changes, text: lenient.text })
}

/** Nothing but a name and arguments: what says more about itself is no call, but the description of a tool, say. */
export function isPlainCall(value: unknown): boolean {
  const entries = Array.isArray(value) ? value : isObject(value) ? (listed(value) ?? [value]) : [value]
  return entries.every(
    (entry) =>
      isObject(entry) &&
      (isObject(entry.function) ? isPlainCall(entry.function) : true) &&
      Object.keys(entry).every((key) => plainKeys.has(key)),
  )
}

interface Reading {
  tools: Toolbox
  changes: readonly string[]
  /** The value's own text, where it is what was parsed. */
  text?: string | undefined
}

function toCalls(value: unknown, reading: Reading): Call[] | undefined {
  if (isDeeper(value, maxDepth)) return undefined
  const entries = Array.isArray(value) ? value : isObject(value) ? listed(value) : undefined
  if (entries === undefined) {
    const call = isObject(value) ? toCall(value, reading) : undefined
    return call && [call]
  }
  const calls = entries.map((entry) =>
    isObject(entry) ? toCall(entry, { ...reading, text: undefined }) : undefined,
  )
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined
}

const listed = (value: Fields) => (Array.isArray(value.tool_calls) ? value.tool_calls : undefined)

function toCall(entry: Fields, reading: Reading): Call | undefined {
  if (isObject(entry.function)) return toCall(entry.function, inner(reading, 'function'))
  const nameKey = nameKeys.find((key) => typeof entry[key] === 'string' && entry[key] !== '')
  if (nameKey === undefined) return toKeyedCall(entry, reading)
  const name = entry[nameKey] as string
  const inputKey = inputKeys.find((key) => entry[key] !== undefined)
  const aliases = [nameKey === 'name' ? [] : nameKey, inputKey === 'arguments' ? [] : (inputKey ?? [])].flat()
  const changes = [
    ...reading.changes,
    ...aliases.map((key) => `"${key}" was read as "${key === nameKey ? 'name' : 'arguments'}"`),
  ]
  if (inputKey === undefined) {
    const { [nameKey]: _, type: _type, id: _id, ...others } = entry
    const known = reading.tools.find(name)
    if (Object.keys(others).length === 0) return makeCall(name, {}, { ...reading, changes, text: '{}' })
    // The arguments beside the name: only where the tool knows them.
    if (!known || !Object.keys(others).every((key) => hasProperty(known.schema, key))) return undefined
    const moved = [...changes, 'arguments that stood beside the name were taken']
    return makeCall(name, others, { ...reading, changes: moved, text: undefined })
  }
  return fromInput(name, entry[inputKey], { ...inner(reading, inputKey), changes })
}

/** `{"read": {"path": …}}`: the name is the key, if it is one of the tools. */
function toKeyedCall(entry: Fields, reading: Reading): Call | undefined {
  const [only, ...others] = Object.entries(entry)
  if (!only || others.length > 0 || !reading.tools.has(only[0]) || !isObject(only[1])) return undefined
  return makeCall(only[0], only[1], inner(reading, only[0]))
}

function fromInput(name: string, input: unknown, reading: Reading): Call | undefined {
  if (isObject(input)) return makeCall(name, input, reading)
  if (input === null || input === '') {
    return makeCall(
      name,
      {},
      { ...reading, text: undefined, changes: [...reading.changes, 'empty arguments'] },
    )
  }
  if (typeof input !== 'string') return undefined
  const decoded = readInput(name, input, reading.tools)
  return (
    decoded && {
      ...decoded,
      changes: [...reading.changes, 'doubly encoded arguments were decoded', ...decoded.changes],
    }
  )
}

/** The reading of one member: its own text, where the whole has one. */
function inner(reading: Reading, key: string): Reading {
  const text = reading.text === undefined ? undefined : topLevelText(reading.text).get(key)
  return { ...reading, text }
}

/** Good arguments stay as the model wrote them, byte for byte. */
export function makeCall(name: string, input: Fields, { tools, changes, text }: Reading): Call {
  const tool = tools.find(name)
  const renamed = tool && tool.name !== name ? [`tool "${name}" was read as "${tool.name}"`] : []
  const fitted =
    tool && !conforms(input, tool.schema) ? fitToSchema(input, tool.schema) : { input, changes: [] }
  const isUnchanged = fitted.changes.length === 0 && text !== undefined
  return {
    type: 'call',
    name: tool?.name ?? name,
    input: isUnchanged ? text : JSON.stringify(fitted.input),
    changes: [...changes, ...renamed, ...fitted.changes],
  }
}

export function hasProperty(schema: Fields, key: string): boolean {
  return isObject(schema.properties) && Object.hasOwn(schema.properties, key)
}
