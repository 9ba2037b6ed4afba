// The tool of the gateway that stands in for deferred tools: its definition, its arguments and its results. All texts depend on the
// tools alone, so a later request repeats them byte for byte and prompt caches hold.

import { isObject, parseJson } from '../../base/json.ts'
import type { Tool } from '../../core/request.ts'

/** Characters of the overview in the description. */
const longestOverview = 1_200
/** Characters of a query. Anthropic's search takes as many. */
const longestQuery = 500

export function searchTool(name: string, by: 'words' | 'pattern', deferred: readonly Tool[]): Tool {
  const how =
    by === 'pattern'
      ? 'What to search for: a few words, or a regular expression.'
      : 'A few words: what the tool does, and to what.'
  return {
    name,
    description: `Searches ${deferred.length} further tools that are not loaded yet, and loads those that fit best. Call it before you say that a tool is missing. Loaded tools can be called directly afterwards. The tools to search: ${overview(deferred)}.`,
    schema: {
      type: 'object',
      properties: { query: { type: 'string', description: how } },
      required: ['query'],
      additionalProperties: false,
    },
  }
}

/** The sources of the tools with their numbers, such as `github (51)`. A tool without a common source is named. */
function overview(tools: readonly Tool[]): string {
  const groups = new Map<string, string[]>()
  for (const { name } of tools) {
    const source = sourceOf(name)
    const group = groups.get(source)
    if (group) group.push(name)
    else groups.set(source, [name])
  }
  let text = ''
  for (const [source, names] of groups) {
    const [first = ''] = names
    const entry = names.length === 1 ? first : `${source} (${names.length})`
    if (text.length + entry.length > longestOverview) return `${text} and others`
    text += text === '' ? entry : `, ${entry}`
  }
  return text
}

/** `mcp__github__create_issue` and `github_create_issue` are of github. */
function sourceOf(name: string): string {
  const [, server] = /^mcp__(.+?)__/.exec(name) ?? []
  return server ?? /^[^_.:/-]+/.exec(name)?.[0] ?? name
}

/** A tool of a server, by the names that clients give them. Such tools are many, and few are needed at once. */
export const isServerTool = (name: string): boolean => /^mcp_|__|\.|:|\//.test(name)

/** The query of a call. Models that know another search tool may use another name for the argument. */
export function queryOf(input: string): string {
  const value = parseJson(input)
  if (!isObject(value)) return ''
  const stated = value.query ?? value.pattern
  const words =
    typeof stated === 'string' ? [stated] : Object.values(value).filter((word) => typeof word === 'string')
  return words.join(' ').slice(0, longestQuery)
}

export function resultText(found: readonly string[]): string {
  return found.length === 0
    ? 'No tool fits these words. Search with other words, or go on without.'
    : `Loaded: ${found.join(', ')}. Call them directly now.`
}
