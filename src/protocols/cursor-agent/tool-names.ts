// What the client's tools are called upstream: `<provider>-<tool>`, as the official client names its own. Names that Cursor's
// own tools have, however they are written, make it refuse the whole request. Clients only ever see their own names.

import { createHash } from 'node:crypto'
import type { Tool } from '../../core/request.ts'

/** Under this name the client's tools are offered, as those of one MCP server. */
export const toolProvider = 'client'

const longestName = 64
const digestLength = 10

/** Compared in snake case. The last two are not refused, but taken for Cursor's own where its web tools are off. */
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

/** A function of the name alone: histories are read again by runs that know nothing of each other. */
export function offeredName(name: string): string {
  const whole = `${toolProvider}-${name}`
  if (whole.length <= longestName) return whole
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digestLength)
  return `${whole.slice(0, longestName - digestLength - 1)}-${digest}`
}

/** The name within its provider: the client's own, unless Cursor has a tool that is called so. */
export const offeredToolName = (name: string): string =>
  ownNames.has(snakeCase(name)) ? offeredName(name) : name

/** Tools in words for the model, by the names that it calls them. */
export const asOffered = (tools: readonly Tool[]): Tool[] =>
  tools.map(({ name, description, schema }) => ({
    name: offeredName(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }))

const tables = new WeakMap<readonly Tool[], Map<string, Tool>>()

/**
 * The tool that a call means. Models write names in several ways; the definition's own name comes first, then the name within the
 * provider, then the client's, then the ways in which lists of tools show them.
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
