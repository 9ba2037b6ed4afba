// Which of Cursor's own tools a run has, by two headers of each of its requests. They bind only the model.

import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from './refusal.ts'

const ALLOWED = 'x-cursor-agent-allowed-tools'
const EXCLUDED = 'x-cursor-agent-exclude-tools'
const CLIENT_TOOLS = 'mcp_tool_call'

/** `leaky`: the model begins with one of Cursor's tools nevertheless. `ignored`: the headers have no effect. */
export type ToolsetMode = 'kept' | 'leaky' | 'ignored'

/** Tools that a run needs if the headers list the allowed tools. */
export interface RequiredTools {
  readonly withClientTools: readonly string[]
  readonly withoutClientTools: readonly string[]
}

export const REQUIRED: RequiredTools = {
  withClientTools: ['get_mcp_tools_tool_call'],
  withoutClientTools: [],
}

export class Toolset {
  /** Undefined: the standard set. */
  readonly allowed: readonly string[] | undefined
  readonly excluded: readonly string[]

  constructor(headers: IncomingHttpHeaders) {
    this.allowed = listOf(headers[ALLOWED])
    this.excluded = listOf(headers[EXCLUDED]) ?? []
  }

  /** By name of its call, as in `read_tool_call`. */
  has(tool: string): boolean {
    return (this.allowed?.includes(tool) ?? true) && !this.excluded.includes(tool)
  }

  get hasClientTools(): boolean {
    return this.has(CLIENT_TOOLS)
  }

  isSame(other: Toolset): boolean {
    return String(this) === String(other)
  }

  toString(): string {
    return JSON.stringify([this.allowed ?? null, this.excluded])
  }

  /** Throws if a required tool is missing. */
  check(required: RequiredTools, offersTools: boolean): void {
    if (this.allowed === undefined) return
    const wanted = offersTools ? required.withClientTools : required.withoutClientTools
    const missing = wanted.find((tool) => !this.has(tool))
    if (missing === undefined) return
    const name = missing.replace(/_tool_call$/, '').toUpperCase()
    throw new Refusal('internal', `Required tool ${name} not found in allTools`)
  }
}

/** Empty means no tool; undefined without the header. */
function listOf(header: string | string[] | undefined): string[] | undefined {
  if (header === undefined) return undefined
  return String(header)
    .split(',')
    .filter((name) => name !== '')
}
