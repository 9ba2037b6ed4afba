// The units of the offered tools, by name.

import { type Fields, isObject } from '../../base/json.ts'
import { at } from './row.ts'
import type { Field, Unit } from './unit.ts'

const terms = new Map([
  ['parameters', 'schema'],
  ['input_schema', 'schema'],
  ['inputSchema', 'schema'],
  ['parametersJsonSchema', 'schema'],
]) // biome-ignore format: a list to be read as one

export const toolMembers = ['tools', 'functions']

export function toolUnits(name: string, value: unknown): Unit[] {
  if (!Array.isArray(value) || value.length === 0)
    return [toolOf([{ term: name, path: name, value }], 'no tools')]
  return value.flatMap((tool, place) => unitsOf(tool, at(name, place)))
}

function unitsOf(tool: unknown, path: string): Unit[] {
  if (!isObject(tool) || Object.keys(tool).length === 0)
    return [toolOf([{ term: 'tool', path, value: tool }], 'a tool of no known shape')]
  // Gemini offers its functions together.
  const listed = Object.entries(tool).filter(([, inner]) => isListOfTools(inner))
  const units = listed.flatMap(([name, inner]) =>
    (inner as unknown[]).flatMap((one, place) => unitsOf(one, at(at(path, name), place))),
  )
  const rest = fieldsOf(
    tool,
    path,
    listed.map(([name]) => name),
  )
  const isNamespace = units.length > 0
  if (isNamespace && rest.length === 0) return units
  return [toolOf(rest, textOf(rest, 'name') || textOf(rest, 'type') || 'unnamed'), ...units]
}

const isListOfTools = (value: unknown) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => isObject(one) && typeof one.name === 'string')

function fieldsOf(tool: Fields, path: string, without: readonly string[]): Field[] {
  return Object.entries(tool).flatMap(([name, value]): Field[] => {
    if (without.includes(name)) return []
    const place = at(path, name)
    if ((name === 'function' || name === 'custom') && isObject(value) && Object.keys(value).length > 0)
      return fieldsOf(value, place, [])
    if (name === 'type' && (value === 'function' || value === 'custom'))
      return [{ term: name, path: place, value, isForm: true }]
    return [{ term: terms.get(name) ?? name, path: place, value }]
  })
}

const textOf = (fields: readonly Field[], wanted: string) => {
  const value = fields.find(({ term }) => term === wanted)?.value
  return typeof value === 'string' ? value : ''
}

const toolOf = (fields: Field[], name: string): Unit => ({
  ...{ section: 'tools', kind: 'tool', role: '', key: name, label: `tool ${name}`, main: 'schema', fields },
})
