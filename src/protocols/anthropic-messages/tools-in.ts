// Tools and tool_choice of a Messages request. Tools with another type than `custom` are Anthropic's: only its models know their
// schema, and most of them run on the service.

import { isObject } from '../../base/json.ts'
import type { Tool, ToolChoice } from '../../core/request.ts'
import {
  array,
  boolean,
  type Fields,
  invalid,
  object,
  optional,
  string,
  unsupported,
} from '../requests/decode.ts'
import {
  type Changed,
  type Choice,
  possibleChoice,
  readFunctionTool,
  refuseRepeatedNames,
  requireTool,
} from '../requests/tools-in.ts'

interface ToolsIn extends Choice {
  parallelToolCalls: boolean | undefined
}

export function readToolsAndChoice(fields: Fields, changed: Changed): ToolsIn {
  const tools: Tool[] = []
  const leftOut = new Set<string>()
  const entries = optional(fields.tools, 'tools', array)
  if (entries?.length === 0) changed()
  for (const [at, value] of (entries ?? []).entries()) {
    const path = `tools[${at}]`
    const tool = object(value, path)
    const type = optional(tool.type, `${path}.type`, string) ?? 'custom'
    if (type === 'custom') tools.push(readTool(tool, path, changed))
    else {
      if (typeof tool.name === 'string') leftOut.add(tool.name)
      changed(`tool type ${type} is not supported and was left out`)
    }
  }
  refuseRepeatedNames(tools)
  return readToolChoice(fields, tools, leftOut, changed)
}

function readTool(tool: Fields, path: string, changed: Changed): Tool {
  const read = readFunctionTool(tool, path, 'input_schema')
  if (!isObject(tool.input_schema) || read.schema.type !== 'object') changed()
  return read
}

function readToolChoice(
  fields: Fields,
  tools: Tool[],
  leftOut: ReadonlySet<string>,
  changed: Changed,
): ToolsIn {
  const choice = optional(fields.tool_choice, 'tool_choice', object)
  if (!choice) return { tools, toolChoice: undefined, parallelToolCalls: undefined }
  const one = optional(choice.disable_parallel_tool_use, 'tool_choice.disable_parallel_tool_use', boolean)
  const wanted = readChoice(choice, tools, leftOut)
  // The API refuses tool_choice without tools.
  if (tools.length === 0 && wanted.type === 'none') changed()
  return {
    ...possibleChoice({ toolChoice: wanted, tools }, 'tool_choice', changed),
    parallelToolCalls: one && tools.length > 0 ? false : undefined,
  }
}

function readChoice(choice: Fields, tools: readonly Tool[], leftOut: ReadonlySet<string>): ToolChoice {
  const type = string(choice.type, 'tool_choice.type')
  switch (type) {
    case 'auto':
    case 'none':
      return { type }
    case 'any':
      return { type: 'required' }
    case 'tool': {
      const name = string(choice.name, 'tool_choice.name')
      if (leftOut.has(name) && !tools.some((tool) => tool.name === name))
        throw unsupported(
          'tool_choice.name',
          `${JSON.stringify(name)} is one of Anthropic's own tools, which are not supported here.`,
        )
      requireTool(name, 'tool_choice.name', tools)
      return { type: 'tool', name }
    }
    default:
      throw invalid('tool_choice.type', `${JSON.stringify(type)} is not known; use auto, any, tool or none`)
  }
}
