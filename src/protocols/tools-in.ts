// What must hold for the tools of a request, whatever dialect it came in.

import type { Tool, ToolChoice } from '../core/request.ts'
import { invalid } from './decode.ts'

/** Told of whatever could not be taken as it stands; with a note where the client should know. */
export type Changed = (note?: string) => void

export function refuseRepeatedNames(tools: readonly Tool[]): void {
  const seen = new Set<string>()
  for (const { name } of tools) {
    if (seen.has(name)) throw invalid('tools', `two tools are called "${name}"; names must be distinct`)
    seen.add(name)
  }
}

export function requireTool(name: string, path: string, tools: readonly Tool[]): void {
  if (tools.some((tool) => tool.name === name)) return
  throw invalid(path, `names the tool "${name}", which is not among the tools of this request`)
}

/** Without tools there is nothing to choose from. */
export function choiceAmong(
  tools: readonly Tool[],
  choice: ToolChoice | undefined,
  path: string,
  changed: Changed,
): ToolChoice | undefined {
  if (tools.length > 0 || choice === undefined || choice.type === 'none') return choice
  if (choice.type !== 'auto') throw invalid(path, 'asks for a tool call, but there are no tools')
  // Harmless, and several clients send it always; strict upstreams refuse it.
  changed()
  return undefined
}
