// Which of Cursor's own tools a run has, by the headers of each of its requests. Hidden tools are not shown to the model, which
// then uses the client's. It is no wall: whatever the service asks for all the same is still redirected or refused.

import { GatewayError } from '../../core/errors.ts'
import { builtInTools } from '../../protocols/cursor-agent/built-in-tools.ts'

/** `redirect`: the model has Cursor's tools, and what they ask for is done by the client's. */
export type NativeTools = 'hide' | 'redirect'

export type ToolHeaders = Readonly<Record<string, string>>

const allowHeader = 'x-cursor-agent-allowed-tools'
const excludeHeader = 'x-cursor-agent-exclude-tools'
/** With the first alone, runs end for want of the second. */
const clientTools = ['mcp_tool_call', 'get_mcp_tools_tool_call']

const required = /\bRequired tool ([A-Z0-9_]{1,64}) not found in allTools\b/
/** The service decides what it requires; that this is little is ours. */
const mostLearned = 16

export class Toolsets {
  readonly #mode: NativeTools
  readonly #learned = new Set<string>()
  /** Runs without any tool are refused: all are excluded instead. */
  #excludesAll = false

  constructor(mode: NativeTools) {
    this.#mode = mode
  }

  headers(hasClientTools: boolean): ToolHeaders {
    if (this.#mode === 'redirect') return {}
    if (hasClientTools) return { [allowHeader]: [...clientTools, ...this.#learned].join() }
    // Present and empty is no tool at all; absent is all of them.
    return this.#excludesAll ? { [excludeHeader]: builtInTools.join() } : { [allowHeader]: '' }
  }

  /** Remembers what a run was refused for; gives what is said of it where another try may do better. */
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

/** As the headers name it; undefined for a failure of another kind. */
export function missingTool(failure: unknown): string | undefined {
  if (!(failure instanceof GatewayError) || failure.upstream === undefined) return undefined
  const [, name] = required.exec(failure.upstream.excerpt ?? failure.message) ?? []
  return name && `${name.toLowerCase()}_tool_call`
}
