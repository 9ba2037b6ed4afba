// Tools and tool_choice, fitted to the service.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { fitSchemas, type SchemaOptions } from './schemas-out.ts'

type ToolOptions = SchemaOptions

const toolFields = ['tools', 'tool_choice', 'parallel_tool_calls']

export function fitTools(body: Fields, request: TurnRequest, options: ToolOptions): void {
  dropUnserved(body, request)
  // Servers refuse an empty list of tools, and refuse the other tool fields without tools.
  const { tools, opaqueTools = [] } = request
  if (tools.length + opaqueTools.length === 0) for (const field of toolFields) delete body[field]
  fitSchemas(body, request, options)
  const isForced = request.toolChoice?.type === 'required' || request.toolChoice?.type === 'tool'
  if (!isForced || body.tool_choice === undefined) return
  if (!lowerChoice(body, request, options)) renameChoice(body, request, options)
}

/** Tools of other kinds that the request does not have any more. */
function dropUnserved(body: Fields, { opaqueTools = [] }: TurnRequest): void {
  if (!Array.isArray(body.tools)) return
  const served = new Set<unknown>(opaqueTools.map(({ value }) => value))
  const isServed = (tool: unknown) =>
    !isObject(tool) ||
    tool.type === undefined ||
    ['function', 'custom'].includes(textOf(tool.type)) ||
    served.has(tool)
  if (!body.tools.every(isServed)) body.tools = body.tools.filter(isServed)
}

/** Returns true if it lowered the choice. */
function lowerChoice(body: Fields, request: TurnRequest, { traits, note }: ToolOptions): boolean {
  if (traits.forcedWhileThinking || !(traits.thinks || asksForThinking(request))) return false
  body.tool_choice = 'auto'
  note('tool_choice was lowered to auto: the model cannot be forced to call a tool while it thinks')
  return true
}

function asksForThinking({ origin: { body }, reasoning }: TurnRequest): boolean {
  const thinking = isObject(body.thinking) ? body.thinking.type : undefined
  return (
    body.enable_thinking === true ||
    thinking === 'enabled' ||
    (reasoning !== undefined && reasoning.effort !== 'none')
  )
}

/** Mistral has its own value for "required" and cannot name a tool: a named tool is sent as the only tool. */
function renameChoice(body: Fields, { toolChoice }: TurnRequest, { traits, note }: ToolOptions): void {
  if (traits.forcedChoice === 'required') return
  body.tool_choice = traits.forcedChoice
  if (toolChoice?.type !== 'tool' || !Array.isArray(body.tools)) return
  body.tools = body.tools.filter((tool) => isObject(tool.function) && tool.function.name === toolChoice.name)
  note(`only the tool ${JSON.stringify(toolChoice.name)} was sent: the service cannot be told which to call`)
}
