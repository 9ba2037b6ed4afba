// Discovery of the client's tools: before a call, the service asks for the state of the MCP servers, each time again, and knows only the
// tools in the answer.

import { create } from '@bufbuild/protobuf'
import { McpStateExecArgsSchema, type McpStateServer } from '../../proto/gen/agent/v1/exec_mcp_state_pb.ts'
import type { AgentRun } from './agent-run.ts'
import type { ExecSpec } from './exec-kinds.ts'
import type { ExecOutcome } from './exec-ledger.ts'
import { Refusal } from './refusal.ts'
import { RunOver } from './run-over.ts'

/** `first`: before the first call of a client tool in a run. Without a choice, so for models of the Grok family. */
export type DiscoveryMode = 'never' | 'first' | 'every'

export class Discovery {
  readonly #run: AgentRun
  readonly #mode: DiscoveryMode
  /** Tool names in the answer, by server. */
  #known: ReadonlyMap<string, ReadonlySet<string>> | undefined

  constructor(run: AgentRun, model: string, mode: DiscoveryMode | undefined) {
    this.#run = run
    this.#mode = mode ?? (model.includes('grok') ? 'first' : 'never')
  }

  async before(spec: ExecSpec): Promise<void> {
    if (this.#mode === 'never' || !('args' in spec) || spec.args.case !== 'mcpArgs') return
    const { name, toolName, providerIdentifier } = spec.args.value
    if (this.#known === undefined || this.#mode === 'every') this.#known = await this.#ask(providerIdentifier)
    const tools = this.#known.get(providerIdentifier)
    if (tools === undefined) throw this.#refused(`names no server "${providerIdentifier}"`)
    if (!tools.has(name) && !tools.has(toolName)) throw this.#refused(`names no tool "${name}"`)
  }

  async #ask(server: string): Promise<Map<string, Set<string>>> {
    const value = create(McpStateExecArgsSchema, { serverIdentifiers: [server] })
    const outcome = await this.#run.waitFor(this.#run.ask({ args: { case: 'mcpStateExecArgs', value } }).done)
    return new Map(
      this.#read(outcome).map(({ serverIdentifier, tools }) => [
        serverIdentifier,
        new Set(tools.flatMap(({ name, toolName }) => [name, toolName])),
      ]),
    )
  }

  #read({ results, thrown }: ExecOutcome): McpStateServer[] {
    const message = results[0]?.message
    const result = message?.case === 'mcpStateExecResult' ? message.value.result : undefined
    if (result?.case === 'success') return result.value.servers
    throw this.#refused(thrown === undefined ? `is ${result?.case ?? 'empty'}` : `was thrown: ${thrown}`)
  }

  #refused(how: string): RunOver {
    this.#run.violate(new Refusal('internal', `Unsupported tool: the answer to mcp_state ${how}`))
    return new RunOver('the client tools could not be learned of')
  }
}
