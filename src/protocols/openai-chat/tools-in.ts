// Tools and tool_choice of a Chat Completions request, in every form that clients send on this route: Chat's own, the flat form of
// Responses, Anthropic's form, and custom tools, which take text.

import type { OpaqueTool, Tool } from '../../core/request.ts'
import { cacheOf } from '../requests/cache-hint.ts'
import { readCustomTool } from '../requests/custom-tools.ts'
import { array, type Fields, invalid, object, optional, string } from '../requests/decode.ts'
import {
  type Changed,
  type Choice,
  possibleChoice,
  readFunctionTool,
  readMode,
  refuseRepeatedNames,
  requireTool,
} from '../requests/tools-in.ts'
import { dialect } from './dialect.ts'

/** The form of a custom tool's calls: Chat's `custom`, or a function whose arguments are the text itself. */
export type CustomForm = 'custom' | 'function'

export interface OfferedTools {
  tools: Tool[]
  opaqueTools: OpaqueTool[]
  names: ReadonlySet<string>
  /** The custom tools. The client receives their calls in the form in which it defined the tool. */
  custom: ReadonlyMap<string, CustomForm>
}

export function readTools(fields: Fields, changed: Changed): OfferedTools {
  const tools: Tool[] = []
  const opaqueTools: OpaqueTool[] = []
  const custom = new Map<string, CustomForm>()
  for (const [at, value] of (optional(fields.tools, 'tools', array) ?? []).entries()) {
    const path = `tools[${at}]`
    const tool = object(value, path)
    if (isCustomTool(tool)) {
      changed()
      const nested = tool.custom !== undefined && tool.custom !== null
      const place = nested ? `${path}.custom` : path
      const read = readCustomTool(nested ? object(tool.custom, place) : tool, place, changed)
      custom.set(read.name, nested ? 'custom' : 'function')
      tools.push(read)
    } else if (isClientTool(tool)) tools.push(readTool(tool, path, changed))
    else {
      const kind = string(tool.type, `${path}.type`)
      if (isAnthropicKind(kind)) changed(`tool type ${kind} is not supported and was left out`)
      else opaqueTools.push({ dialect, kind, name: undefined, value: tool })
    }
  }
  const legacy = optional(fields.functions, 'functions', array)
  if (legacy) changed('legacy functions were turned into tools')
  for (const [at, value] of (legacy ?? []).entries()) {
    tools.push(readFunctionTool(object(value, `functions[${at}]`), `functions[${at}]`, 'parameters'))
  }
  refuseRepeatedNames(tools)
  return { tools, opaqueTools, names: new Set(tools.map(({ name }) => name)), custom }
}

/** Types with a date, e.g. `bash_20250124`. */
const isAnthropicKind = (kind: string) => /_20\d{6}$/.test(kind.slice(-longestShown))
const longestShown = 100

/** Anthropic also uses the type `custom`, for tools with a schema. */
const isCustomTool = ({ type, input_schema }: Fields) => type === 'custom' && input_schema === undefined

/** Tools of other types run on the service that defines them. */
const isClientTool = ({ type }: Fields) =>
  type === 'function' || type === 'custom' || type === undefined || type === null

function readTool(tool: Fields, path: string, changed: Changed): Tool {
  const isFlat = tool.name !== undefined && (tool.function === undefined || tool.function === null)
  if (tool.type === 'function' && !isFlat) {
    const place = `${path}.function`
    return { ...readFunctionTool(object(tool.function, place), place, 'parameters'), ...cacheOf(tool) }
  }
  if (tool.name === undefined) throw invalid(`${path}.type`, 'must be "function"')
  changed()
  return readFunctionTool(tool, path, tool.input_schema === undefined ? 'parameters' : 'input_schema')
}

export function readToolChoice(
  fields: Fields,
  { tools, opaqueTools }: Pick<OfferedTools, 'tools' | 'opaqueTools'>,
  changed: Changed,
): Choice {
  const value = fields.tool_choice ?? fields.function_call
  if (value === undefined || value === null) return { toolChoice: undefined, tools }
  const path =
    fields.tool_choice === undefined || fields.tool_choice === null ? 'function_call' : 'tool_choice'
  if (opaqueTools.length > 0 && typeof value === 'string') return readChoice(value, path, tools, changed)
  return possibleChoice(readChoice(value, path, tools, changed), path, changed)
}

function readChoice(value: unknown, path: string, tools: Tool[], changed: Changed): Choice {
  if (typeof value === 'string') {
    if (value === 'any') changed()
    return { toolChoice: readMode(value, path), tools }
  }
  const choice = object(value, path)
  const type = choice.type
  if (type === 'allowed_tools') {
    if (choice.allowed_tools !== undefined)
      return readAllowed(
        object(choice.allowed_tools, `${path}.allowed_tools`),
        `${path}.allowed_tools`,
        tools,
      )
    changed()
    return readAllowed(choice, path, tools)
  }
  if (type === 'auto' || type === 'none' || type === 'required' || type === 'any') {
    changed()
    return { toolChoice: readMode(type, path), tools }
  }
  const { name, place } = namedIn(choice, path)
  if (place !== `${path}.function`) changed()
  requireTool(name, path, tools)
  return { toolChoice: { type: 'tool', name }, tools }
}

/** `allowed_tools` limits this turn to a subset of the tools. */
function readAllowed(allowed: Fields, path: string, tools: Tool[]): Choice {
  const mode = readMode(string(allowed.mode, `${path}.mode`), `${path}.mode`)
  const named = array(allowed.tools, `${path}.tools`).map((value, at) => {
    const place = `${path}.tools[${at}]`
    return namedIn(object(value, place), place).name
  })
  const names = new Set(named)
  const offered = new Set(tools.map(({ name }) => name))
  for (const name of names) if (!offered.has(name)) requireTool(name, `${path}.tools`, tools)
  return { toolChoice: mode, tools: tools.filter(({ name }) => names.has(name)) }
}

/** Reads the name of a tool: inside `function` or `custom`, or flat. */
function namedIn(fields: Fields, path: string): { name: string; place: string } {
  const inner = ['function', 'custom'].find((field) => fields[field] !== undefined)
  const place = inner === undefined ? path : `${path}.${inner}`
  const holder = inner === undefined ? fields : object(fields[inner], place)
  return { name: string(holder.name, `${place}.name`), place }
}
