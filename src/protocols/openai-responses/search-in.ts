// The items of a search for tools that the client itself runs (`tool_search`, execution `client`): a call, and the tools that it found.
// Backends see the call of a function and its result; the found tools are offered with all others (request-in.ts).

import { isObject } from '../../base/json.ts'
import type { Message } from '../../core/request.ts'
import { array, type Fields, object, optional } from '../requests/decode.ts'
import { searchName, type ToolNames } from './tool-names.ts'

/** A search for tools that the client itself runs. */
export const isClientSearch = (
  { type, execution, call_id }: Fields,
  wanted: 'tool_search_call' | 'tool_search_output',
): boolean => type === wanted && execution !== 'server' && typeof call_id === 'string'

/** Undefined for a search that the service runs. */
export function readSearch(item: Fields, path: string, names: ToolNames): Message | undefined {
  const callId = item.call_id
  if (isClientSearch(item, 'tool_search_call')) {
    const input = JSON.stringify(optional(item.arguments, `${path}.arguments`, object) ?? {})
    return {
      role: 'assistant',
      content: [{ type: 'tool-call', callId: String(callId), name: searchName, input }],
    }
  }
  if (!isClientSearch(item, 'tool_search_output')) return undefined
  const text = foundText(optional(item.tools, `${path}.tools`, array) ?? [], names)
  return { role: 'tool', results: [{ callId: String(callId), content: [{ type: 'text', text }] }] }
}

const longestAbout = 200

/** What the model reads of the tools that were found. Their definitions are offered as all others. */
function foundText(tools: readonly unknown[], names: ToolNames): string {
  const lines = tools.filter(isObject).flatMap((tool) => {
    const space = tool.type === 'namespace' ? textOf(tool.name) : undefined
    const inside = space !== undefined && Array.isArray(tool.tools) ? tool.tools.filter(isObject) : [tool]
    return inside.map(({ name, description }) => {
      const about = textOf(description).split('\n', 1)[0]?.slice(0, longestAbout)
      return `- ${names.toUpstream(textOf(name), space)}${about ? `: ${about}` : ''}`
    })
  })
  if (lines.length === 0) return 'No tool was found. Other words may find one.'
  return `These tools were found and can be called now:\n${lines.join('\n')}`
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
