// A search of deferred tools as the two items of OpenAI's hosted tool search. The definitions of the tools that were found come back with
// the history, so that the next request has them again.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import type { SearchEvent } from '../../core/events.ts'
import type { OpaquePart, OpaqueTool, Tool, ToolSearch } from '../../core/request.ts'
import { type Item, type ItemOptions, itemId } from './items-out.ts'
import type { ToolNames } from './tool-names.ts'

/** `index`: of the first of the two items. */
export function searchItems(
  { query, found }: SearchEvent,
  index: number,
  { id, names }: Pick<ItemOptions, 'id' | 'names'>,
): [call: Item, output: Item] {
  const hosted = { call_id: null, execution: 'server', status: 'completed' }
  return [
    { id: itemId('tool_search_call', id, index), type: 'tool_search_call', ...hosted, arguments: { query } },
    {
      id: itemId('tool_search_output', id, index + 1),
      type: 'tool_search_output',
      ...hosted,
      tools: toDefinitions(found, names),
    },
  ]
}

/** Tools of a namespace are in one entry. */
function toDefinitions(found: readonly Tool[], names: ToolNames): Fields[] {
  const definitions: Fields[] = []
  const spaces = new Map<string, Fields[]>()
  for (const tool of found) {
    const { name, namespace } = names.toClient(tool.name)
    const known = namespace === undefined ? definitions : spaces.get(namespace)
    const tools = known ?? []
    tools.push(toDefinition(tool, name))
    if (namespace === undefined || known) continue
    spaces.set(namespace, tools)
    definitions.push({ type: 'namespace', name: namespace, description: namespace, tools })
  }
  return definitions
}

const toDefinition = ({ description, schema, strict, custom }: Tool, name: string): Fields =>
  custom
    ? { type: 'custom', name, ...custom, defer_loading: true }
    : {
        type: 'function',
        name,
        ...(description ? { description } : {}),
        parameters: schema,
        strict: strict ?? false,
        defer_loading: true,
      }

/** What an item says about a search of the service; undefined for any other item. */
export function readSearchItem(item: Fields, names: ToolNames): OpaquePart['search'] {
  const { type, id } = item
  if (type === 'tool_search_call') {
    const query = isObject(item.arguments) ? item.arguments.query : undefined
    return { id: textOf(id), query: typeof query === 'string' ? query : '' }
  }
  return type === 'tool_search_output' ? { id: textOf(id), found: namesIn(item.tools, names) } : undefined
}

function namesIn(tools: unknown, names: ToolNames, namespace?: string): string[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown) => {
    if (!isObject(tool) || typeof tool.name !== 'string') return []
    return tool.type === 'namespace'
      ? namesIn(tool.tools, names, tool.name)
      : [names.toUpstream(tool.name, namespace)]
  })
}

/** Undefined if the request does not ask the service to search deferred tools: some clients search themselves. */
export function readToolSearch(opaqueTools: readonly OpaqueTool[]): ToolSearch | undefined {
  const tool = opaqueTools.find(({ kind, value }) => kind === 'tool_search' && value.execution !== 'client')
  return tool && { tool, name: 'tool_search', by: 'words' }
}
