// Tools and toolConfig of a request. Schemas go out as JSON Schema: the older form of parameters refuses most of its keywords.

import type { Fields } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { SchemaLowering } from '../tool-schemas/lowered-tools.ts'
import type { GeminiModel } from './models.ts'

interface ToolsOut {
  tools?: Fields[]
  toolConfig?: Fields
}

/** The service takes no more. */
export const mostTools = 512

export function toTools(
  request: TurnRequest,
  { mixes }: GeminiModel,
  note: (text: string) => void,
): ToolsOut {
  const { tools, opaqueTools = [], parallelToolCalls } = request
  const own = opaqueTools.map(({ value }): Fields => ({ ...value }))
  if (tools.length === 0) return own.length === 0 ? {} : { tools: own }
  if (parallelToolCalls === false)
    note('parallel tool calls cannot be switched off at this service; there may be several')
  const config = toConfig(request)
  const invocations = own.length > 0 && mixes ? { includeServerSideToolInvocations: true } : {}
  const toolConfig = { ...(config ? { functionCallingConfig: config } : {}), ...invocations }
  return {
    tools: [{ functionDeclarations: declarations(request, note) }, ...own],
    ...(Object.keys(toolConfig).length > 0 ? { toolConfig } : {}),
  }
}

function declarations({ tools }: TurnRequest, note: (text: string) => void): Fields[] {
  const lowering = new SchemaLowering({ subset: 'gemini-json', keywords: [] })
  const written = tools.map(({ name, description, schema }) => ({
    name,
    ...(description ? { description } : {}),
    parametersJsonSchema: lowering.lower(schema),
  }))
  if (lowering.note !== undefined) note(lowering.note)
  return written
}

/** Undefined: the model decides, which is the default. */
function toConfig({ toolChoice, tools, opaqueTools = [] }: TurnRequest): Fields | undefined {
  switch (toolChoice?.type) {
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [toolChoice.name] }
    default:
      // Calls are held to their schemas; the service wants it beside its own tools.
      if (tools.some(({ strict }) => strict) || opaqueTools.length > 0) return { mode: 'VALIDATED' }
      return toolChoice ? { mode: 'AUTO' } : undefined
  }
}
