// Tools and tool_choice of a Chat Completions request, in every form that clients send.

import type { Tool, ToolChoice } from '../../core/request.ts'
import { cacheOf } from '../cache-hint.ts'
import { array, type Fields, invalid, object, optional, string, unsupported } from '../decode.ts'
import {
  type Changed,
  type Choice,
  possibleChoice,
  readFunctionTool,
  refuseRepeatedNames,
  requireTool,
} from '../tools-in.ts'

export function readTools(fields: Fields, changed: Changed): Tool[] {
  const tools: Tool[] = []
  for (const [at, value] of (optional(fields.tools, 'tools', array) ?? []).entries()) {
    const path = `tools[${at}]`
    const tool = object(value, path)
    if (tool.type === 'function') {
      const place = `${path}.function`
      tools.push({ ...readFunctionTool(object(tool.function, place), place, 'parameters'), ...cacheOf(tool) })
    } else if (tool.type === 'custom')
      throw unsupported(path, 'custom (grammar) tools are not supported here; send a function tool.')
    else if (typeof tool.type === 'string')
      changed(`tool type ${tool.type} is not supported and was left out`)
    else throw invalid(`${path}.type`, 'must be "function"')
  }
  const legacy = optional(fields.functions, 'functions', array)
  if (legacy) changed('legacy functions were turned into tools')
  for (const [at, value] of (legacy ?? []).entries()) {
    tools.push(readFunctionTool(object(value, `functions[${at}]`), `functions[${at}]`, 'parameters'))
  }
  refuseRepeatedNames(tools)
  return tools
}

export function readToolChoice(fields: Fields, tools: Tool[], changed: Changed): Choice {
  const value = fields.tool_choice ?? fields.function_call
  if (value === undefined || value === null) return { toolChoice: undefined, tools }
  const path =
    fields.tool_choice === undefined || fields.tool_choice === null ? 'function_call' : 'tool_choice'
  return possibleChoice(readChoice(value, path, tools), path, changed)
}

function readChoice(value: unknown, path: string, tools: Tool[]): Choice {
  if (typeof value === 'string') return { toolChoice: readMode(value, path), tools }
  const choice = object(value, path)
  const type = choice.type
  if (type === 'allowed_tools')
    return readAllowed(object(choice.allowed_tools, `${path}.allowed_tools`), `${path}.allowed_tools`, tools)
  if (type === 'auto' || type === 'none' || type === 'required' || type === 'any')
    return { toolChoice: readMode(type, path), tools }
  const holder =
    type === 'function' && choice.function !== undefined
      ? object(choice.function, `${path}.function`)
      : choice
  const name = string(holder.name, holder === choice ? `${path}.name` : `${path}.function.name`)
  requireTool(name, path, tools)
  return { toolChoice: { type: 'tool', name }, tools }
}

export function readMode(value: string, path: string): ToolChoice {
  if (value === 'auto' || value === 'none' || value === 'required') return { type: value }
  if (value === 'any') return { type: 'required' }
  throw invalid(path, `"${value}" is not known; use auto, none, required or a named function`)
}

/** `allowed_tools` limits this turn to some of the tools. */
function readAllowed(allowed: Fields, path: string, tools: Tool[]): Choice {
  const mode = readMode(string(allowed.mode, `${path}.mode`), `${path}.mode`)
  const names = array(allowed.tools, `${path}.tools`).map((value, at) => {
    const entry = object(value, `${path}.tools[${at}]`)
    const holder =
      entry.function === undefined ? entry : object(entry.function, `${path}.tools[${at}].function`)
    return string(holder.name, `${path}.tools[${at}].function.name`)
  })
  for (const name of names) requireTool(name, `${path}.tools`, tools)
  return { toolChoice: mode, tools: tools.filter((tool) => names.includes(tool.name)) }
}
