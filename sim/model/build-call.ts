// Fills a tool's parameters with the parts of a wish, in the form that its schema wants.

import { isRecord, type Json } from '../shape.ts'
import type { Tool, ToolCall } from './conversation.ts'
import { resolve, sampleValue, typeOf } from './sample-value.ts'
import { modeOf, type Part, propertiesOf, type Role } from './tool-roles.ts'

export type Parts = Partial<Record<Part, string>>

interface Filling {
  readonly tool: Tool
  readonly role: Role
  readonly parts: Parts
  /** For free texts that must be there, such as the description of a command. */
  readonly label: string
  readonly directory: string | undefined
}

export function buildCall(filling: Filling): ToolCall {
  const { tool } = filling
  return { name: tool.name, arguments: fillObject(tool.schema, filling) }
}

/** A call of a tool that must be called, whatever the user said. */
export function forceCall(tool: Tool, label: string): ToolCall {
  const value = sampleValue({ type: 'object', ...tool.schema }, { label, preferred: [] })
  return { name: tool.name, arguments: isRecord(value) ? value : {} }
}

function fillObject(schema: unknown, filling: Filling): Json {
  const { tool, role, parts, label } = filling
  const { required: needed } = resolve(schema, tool.schema)
  const required = Array.isArray(needed) ? needed.map(String) : []
  const input: Json = {}
  for (const [name, property] of Object.entries(propertiesOf(schema, tool.schema))) {
    const resolved = resolve(property, tool.schema)
    const mode = modeOf(resolved, role)
    const slot = takesText(resolved) ? role.slots.find(({ parameter }) => parameter.test(name)) : undefined
    const value = slot && textFor(slot.part, { name, schema: resolved, filling })
    const isMeant = slot !== undefined && adds(slot.part, parts, input)
    if (value !== undefined && (isMeant || required.includes(name)))
      input[name] = toParameter(value, { name, schema: resolved, filling })
    else if (isListOf(resolved, filling)) input[name] = [fillObject(resolved.items, filling)]
    else if (mode !== undefined) input[name] = mode
    else if (role.switches?.includes(name)) input[name] = true
    else if (required.includes(name))
      input[name] = sampleValue(property, { label, preferred: role.modes }, tool.schema)
  }
  return input
}

/** A list of objects that take parts of the wish, such as `edits: [{oldText, newText}]`. */
function isListOf(schema: Json, { tool, role }: Filling): boolean {
  if (typeOf(schema) !== 'array') return false
  const names = Object.keys(propertiesOf(schema.items, tool.schema))
  return names.some((name) => role.slots.some(({ parameter, optional }) => !optional && parameter.test(name)))
}

/** Free text, or a list of it: not a number, a switch or a choice. */
function takesText(schema: Json): boolean {
  return !Array.isArray(schema.enum) && ['string', 'array'].includes(typeOf(schema))
}

/** An optional parameter is set only if it adds information. */
function adds(part: Part, parts: Parts, input: Json): boolean {
  return part !== 'glob' && parts[part] !== '.' && !Object.values(input).flat().includes(parts[part])
}

interface Parameter {
  readonly name: string
  readonly schema: Json
  readonly filling: Filling
}

function textFor(part: Part, { name, schema, filling }: Parameter): string | undefined {
  const { parts, directory, tool } = filling
  const text = part === 'glob' ? '*' : parts[part]
  if (text === undefined || part !== 'path' || directory === undefined || text.startsWith('/')) return text
  const words = `${name} ${schema.description ?? ''} ${tool.description}`
  if (!/absolute/i.test(words)) return text
  return text === '.' ? directory : `${directory.replace(/\/$/, '')}/${text.replace(/^\.\//, '')}`
}

/** As the parameter wants it: a text, a list of texts, a list of objects, or the words of a command. */
function toParameter(value: string, { name, schema, filling }: Parameter): unknown {
  const root = filling.tool.schema
  const options = [schema.anyOf, schema.oneOf]
    .find(Array.isArray)
    ?.map((option) => resolve(option, root)) ?? [schema]
  if (options.some((option) => typeOf(option) === 'string')) return value
  const array = options.find((option) => typeOf(option) === 'array')
  if (array === undefined) return value
  const items = resolve(array.items, root)
  if (typeOf(items) === 'object') {
    const filled = fillObject(items, filling)
    return [Object.keys(filled).length > 0 ? filled : { path: value }]
  }
  return isCommandLine(name, schema) ? ['bash', '-lc', value] : [value]
}

/** One command as its words; `commands` are whole ones. */
function isCommandLine(name: string, { description }: Json): boolean {
  return /^(?:command|cmd)$/i.test(name) && !/\bcommands\b/i.test(String(description ?? ''))
}
