// System messages inside the conversation hold more than text: the effort from here on, and tools that come and go. Anthropic's
// models get them as they are; here is what they mean to others.

import { isObject } from '../../base/json.ts'
import type { OpaquePart, TextPart, Tool } from '../../core/request.ts'
import type { Fields } from '../requests/decode.ts'
import { type Changed, readFunctionTool } from '../requests/tools-in.ts'
import { dialect } from './dialect.ts'
import { readText } from './parts-in.ts'

/** The parts of one block. */
export function readInnerBlock(
  block: Fields,
  path: string,
  changed: Changed,
): readonly (TextPart | OpaquePart)[] {
  if (block.type === 'text') return readText(block, path, changed)
  const part: OpaquePart = { type: 'opaque', dialect, value: block }
  const text = changeText(block)
  if (text !== undefined) part.text = text
  return [part]
}

const words: ReadonlyMap<unknown, string> = new Map([
  ['tool_addition', 'can be called now.'],
  ['tool_removal', 'cannot be called any more.'],
])

/** A change of the tools in words. The tool itself stays declared: earlier calls name it, and prompt caches begin with the tools. */
function changeText({ type, tool }: Fields): string | undefined {
  const said = words.get(type)
  const name = said === undefined ? undefined : nameOf(tool)
  return name === undefined ? undefined : `The tool ${JSON.stringify(name)} ${said}`
}

function nameOf(tool: unknown): string | undefined {
  if (!isObject(tool)) return undefined
  const { name } = isObject(tool.definition) ? tool.definition : { name: tool.name ?? tool.tool_name }
  return typeof name === 'string' ? name : undefined
}

interface InnerSettings {
  /** The last effort that a message sets: it overrides the request's own. */
  effort?: unknown
  /** The tools that the conversation defines in place. */
  tools: Tool[]
}

export function innerSettings(messages: unknown): InnerSettings {
  const settings: InnerSettings = { tools: [] }
  for (const message of Array.isArray(messages) ? messages : []) {
    if (!isObject(message) || message.role !== 'system') continue
    const { output_config: output, content } = message
    if (isObject(output) && typeof output.effort === 'string') settings.effort = output.effort
    if (Array.isArray(content)) for (const block of content) addDefinition(block, settings.tools)
  }
  return settings
}

/** A definition of another shape is for the service alone. */
function addDefinition(block: unknown, tools: Tool[]): void {
  if (!isObject(block) || block.type !== 'tool_addition' || !isObject(block.tool)) return
  const { definition } = block.tool
  if (!isObject(definition) || !isFunction(definition)) return
  const tool = readFunctionTool(definition, 'tool', 'input_schema')
  const at = tools.findIndex(({ name }) => name === tool.name)
  // The later definition holds.
  if (at >= 0) tools[at] = tool
  else tools.push(tool)
}

const isFunction = ({ type, name, description, strict, input_schema: schema }: Fields) =>
  (type === undefined || type === 'custom') &&
  typeof name === 'string' &&
  name !== '' &&
  (description === undefined || typeof description === 'string') &&
  (strict === undefined || typeof strict === 'boolean') &&
  (schema === undefined || isObject(schema))
