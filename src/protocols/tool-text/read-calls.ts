// JSON text → calls. Strict parsing comes first; repairs after it are listed in the call.

import { isDeeper } from '../../base/depth.ts'
import { type Fields, isObject, parseJson } from '../../base/json.ts'
import { elementTexts, memberTexts, writeJson, writeMembers } from '../../base/json-source.ts'
import { readLenientJson } from '../../base/lenient-json/lenient-json.ts'
import { fitArguments } from '../call-check/fit-arguments.ts'
import type { Call } from './pieces.ts'
import type { Toolbox } from './toolbox.ts'

const maxDepth = 128

const nameKeys = ['name', 'tool', 'tool_name', 'function', 'function_name']
export const inputKeys = ['arguments', 'parameters', 'args', 'input', 'params', 'tool_input', 'kwargs']
/** Members beside the name in the shape of the Chat Completions API. */
const ofTheCall = new Set(['type', 'id'])

const plainKeys = new Set([...nameKeys, ...inputKeys, ...ofTheCall, 'index'])

/** The calls in a JSON value: one, a list, or a list under `tool_calls`. Undefined: it is something else. */
export function readCalls(text: string, tools: Toolbox): Call[] | undefined {
  const strict = parseJson(text)
  if (strict !== undefined) return toCalls(strict, { tools, changes: [], text })
  const lenient = readLenientJson(text)
  if (!lenient || lenient.complete === 'cut') return undefined
  const { value, changes, complete } = lenient
  return toCalls(value, { tools, changes, text: lenient.text, isCut: complete === 'unclosed' })
}

/** Arguments alone: the name of the tool stood outside. */
export function readInput(name: string, text: string, tools: Toolbox): Call | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return makeCall(name, {}, { tools, changes: [] })
  const strict = parseJson(trimmed)
  if (isObject(strict)) return makeCall(name, strict, { tools, changes: [], text: trimmed })
  const lenient = strict === undefined ? readLenientJson(trimmed) : undefined
  if (!lenient || lenient.complete === 'cut' || !isObject(lenient.value)) return undefined
  return makeCall(name, lenient.value, { tools, changes: lenient.changes, text: lenient.text })
}

/** Nothing but a name and arguments. A value with other members is something else, such as the description of a tool. */
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
  /** The source of the value, as strict JSON. */
  text?: string | undefined
  /** Closing brackets are missing: more may have been meant to follow. */
  isCut?: boolean
}

function toCalls(value: unknown, reading: Reading): Call[] | undefined {
  if (Array.isArray(value)) return listedCalls(value, reading)
  if (!isObject(value)) return undefined
  const entries = listed(value)
  if (entries) return listedCalls(entries, inner(reading, 'tool_calls'))
  const call = toCall(value, reading)
  return call && [call]
}

const listed = (value: Fields) => (Array.isArray(value.tool_calls) ? value.tool_calls : undefined)

function listedCalls(entries: readonly unknown[], reading: Reading): Call[] | undefined {
  const texts = reading.text === undefined ? [] : elementTexts(reading.text)
  const calls = entries.map((entry, at) =>
    isObject(entry) ? toCall(entry, { ...reading, text: texts[at] }) : undefined,
  )
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined
}

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
  if (inputKey === undefined) return toFlatCall(name, entry, nameKey, { ...reading, changes })
  return fromInput(name, entry[inputKey], { ...inner(reading, inputKey), changes })
}

/** Arguments beside the name, if the tool has them all; no arguments, if the tool requires none. */
function toFlatCall(name: string, entry: Fields, nameKey: string, reading: Reading): Call | undefined {
  const known = reading.tools.find(name)
  const isOwn = (key: string) => known !== undefined && hasProperty(known.schema, key)
  const keys = Object.keys(entry).filter((key) => key !== nameKey && (!ofTheCall.has(key) || isOwn(key)))
  if (keys.length === 0) {
    if (reading.isCut || (known && !reading.tools.checkerOf(known).conforms({}))) return undefined
    return makeCall(name, {}, { ...reading, text: '{}' })
  }
  if (!keys.every(isOwn)) return undefined
  const texts = reading.text === undefined ? undefined : memberTexts(reading.text)
  return makeCall(name, Object.fromEntries(keys.map((key) => [key, entry[key]])), {
    ...reading,
    changes: [...reading.changes, 'arguments that stood beside the name were taken'],
    text: texts && writeMembers(keys, (key) => texts.get(key) ?? JSON.stringify(entry[key])),
  })
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

/** The reading of one member, with its source. */
function inner(reading: Reading, key: string): Reading {
  const text = reading.text === undefined ? undefined : memberTexts(reading.text).get(key)
  return { ...reading, text }
}

/** Arguments that fit the schema keep their bytes. Undefined if they are nested too deep to be written again. */
export function makeCall(name: string, input: Fields, { tools, changes, text }: Reading): Call | undefined {
  if (isDeeper(input, maxDepth)) return undefined
  const tool = tools.find(name)
  const renamed = tool && tool.name !== name ? [`tool "${name}" was read as "${tool.name}"`] : []
  const fitted = tool
    ? fitArguments(input, tools.checkerOf(tool), text)
    : { changes: [], text: writeJson(input, input, text) }
  return {
    type: 'call',
    name: tool?.name ?? name,
    input: fitted.text,
    changes: [...changes, ...renamed, ...fitted.changes],
  }
}

export function hasProperty(schema: Fields, key: string): boolean {
  return isObject(schema.properties) && Object.hasOwn(schema.properties, key)
}
