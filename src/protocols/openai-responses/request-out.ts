// TurnRequest → the body of POST /responses. Nothing is stored at the service: reasoning comes back sealed, and goes back with its
// calls.

import { type Fields, isObject } from '../../base/json.ts'
import type { Tool, TurnRequest } from '../../core/request.ts'
import { customToolNotes } from '../requests/custom-tools.ts'
import { type StrictTools, strictNote, toStrictTools } from '../tool-schemas/strict-tools.ts'
import { dialect } from './dialect.ts'
import { type HistoryOptions, ItemWriter } from './history-out.ts'
import { type SettingsOptions, writeSettings } from './settings-out.ts'

export interface ResponsesRequestOptions extends HistoryOptions, SettingsOptions {
  /** Strict schemas are asked for, unless the client has stated it for any tool. */
  asksStrict?: boolean | undefined
  /** Gets the tools for which `strict` is asked; undefined if it is not. */
  onStrict?(tools: StrictTools | undefined): void
}

export function toResponsesRequest(request: TurnRequest, options: ResponsesRequestOptions): Fields {
  const custom = new Set(request.tools.flatMap(({ name, custom }) => (custom ? [name] : [])))
  if (custom.size > 0) for (const note of customToolNotes) options.withdraw(note)
  const body: Fields = {
    model: request.model,
    input: new ItemWriter(options, custom).write(request.messages),
    store: false,
    include: ['reasoning.encrypted_content'],
  }
  writeTools(body, request, custom, options)
  writeNeeded(body, request)
  writeSettings(body, request, options)
  if (request.stream) body.stream = true
  if (request.stream && options.traits.isOpenAI) body.stream_options = { include_obfuscation: false }
  dropRefused(body, options)
  return body
}

/** Fields of the client that no other dialect has, and that must not be left out. */
function writeNeeded(body: Fields, { needs = [], origin }: TurnRequest): void {
  for (const { param = '' } of needs) {
    const [name = ''] = param.split('.')
    if (needed.has(name)) body[name] = origin.body[name]
  }
}

const needed = new Set(['conversation', 'prompt', 'tool_choice'])

function writeTools(
  body: Fields,
  request: TurnRequest,
  custom: ReadonlySet<string>,
  options: ResponsesRequestOptions,
): void {
  const { opaqueTools = [] } = request
  const tools = strictTools(request, options)
  if (tools.length + opaqueTools.length === 0) return
  body.tools = [...tools.map(toTool), ...opaqueTools.map(({ value }) => value)]
  if (request.parallelToolCalls !== undefined) body.parallel_tool_calls = request.parallelToolCalls
  const { toolChoice: choice } = request
  if (choice === undefined) return
  body.tool_choice =
    choice.type === 'tool'
      ? { type: custom.has(choice.name) ? 'custom' : 'function', name: choice.name }
      : choice.type
}

/** The tools, with the schemas and `strict` that are asked for. */
function strictTools({ tools, origin }: TurnRequest, options: ResponsesRequestOptions): readonly Tool[] {
  const { asksStrict, onStrict, note } = options
  const isAsked =
    asksStrict === true && origin.dialect !== dialect && tools.every(({ strict }) => strict === undefined)
  const functions = tools.filter(({ custom }) => custom === undefined)
  const made = isAsked ? toStrictTools(functions, 'openai') : undefined
  onStrict?.(made)
  if (!made) return tools
  note(strictNote(made))
  const byName = new Map(made.tools.map((tool) => [tool.name, tool]))
  return tools.map((tool) => {
    const strict = tool.custom ? undefined : byName.get(tool.name)
    return strict ? { ...tool, schema: strict.schema, strict: strict.strict } : tool
  })
}

function toTool({ name, description, schema, strict, custom }: Tool): Fields {
  if (custom) return { type: 'custom', name, ...custom }
  return {
    type: 'function',
    name,
    ...(description ? { description } : {}),
    parameters: schema,
    // Left out, the service makes every schema strict that can be, and models then fill in every optional argument.
    strict: strict ?? false,
  }
}

function dropRefused(body: Fields, { traits: { refuses }, note }: SettingsOptions): void {
  const dropped = refuses.filter((path) => drop(body, path))
  if (dropped.length > 0) note(`${dropped.join(', ')} left out: this service refuses it`)
}

/** `path`: a field, or a field of an object, e.g. `reasoning.summary`. */
export function hasField(body: Readonly<Fields>, path: string): boolean {
  const [name = '', inner] = path.split('.', 2)
  const value = body[name]
  if (inner === undefined) return value !== undefined
  return isObject(value) && value[inner] !== undefined
}

function drop(body: Fields, path: string): boolean {
  if (!hasField(body, path)) return false
  const [name = '', inner] = path.split('.', 2)
  if (inner === undefined) return delete body[name]
  const { [inner]: _, ...rest } = body[name] as Fields
  if (Object.keys(rest).length === 0) delete body[name]
  else body[name] = rest
  return true
}
