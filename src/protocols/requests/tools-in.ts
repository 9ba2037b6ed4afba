// The part of reading tools and tool_choice that all dialects share.

import type { Tool, ToolChoice } from '../../core/request.ts'
import { cacheOf } from './cache-hint.ts'
import { boolean, type Fields, invalid, object, optional, string } from './decode.ts'

/** Reports that something could not be taken unchanged; with a note if the client should know. */
export type Changed = (note?: string) => void

/** A function tool. Dialects differ in the name of its schema field. */
export function readFunctionTool(
  fields: Fields,
  path: string,
  schemaField: 'parameters' | 'input_schema',
): Tool {
  const name = string(fields.name, `${path}.name`)
  if (name === '') throw invalid(`${path}.name`, 'must not be empty')
  const description = optional(fields.description, `${path}.description`, string)
  const strict = optional(fields.strict, `${path}.strict`, boolean)
  const schema = optional(fields[schemaField], `${path}.${schemaField}`, object)
  return {
    name,
    schema: schema ?? { type: 'object', properties: {} },
    ...(description ? { description } : {}),
    ...(strict === undefined ? {} : { strict }),
    ...(fields.defer_loading === true ? { deferred: true as const } : {}),
    ...cacheOf(fields),
  }
}

export const repeatedName = (path: string, name: string) =>
  invalid(path, `two tools are called "${name}"; names must be distinct`)

export function refuseRepeatedNames(tools: readonly Tool[]): void {
  const seen = new Set<string>()
  for (const { name } of tools) {
    if (seen.has(name)) throw repeatedName('tools', name)
    seen.add(name)
  }
}

export function requireTool(name: string, path: string, tools: readonly Tool[]): void {
  if (tools.some((tool) => tool.name === name)) return
  throw invalid(path, `names the tool "${name}", which is not among the tools of this request`)
}

/** Which tools a turn may call, and whether it must. */
export interface Choice {
  toolChoice: ToolChoice | undefined
  tools: Tool[]
}

/** Without tools there is nothing to choose from. */
export function possibleChoice(choice: Choice, path: string, changed: Changed): Choice {
  const { toolChoice, tools } = choice
  if (tools.length > 0 || toolChoice === undefined || toolChoice.type === 'none') return choice
  if (toolChoice.type !== 'auto') throw invalid(path, 'asks for a tool call, but there are no tools')
  // Harmless, and several clients always send it, but strict upstreams refuse it.
  changed()
  return { toolChoice: undefined, tools }
}

/** The mode of a tool choice, in the spelling of both OpenAI APIs. */
export function readMode(value: string, path: string): ToolChoice {
  if (value === 'auto' || value === 'none' || value === 'required') return { type: value }
  if (value === 'any') return { type: 'required' }
  throw invalid(path, `"${value}" is not known; use auto, none, required or a named function`)
}
