// Tools and tool_choice, fitted to the service.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import type { ServerTraits } from './servers.ts'

interface ToolOptions {
  traits: ServerTraits
  note(text: string): void
}

const toolFields = ['tools', 'tool_choice', 'parallel_tool_calls']

export function fitTools(body: Fields, request: TurnRequest, options: ToolOptions): void {
  dropUnserved(body, request)
  // Servers refuse an empty list of tools, and refuse the other tool fields without tools.
  const { tools, opaqueTools = [] } = request
  if (tools.length + opaqueTools.length === 0) for (const field of toolFields) delete body[field]
  if (options.traits.schemaKeywords.length > 0) dropKeywords(body, options)
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

function dropKeywords(body: Fields, { traits: { schemaKeywords }, note }: ToolOptions): void {
  if (!Array.isArray(body.tools)) return
  let isChanged = false
  const tools = body.tools.map((tool) => {
    const { function: described } = tool
    if (!isObject(described) || !isObject(described.parameters)) return tool
    const parameters = withoutKeywords(described.parameters, schemaKeywords)
    if (parameters === described.parameters) return tool
    isChanged = true
    return { ...tool, function: { ...described, parameters } }
  })
  if (!isChanged) return
  body.tools = tools
  note(`${schemaKeywords.join(' and ')} in schemas of tools left out: the service refuses them`)
}

/** Keywords whose members have client-chosen names, not keywords. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords that contain values, not schemas. */
const values = new Set(['const', 'default', 'enum', 'examples'])

/** Returns the same object if the schema has none of the keywords. */
function withoutKeywords(schema: unknown, keywords: readonly string[]): unknown {
  if (Array.isArray(schema)) return mapSame(schema, (entry) => withoutKeywords(entry, keywords))
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema)
  const kept = entries.filter(([name]) => !keywords.includes(name))
  const inner = mapSame(kept, (entry) => {
    const [name, value] = entry
    if (values.has(name)) return entry
    const next =
      named.has(name) && isObject(value) ? withMembers(value, keywords) : withoutKeywords(value, keywords)
    return next === value ? entry : ([name, next] as [string, unknown])
  })
  return inner === kept && kept.length === entries.length ? schema : Object.fromEntries(inner)
}

function withMembers(schemas: Fields, keywords: readonly string[]): Fields {
  const entries = Object.entries(schemas)
  const inner = mapSame(entries, (entry) => {
    const next = withoutKeywords(entry[1], keywords)
    return next === entry[1] ? entry : ([entry[0], next] as [string, unknown])
  })
  return inner === entries ? schemas : Object.fromEntries(inner)
}

/** Returns the same list if nothing changed. */
function mapSame<T>(list: T[], change: (entry: T) => T): T[] {
  const changed = list.map(change)
  return changed.every((entry, at) => entry === list[at]) ? list : changed
}
