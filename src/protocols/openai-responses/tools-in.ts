// Tools and tool_choice of a Responses request: functions, custom tools, namespaces of both, and the search for tools that the client
// itself runs. Tools that the service runs are opaque.

import { textOf } from '../../base/json.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { OpaqueTool, Tool } from '../../core/request.ts'
import { readCustomTool } from '../requests/custom-tools.ts'
import { array, type Fields, invalid, object, optional, string, unsupported } from '../requests/decode.ts'
import {
  type Choice,
  possibleChoice,
  readFunctionTool,
  readMode,
  repeatedName,
  requireTool,
} from '../requests/tools-in.ts'
import { dialect } from './dialect.ts'
import { type ClientTool, searchName, ToolNames } from './tool-names.ts'

export interface OfferedTools {
  tools: Tool[]
  names: ToolNames
  /** The original tools, without the opaque ones. */
  served: Fields[]
  opaqueTools: OpaqueTool[]
}

type Note = (text: string) => void

/** Characters of a client's tool type in a note. */
const longestShown = 100

interface Placed {
  tool: Fields
  path: string
}

interface Offer {
  tool: Tool
  client: ClientTool
  /** The path of its list. */
  list: string
  /** The original entry: the tool itself, or its namespace. */
  served: Fields
}

/** `lists`: the request's own tools, and the lists of items that add tools later. */
export function readTools(lists: readonly { value: unknown; path: string }[], note: Note): OfferedTools {
  const offers = new Map<string, Offer>()
  const opaqueTools: OpaqueTool[] = []
  const onOpaque = (value: Fields) =>
    void opaqueTools.push({ dialect, kind: textOf(value.type), name: undefined, value })
  for (const { value, path: list } of lists) {
    for (const { offer, path } of placedTools(value, list).flatMap((placed) =>
      readOffers(placed, list, note, onOpaque),
    )) {
      const { name, namespace } = offer.client
      const key = JSON.stringify([namespace, name])
      // A later list may redefine a tool. Twice in one list is an error.
      if (offers.get(key)?.list === list) throw repeatedName(`${path}.name`, name)
      offers.set(key, offer)
    }
  }
  const all = [...offers.values()]
  const names = new ToolNames(all.flatMap(({ client }) => (client.namespace === undefined ? [client] : [])))
  const tools = all.map(({ tool, client }) => ({ ...tool, name: names.offer(client) }))
  return { tools, names, served: [...new Set(all.map(({ served }) => served))], opaqueTools }
}

const placedTools = (value: unknown, path: string): Placed[] =>
  (optional(value, path, array) ?? []).map((tool, at) => ({
    tool: object(tool, `${path}[${at}]`),
    path: `${path}[${at}]`,
  }))

type PlacedOffer = { offer: Offer; path: string }

type OnOpaque = (tool: Fields) => void

function readOffers({ tool, path }: Placed, list: string, note: Note, onOpaque: OnOpaque): PlacedOffer[] {
  if (tool.type === 'namespace') return readNamespace(tool, path, list, note)
  const isSearch = tool.type === 'tool_search' && tool.execution === 'client'
  const read = isSearch ? searchTool(tool, path) : readTool(tool, path, note)
  if (!read) {
    onOpaque(tool)
    return []
  }
  const client: ClientTool = { name: read.name, kind: isSearch ? 'search' : kindOf(tool) }
  return [{ offer: { tool: read, client, list, served: tool }, path }]
}

function readNamespace(space: Fields, path: string, list: string, note: Note): PlacedOffer[] {
  const namespace = string(space.name, `${path}.name`)
  if (namespace === '') throw invalid(`${path}.name`, 'must not be empty')
  const about = optional(space.description, `${path}.description`, string)
  note('tools of a namespace were offered under names joined with the namespace')
  return placedTools(space.tools, `${path}.tools`).flatMap(({ tool, path: place }) => {
    const read = readTool(tool, place, note)
    if (!read) {
      note(`tool type ${textOf(tool.type).slice(0, longestShown)} is not supported and was left out`)
      return []
    }
    const words = [read.description, about && `(${namespace}: ${about})`].filter(Boolean).join('\n\n')
    const described = { ...read, ...(words ? { description: words } : {}) }
    const client = { name: read.name, namespace, kind: kindOf(tool) }
    return [{ offer: { tool: described, client, list, served: space }, path: place }]
  })
}

