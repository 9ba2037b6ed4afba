// A search of deferred tools as the two blocks of Anthropic's own tool search. The names of the tools that were found come back with the
// history, so that the next request has them again.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import type { SearchEvent } from '../../core/events.ts'
import type { OpaquePart } from '../../core/request.ts'

const idPrefix = 'srvtoolu_'

export function searchBlocks({ id, name, query, found }: SearchEvent): [call: Fields, result: Fields] {
  const blockId = `${idPrefix}${id}`
  const references = found.map((tool) => ({ type: 'tool_reference', tool_name: tool.name }))
  return [
    { type: 'server_tool_use', id: blockId, name, input: { query } },
    {
      type: 'tool_search_tool_result',
      tool_use_id: blockId,
      content: { type: 'tool_search_tool_search_result', tool_references: references },
    },
  ]
}

/** What a block says about a search; undefined for any other block. */
export function readSearchBlock(block: Fields): OpaquePart['search'] {
  const { type, name, id, tool_use_id: callId, input, content } = block
  if (type === 'server_tool_use' && textOf(name).startsWith('tool_search_tool_')) {
    const query = isObject(input) ? (input.query ?? input.pattern) : undefined
    return { id: searchId(id), query: typeof query === 'string' ? query : '' }
  }
  if (type !== 'tool_search_tool_result') return undefined
  const references =
    isObject(content) && Array.isArray(content.tool_references) ? content.tool_references : []
  const found = references.flatMap((reference: unknown) =>
    isObject(reference) && typeof reference.tool_name === 'string' ? [reference.tool_name] : [],
  )
  return { id: searchId(callId), found }
}

const searchId = (id: unknown) => textOf(id).replace(/^srvtoolu_/, '')
