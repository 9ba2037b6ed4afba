// Web search and fetch for a model whose service does not have them: the model gets functions instead, which the gateway runs.

import { repairHistory } from '../core/history.ts'
import { recalled } from '../core/recall.ts'
import type { TurnRequest } from '../core/request.ts'
import type { WebKind, WebTool } from '../core/web.ts'
import { functionTool } from '../protocols/web-tools/function-tools.ts'
import { withWebHistory } from '../protocols/web-tools/web-history.ts'
import type { Target } from './catalog.ts'
import type { Serving } from './serving.ts'

export interface WebPlan {
  /** The first request to the model. */
  request: TurnRequest
  /** Web tools by the names of their functions. */
  tools: ReadonlyMap<string, WebTool>
}

/** The name of the runner of each kind, for notes. */
type Runners = { [kind in WebKind]?: string }

/** Undefined if the service runs the web tools itself, or the gateway may not run them. */
export function offerWebTools(request: TurnRequest, target: Target, serving: Serving): WebPlan | undefined {
  const asked = request.webTools?.tools ?? []
  if (asked.length === 0) return undefined
  // A replay takes the runners from the tape: it has the recorded results, and runs no web tools.
  const runners = recalled(serving.recall, 'web tools', () => runnersFor(request, target, serving))
  const tools = asked.filter(({ kind }) => runners?.[kind] !== undefined)
  if (!runners || tools.length === 0) return undefined
  const named = new Map(tools.map((tool) => [freeName(tool.name, request), tool]))
  for (const [name, { kind }] of named)
    serving.notes.add(
      `tool type web_${kind} is run by the gateway (${runners[kind]}), as the function ${name}: ${target.backendName} does not have it`,
    )
  return { request: withFunctions(request, named, (text) => serving.notes.add(text)), tools: named }
}

function runnersFor(
  request: TurnRequest,
  { backend, backendName, model }: Target,
  { services: { web } }: Serving,
): Runners | undefined {
  if (!web) return undefined
  const isNative = backend.toolFacts?.(request).runsWebTools === true
  const kinds = (['search', 'fetch'] as const).filter(
    (kind) => web.runs(kind) && (!isNative || web.isLacking(kind, backendName, model)),
  )
  return kinds.length === 0 ? undefined : Object.fromEntries(kinds.map((kind) => [kind, web.nameOf(kind)]))
}

/** The client may have a tool of the same name. */
function freeName(name: string, { tools, inlineTools = [] }: TurnRequest): string {
  const taken = [...tools, ...inlineTools].some((tool) => tool.name === name)
  return taken ? `gateway_${name}` : name
}

function withFunctions(
  request: TurnRequest,
  named: ReadonlyMap<string, WebTool>,
  note: (text: string) => void,
): TurnRequest {
  const { opaqueTools = [], needs = [], webTools, toolChoice, messages } = request
  const replaced = new Set([...named.values()].map(({ tool }) => tool))
  const names = new Map([...named].map(([name, { kind }]) => [kind, name]))
  const left = needs.filter((need) => !webTools?.needs.includes(need))
  const wanted = [...named].find(
    ([, { kind, name }]) =>
      webTools?.chosen === kind || (toolChoice?.type === 'tool' && toolChoice.name === name),
  )
  const { needs: _needs, ...rest } = request
  return {
    ...rest,
    ...(left.length > 0 ? { needs: left } : {}),
    messages: repairHistory(withWebHistory(messages, names), note),
    tools: [...request.tools, ...[...named].map(([name, tool]) => functionTool(tool, name))],
    opaqueTools: opaqueTools.filter((tool) => !replaced.has(tool)),
    ...(wanted ? { toolChoice: { type: 'tool', name: wanted[0] } } : {}),
    origin: { ...request.origin, faithful: false },
  }
}
