// Which of Cursor's own tools a run has, as headers of each of its requests. The model does not see hidden tools and uses the
// client's instead. This is no guarantee: what the service asks for nevertheless is redirected or refused.

import { GatewayError } from '../../core/errors.ts'
import { builtInTools } from '../../protocols/cursor-agent/built-in-tools.ts'

/** `redirect`: the model has Cursor's tools, and the client's tools do their work. */
export type NativeTools = 'hide' | 'redirect'

export type ToolHeaders = Readonly<Record<string, string>>

const allowHeader = 'x-cursor-agent-allowed-tools'
const excludeHeader = 'x-cursor-agent-exclude-tools'
/** Without the second, the service ends the run. */
const clientTools = ['mcp_tool_call', 'get_mcp_tools_tool_call']

const required = /\bRequired tool ([A-Z0-9_]{1,64}) not found in allTools\b/
/** The service decides which tools it requires; this limits how many are remembered. */
const mostLearned = 16

export class Toolsets {
  readonly #mode: NativeTools
  readonly #learned = new Set<string>()
  /** The service refused an empty list: each tool is excluded by name instead. */
  #excludesAll = false

  constructor(mode: NativeTools) {
    this.#mode = mode
  }

  headers(hasClientTools: boolean): ToolHeaders {
    if (this.#mode === 'redirect') return {}
    if (hasClientTools) return { [allowHeader]: [...clientTools, ...this.#learned].join() }
    // An empty header allows no tool; without the header all are allowed.
    return this.#excludesAll ? { [excludeHeader]: builtInTools.join() } : { [allowHeader]: '' }
  }

  /** Remembers the tool that a refused run lacked. Returns a note if a retry may succeed. */
  learn(failure: unknown, hasClientTools: boolean): string | undefined {
    const missing = missingTool(failure)
    if (missing === undefined || this.#mode === 'redirect') return undefined
    if (!hasClientTools) {
      if (this.#excludesAll) return undefined
      this.#excludesAll = true
      return `the service does not run without ${missing}: its tools are excluded one by one instead`
    }
    const isKnown = clientTools.includes(missing) || this.#learned.has(missing)
    if (isKnown || this.#learned.size >= mostLearned) return undefined
    this.#learned.add(missing)
    return `the service does not run without ${missing}: that tool is allowed from now on`
  }
}

/** The tool's name in the headers; undefined for any other failure. */
export function missingTool(failure: unknown): string | undefined {
  if (!(failure instanceof GatewayError) || failure.upstream === undefined) return undefined
  const [, name] = required.exec(failure.upstream.excerpt ?? failure.message) ?? []
  return name && `${name.toLowerCase()}_tool_call`
}
