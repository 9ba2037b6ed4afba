// Tools and tool_choice of a Messages request.

import { isObject, textOf } from '../../base/json.ts'
import type { Tool, TurnRequest } from '../../core/request.ts'
import { type StrictTool, type StrictTools, strictNote, toStrictTools } from '../tool-schemas/strict-tools.ts'
import { dialect } from './dialect.ts'
import { type Block, cacheControl } from './media-out.ts'
import type { AnthropicModel } from './models.ts'
import { isGoodName, type ToolNames } from './names.ts'
import { toInputSchema } from './schema-out.ts'

interface ToolsOut {
  tools: Block[]
  toolChoice?: Block
  instruction?: string
}

export interface StrictOptions {
  /** Strict tools are asked for, unless the client has stated it for any tool. */
  asksStrict?: boolean | undefined
  /** Gets the tools for which `strict` is asked; undefined if it is not. */
  onStrict?(tools: StrictTools | undefined): void
}

interface ToolsOptions extends StrictOptions {
  model: AnthropicModel
  note(text: string): void
}

export function toTools(request: TurnRequest, names: ToolNames, options: ToolsOptions): ToolsOut {
  const { model, note } = options
  const own = (request.opaqueTools ?? []).map(({ value }): Block => ({ ...value }))
  if (request.tools.length + own.length === 0) return toolsOfHistory(request, names)
  if (request.origin.dialect !== dialect && request.tools.some((tool) => tool.strict))
    note('strict tool schemas are not enforced by the upstream')
  const verbatim = ownTools(request)
  const strict = strictTools(request, options)
  const functions = request.tools.map(
    (tool, at): Block =>
      asLoaded(tool, verbatim.get(tool.name)) ?? {
        name: names.toUpstream(tool.name),
        ...(tool.description ? { description: tool.description } : {}),
        input_schema: strict?.[at]?.schema ?? toInputSchema(tool.schema),
        ...(strict?.[at]?.strict ? { strict: true } : {}),
        ...cacheControl(tool.cache),
      },
  )
  const tools = own.length === 0 ? functions : [...functions, ...own]
  const choice = request.toolChoice ?? { type: 'auto' }
  const one = request.parallelToolCalls === false ? { disable_parallel_tool_use: true } : {}
  if (choice.type === 'none') return { tools, toolChoice: { type: 'none' } }
  if (choice.type === 'auto') {
    return request.toolChoice || request.parallelToolCalls === false
      ? { tools, toolChoice: { type: 'auto', ...one } }
      : { tools }
  }
  if (!model.forcedToolChoice) {
    note('the model cannot be forced to call a tool; it was asked to instead')
    const which = choice.type === 'tool' ? `the tool ${names.toUpstream(choice.name)}` : 'one of the tools'
    return {
      tools,
      toolChoice: { type: 'auto', ...one },
      instruction: `Answer this turn by calling ${which}.`,
    }
  }
  const forced =
    choice.type === 'tool' ? { type: 'tool', name: names.toUpstream(choice.name) } : { type: 'any' }
  return { tools, toolChoice: { ...forced, ...one } }
}

/** A tool that the gateway has loaded must not be deferred by the service. */
function asLoaded({ deferred }: Tool, own: Block | undefined): Block | undefined {
  if (own === undefined || deferred || !('defer_loading' in own)) return own
  const { defer_loading: _marked, ...loaded } = own
  return loaded
}

/** As many strict tools as the service takes; undefined if none is asked for. */
function strictTools(
  { tools, origin }: TurnRequest,
  { asksStrict, onStrict, model, note }: ToolsOptions,
): readonly StrictTool[] | undefined {
  const isAsked =
    asksStrict === true &&
    model.structuredOutput &&
    origin.dialect !== dialect &&
    tools.every(({ strict }) => strict === undefined)
  const made = isAsked
    ? toStrictTools(
        tools.map(({ name, schema }) => ({ name, schema: toInputSchema(schema) })),
        'anthropic',
      )
    : undefined
  onStrict?.(made)
  if (made) note(strictNote(made))
  return made?.tools
}

/** The API refuses a history with tool calls but no tools: the tools that it names are declared, with tool_choice `none`. */
function toolsOfHistory(request: TurnRequest, names: ToolNames): ToolsOut {
  const tools = [...new Set(toolNamesOf(request))].map((name) => ({
    name: names.toUpstream(name),
    description: 'Not available now.',
    input_schema: { type: 'object', properties: {} },
  }))
  return tools.length === 0 ? { tools } : { tools, toolChoice: { type: 'none' } }
}

/** Tools of a client of this dialect stay unchanged: they come first in the prompt cache. */
function ownTools({ origin }: TurnRequest): Map<string, Block> {
  const given = origin.dialect === dialect && Array.isArray(origin.body.tools) ? origin.body.tools : []
  const fitting = given.filter(
    ({ type, name, input_schema: schema }: Block) =>
      (type ?? 'custom') === 'custom' &&
      isGoodName(textOf(name)) &&
      isObject(schema) &&
      schema.type === 'object',
  )
  return new Map(fitting.map((tool: Block) => [textOf(tool.name), { ...tool }]))
}

/** All tool names of the request, including its history, in a stable order. */
export function* toolNamesOf(request: TurnRequest): Generator<string> {
  for (const tool of request.tools) yield tool.name
  for (const message of request.messages) {
    if (message.role !== 'assistant') continue
    for (const part of message.content) if (part.type === 'tool-call') yield part.name
  }
}
