// Tools and tool_choice of a Messages request. Tools with another type than `custom` are opaque: only Anthropic's models know their
// schema, and most of them run on the service.

import { isObject } from '../../base/json.ts'
import type { OpaqueTool, Tool, ToolChoice, ToolSearch } from '../../core/request.ts'
import { array, boolean, type Fields, invalid, object, optional, string } from '../requests/decode.ts'
import {
  type Changed,
  type Choice,
  possibleChoice,
  readFunctionTool,
  refuseRepeatedNames,
  requireTool,
} from '../requests/tools-in.ts'
import { dialect } from './dialect.ts'

/** Claude Code's stand-in for deferred tools, which cannot be called. Other services would offer it to the model. */
const placeholder = 'DeferredToolPlaceholder'

interface ToolsIn extends Choice {
  parallelToolCalls: boolean | undefined
  opaqueTools: OpaqueTool[]
}

export function readToolsAndChoice(fields: Fields, changed: Changed): ToolsIn {
  const tools: Tool[] = []
  const opaqueTools: OpaqueTool[] = []
  const entries = optional(fields.tools, 'tools', array)
  if (entries?.length === 0) changed()
  for (const [at, value] of (entries ?? []).entries()) {
    const path = `tools[${at}]`
    const tool = object(value, path)
    const kind = optional(tool.type, `${path}.type`, string) ?? 'custom'
    if (tool.name === placeholder)
      opaqueTools.push({ dialect, kind, name: placeholder, value: tool, isFiller: true })
    else if (kind === 'custom') tools.push(readTool(tool, path, changed))
    else opaqueTools.push({ dialect, kind, name: optional(tool.name, `${path}.name`, string), value: tool })
  }
  refuseRepeatedNames(tools)
  return { opaqueTools, ...readToolChoice(fields, tools, opaqueTools, changed) }
}

/** Undefined if the request does not ask the service to search deferred tools. */
export function readToolSearch(opaqueTools: readonly OpaqueTool[]): ToolSearch | undefined {
  for (const tool of opaqueTools) {
    const [, by] = /^tool_search_tool_(regex|bm25)(?:_|$)/.exec(tool.kind) ?? []
    if (by === undefined) continue
    return { tool, name: tool.name ?? `tool_search_tool_${by}`, by: by === 'regex' ? 'pattern' : 'words' }
  }
  return undefined
}

function readTool(tool: Fields, path: string, changed: Changed): Tool {
  const read = readFunctionTool(tool, path, 'input_schema')
  if (!isObject(tool.input_schema) || read.schema.type !== 'object') changed()
  return read
}

function readToolChoice(
  fields: Fields,
  tools: Tool[],
  opaqueTools: readonly OpaqueTool[],
  changed: Changed,
): Omit<ToolsIn, 'opaqueTools'> {
  const choice = optional(fields.tool_choice, 'tool_choice', object)
  if (!choice) return { tools, toolChoice: undefined, parallelToolCalls: undefined }
  const one = optional(choice.disable_parallel_tool_use, 'tool_choice.disable_parallel_tool_use', boolean)
  const wanted = readChoice(choice, tools, opaqueTools)
  const hasTools = tools.length + opaqueTools.length > 0
  const parallelToolCalls = one && hasTools ? false : undefined
  if (hasTools || wanted === undefined) return { tools, toolChoice: wanted, parallelToolCalls }
  // The API refuses tool_choice without tools.
  if (wanted.type === 'none') changed()
  return { ...possibleChoice({ toolChoice: wanted, tools }, 'tool_choice', changed), parallelToolCalls }
}

/** Undefined for a type that the canonical model does not have. */
function readChoice(
  choice: Fields,
  tools: readonly Tool[],
  opaqueTools: readonly OpaqueTool[],
): ToolChoice | undefined {
  const type = string(choice.type, 'tool_choice.type')
  switch (type) {
    case 'auto':
    case 'none':
      return { type }
    case 'any':
      return { type: 'required' }
    case 'tool': {
      const name = string(choice.name, 'tool_choice.name')
      if (!opaqueTools.some((tool) => tool.name === name)) requireTool(name, 'tool_choice.name', tools)
      return { type: 'tool', name }
    }
    case 'required':
    case 'function':
      throw invalid('tool_choice.type', `${JSON.stringify(type)} is OpenAI's; use auto, any, tool or none`)
    default:
      return undefined
  }
}