const kindOf = ({ type }: Fields): ClientTool['kind'] => (type === 'custom' ? 'custom' : 'function')

/** A search that the client runs. The tools that it finds come with its result (`tool_search_output`). */
const searchTool = (tool: Fields, path: string): Tool => ({
  name: searchName,
  description:
    optional(tool.description, `${path}.description`, string) ||
    'Searches for more tools. The tools that it finds can be called afterwards.',
  schema: optional(tool.parameters, `${path}.parameters`, object) ?? defaultSearch,
})

const defaultSearch = {
  type: 'object',
  properties: { query: { type: 'string', description: 'What the tools should do.' } },
  required: ['query'],
}

/** Undefined for a tool of another kind. */
function readTool(tool: Fields, path: string, note: Note): Tool | undefined {
  const type = string(tool.type, `${path}.type`)
  if (type === 'function') return readFunctionTool(tool, path, 'parameters')
  return type === 'custom' ? readCustomTool(tool, path, note) : undefined
}

/** `onNeed` gets the error of a choice that only a service of this dialect can follow. */
export function readToolChoice(
  value: unknown,
  { tools, names, opaqueTools }: OfferedTools,
  onNeed: (error: GatewayError) => void,
): Choice {
  if (value === undefined || value === null) return { toolChoice: undefined, tools }
  const choice = readChoice(value, tools, names, onNeed)
  if (opaqueTools.length > 0) return choice
  return possibleChoice(choice, 'tool_choice', () => undefined)
}

function readChoice(
  value: unknown,
  tools: Tool[],
  names: ToolNames,
  onNeed: (error: GatewayError) => void,
): Choice {
  const path = 'tool_choice'
  if (typeof value === 'string') return { toolChoice: readMode(value, path), tools }
  const choice = object(value, path)
  switch (string(choice.type, `${path}.type`)) {
    case 'auto':
    case 'none':
    case 'required':
      return { toolChoice: readMode(textOf(choice.type), path), tools }
    case 'allowed_tools':
      return readAllowed(choice, path, tools, names)
    case 'function':
    case 'custom': {
      const name = nameIn(choice, path, names)
      requireTool(name, path, tools)
      return { toolChoice: { type: 'tool', name }, tools }
    }
    default:
      onNeed(
        unsupported(
          `${path}.type`,
          `${textOf(choice.type)} is not supported here; use auto, none, required, function, custom or allowed_tools.`,
        ),
      )
      return { toolChoice: undefined, tools }
  }
}

/** Limits this turn to a subset of the tools. Hosted tools in the list are ignored. */
function readAllowed(choice: Fields, path: string, tools: Tool[], names: ToolNames): Choice {
  const toolChoice = readMode(string(choice.mode, `${path}.mode`), `${path}.mode`)
  const offered = new Set(tools.map(({ name }) => name))
  const allowed = new Set<string>()
  const namespaces = new Set<string | undefined>()
  for (const { tool: entry, path: place } of placedTools(choice.tools, `${path}.tools`)) {
    const type = string(entry.type, `${place}.type`)
    if (type === 'namespace') namespaces.add(string(entry.name, `${place}.name`))
    if (type !== 'function' && type !== 'custom') continue
    const name = nameIn(entry, place, names)
    if (!offered.has(name)) requireTool(name, place, tools)
    allowed.add(name)
  }
  const isAllowed = ({ name }: Tool) => allowed.has(name) || namespaces.has(names.toClient(name).namespace)
  return { toolChoice, tools: tools.filter(isAllowed) }
}

const nameIn = (fields: Fields, path: string, names: ToolNames) =>
  names.toUpstream(
    string(fields.name, `${path}.name`),
    optional(fields.namespace, `${path}.namespace`, string),
  )
