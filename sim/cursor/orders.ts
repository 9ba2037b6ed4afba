// Orders that the shared demo model does not know but Cursor has tools for: delete, fetch, find by name; and calls of a tool by its
// name, as in: Call add with {"a":1}

import type { McpToolDefinition } from '../../proto/gen/agent/v1/tool_pb.ts'
import type { ToolCall } from '../model.ts'
import { isRecord } from '../shape.ts'
import { nameForModel, type Surroundings, toTools } from './native-tools.ts'
import { bareName } from './tool-names.ts'

const CALL =
  /\b(?:call|use|invoke)\s+(?:the\s+)?(?:tool\s+)?[`"']?([\w.-]+\w)[`"']?(?:\s+tool)?(?:\s+with\s+(\{[^{}]*\}))?/gi
const DELETE = /\b(?:delete|remove)\s+(?:the\s+)?(?:file\s+)?[`"']?([\w./-]+\.\w+)/gi
const FETCH = /\bfetch\s+[`"']?(https?:\/\/[^\s`"']+)/gi
const GLOB = /\b(?:glob|find\s+(?:all\s+)?files\s+(?:matching|named|like))\s+[`"']?([^\s`"']+)/gi

/** In this order: calls by name, deletions, fetches, searches by file name. All can run in parallel. */
export function readOrders(
  text: string,
  offered: readonly McpToolDefinition[],
  { directory, taken }: Pick<Surroundings, 'directory' | 'taken'>,
): ToolCall[] {
  const named = [...text.matchAll(CALL)].flatMap(([, name = '', json = '{}']): ToolCall[] => {
    const tool = offered.find((candidate) => candidate.name === name || bareName(candidate) === name)
    return tool ? [{ name: nameForModel(tool, taken), arguments: parseArguments(json) }] : []
  })
  const native = (pattern: RegExp, name: string, parameter: string, toWord = (word: string) => word) =>
    [...text.matchAll(pattern)].map(
      ([, word = '']): ToolCall => ({ name, arguments: { [parameter]: toWord(word) } }),
    )
  const absolute = (path: string) =>
    path.startsWith('/') || directory === '' ? path : `${directory.replace(/\/$/, '')}/${path}`
  return [
    ...named,
    ...native(DELETE, 'delete_file', 'target_file', absolute),
    ...native(FETCH, 'web_fetch', 'url'),
    ...native(GLOB, 'glob_file_search', 'glob_pattern'),
  ]
}

const TAKES_OVER: Readonly<Record<string, RegExp>> = {
  delete_file: /delete|remove/i,
  web_fetch: /fetch|url|http/i,
  glob_file_search: /glob/i,
}

/** The client tool for the work of a refused Cursor tool; undefined if there is none. */
export function takeOver(
  call: ToolCall,
  offered: readonly McpToolDefinition[],
  taken: ReadonlySet<string>,
): ToolCall | undefined {
  const verb = TAKES_OVER[call.name]
  const tool = verb && toTools(offered, taken).find(({ name }) => verb.test(name))
  if (tool === undefined) return undefined
  const [value] = Object.values(call.arguments)
  const properties = isRecord(tool.schema.properties) ? Object.keys(tool.schema.properties) : []
  const parameter = properties.find((name) => /path|file|url|pattern/i.test(name)) ?? properties[0] ?? 'input'
  return { name: tool.name, arguments: { [parameter]: value } }
}

function parseArguments(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return isRecord(value) ? value : {}
  } catch {
    // A sentence may continue with a brace that is not JSON.
    return {}
  }
}
