// Upstream names of the client's tools: `<provider>-<tool>`, as the official client names its MCP tools. Cursor refuses a request with
// the name of one of its own tools, in any spelling. Clients only see their own names.

import { createHash } from 'node:crypto'
import type { Tool } from '../../core/request.ts'

/** The client's tools are offered as those of one MCP server with this name. */
export const toolProvider = 'client'

const longestName = 64
const digestLength = 10

/** Compared in snake case. The last two are not refused, but mistaken for Cursor's own if its web tools are off. */
const ownNames = new Set([
  'read',
  'write',
  'ls',
  'delete',
  'grep',
  'glob',
  'shell',
  'web_search',
  'web_fetch',
  'websearch',
  'webfetch',
])

const snakeCase = (name: string) =>
  name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Depends on the name alone: later runs read the same history without knowing this run. */
export function offeredName(name: string): string {
  const whole = `${toolProvider}-${name}`
  if (whole.length <= longestName) return whole
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digestLength)
  return `${whole.slice(0, longestName - digestLength - 1)}-${digest}`
}

/** The name within the provider: the client's own, unless one of Cursor's tools has it. */
export const offeredToolName = (name: string): string =>
  ownNames.has(snakeCase(name)) ? offeredName(name) : name

/** The tools under the names that the model uses. */
export const asOffered = (tools: readonly Tool[]): Tool[] =>
  tools.map(({ name, description, schema }) => ({
    name: offeredName(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }))

const tables = new WeakMap<readonly Tool[], Map<string, Tool>>()

/**
 * The tool of a call. Models spell names in several ways. The first match counts: the offered name, the name within the provider, the
 * client's name, the spellings in tool lists.
 */
export function findTool(
  tools: readonly Tool[],
  { name, toolName }: { name: string; toolName: string },
): Tool | undefined {
  const table = tables.get(tools) ?? spellings(tools)
  tables.set(tools, table)
  return table.get(name) ?? table.get(toolName)
}

function spellings(tools: readonly Tool[]): Map<string, Tool> {
  const table = new Map<string, Tool>()
  const add = (spell: (name: string) => string[]) => {
    for (const tool of tools)
      for (const spelling of spell(tool.name)) if (!table.has(spelling)) table.set(spelling, tool)
  }
  add((name) => [offeredName(name)])
  add((name) => [offeredToolName(name)])
  add((name) => [name])
  add((name) => [name, offeredToolName(name), offeredName(name)].flatMap(shownNames))
  return table
}

const shownNames = (tool: string) => [
  `${toolProvider}-${tool}`,
  `${toolProvider}___${tool}`,
  `mcp_${toolProvider}_${tool}`,
  `mcp__${toolProvider}__${tool}`,
]
