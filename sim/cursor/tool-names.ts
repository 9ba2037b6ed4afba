// Names of client tools that the service refuses, and the spellings of the names that it accepts.

import type { McpToolDefinition } from '../../proto/gen/agent/v1/tool_pb.ts'
import type { AgentRun } from './agent-run.ts'
import { Refusal } from './refusal.ts'
import { RunOver } from './run-over.ts'

const OWN_NAMES: ReadonlySet<string> = new Set([
  'read',
  'write',
  'ls',
  'delete',
  'grep',
  'glob',
  'shell',
  'web_search',
  'web_fetch',
])

/** `name`: the spelling of the definition. Models also use the other two. */
export type Spelling = 'name' | 'provider-tool' | 'mcp_provider_tool'

/** One reserved name makes the service refuse the whole request. */
export function checkNames(run: AgentRun, tools: readonly McpToolDefinition[]): void {
  for (const { name, toolName } of tools) {
    const taken = [name, toolName].find((given) => OWN_NAMES.has(normalise(given)))
    if (taken === undefined) continue
    const refusal = new Refusal('unavailable', 'Error', {
      error: 57,
      title: 'Provider Error',
      detail:
        "We're having trouble connecting to the model provider. This might be temporary - please try again in a moment.",
      isRetryable: true,
    })
    run.violate(refusal, `the tool name "${taken}" is one of Cursor's own`)
    throw new RunOver('a tool name was refused')
  }
}

/** CamelCase and snake_case are one name. */
function normalise(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

export function spell(definition: McpToolDefinition, spelling: Spelling): string {
  const { name, providerIdentifier } = definition
  if (spelling === 'name') return name
  const tool = bareName(definition)
  return spelling === 'provider-tool' ? `${providerIdentifier}-${tool}` : `mcp_${providerIdentifier}_${tool}`
}

type Named = Pick<McpToolDefinition, 'name' | 'toolName' | 'providerIdentifier'>

/** The tool's name at its client, without the provider that definitions put before it. */
export function bareName({ name, toolName, providerIdentifier }: Named): string {
  if (toolName !== '' && toolName !== name) return toolName
  const prefix = `${providerIdentifier}-`
  return providerIdentifier !== '' && name.startsWith(prefix) ? name.slice(prefix.length) : name
}
