// Tools and toolConfig of a request. Tools that the service itself runs (search, URL context, code execution) are opaque.

import type { GatewayError } from '../../core/errors.ts'
import type { OpaqueTool, Tool, ToolChoice } from '../../core/request.ts'
import { array, type Fields, invalid, object, optional, string, unsupported } from '../requests/decode.ts'
import { type Choice, possibleChoice, refuseRepeatedNames, requireTool } from '../requests/tools-in.ts'
import { dialect } from './dialect.ts'
import { camelCase, member } from './member.ts'
import { fromJsonSchema, fromOpenApiSchema } from './schema-in.ts'

export interface ToolsIn extends Choice {
  opaqueTools: OpaqueTool[]
  /** The error of services that cannot run the tools which this request is about. */
  needs: GatewayError[]
}

const declarations = 'functionDeclarations'

export function readToolsAndChoice(fields: Fields): ToolsIn {
  const offered: Tool[] = []
  const opaqueTools: OpaqueTool[] = []
  for (const [at, value] of (optional(fields.tools, 'tools', array) ?? []).entries()) {
    const path = `tools[${at}]`
    for (const [given, part] of Object.entries(object(value, path))) {
      const kind = camelCase(given)
      if (part === undefined || part === null) continue
      if (kind !== declarations) opaqueTools.push({ dialect, kind, name: undefined, value: { [kind]: part } })
      else
        for (const [index, entry] of array(part, `${path}.${kind}`).entries())
          offered.push(readDeclaration(entry, `${path}.${kind}[${index}]`))
    }
  }
  refuseRepeatedNames(offered)
  const choice = readChoice(fields, offered, opaqueTools)
  // Without its search, a model that is asked to search invents what it has found.
  const needs = offered.length === 0 && choice.toolChoice?.type !== 'none' ? opaqueTools.map(needOf) : []
  return { ...choice, opaqueTools, needs }
}

const needOf = ({ kind }: OpaqueTool) =>
  unsupported(
    'tools',
    `${kind.slice(0, 100)} runs at Google, and the model of this name is elsewhere. Use another tool, or a Gemini model.`,
  )

function readDeclaration(value: unknown, path: string): Tool {
  const fields = object(value, path)
  const name = string(fields.name, `${path}.name`)
  if (name === '') throw invalid(`${path}.name`, 'must not be empty')
  const description = optional(fields.description, `${path}.description`, string)
  const stated = optional(fields.parameters, `${path}.parameters`, object)
  const json = optional(member(fields, 'parametersJsonSchema'), `${path}.parametersJsonSchema`, object)
  if (stated && json)
    throw invalid(`${path}.parametersJsonSchema`, 'and parameters cannot both be set; leave one out')
  const schema = (json && fromJsonSchema(json)) ?? (stated && fromOpenApiSchema(stated))
  return {
    name,
    schema: schema ?? { type: 'object', properties: {} },
    ...(description ? { description } : {}),
  }
}

const path = 'toolConfig.functionCallingConfig'

function readChoice(fields: Fields, tools: Tool[], opaqueTools: readonly OpaqueTool[]): Choice {
  const config = optional(member(fields, 'toolConfig'), 'toolConfig', object)
  const calling = config && optional(member(config, 'functionCallingConfig'), path, object)
  if (!calling) return { tools, toolChoice: undefined }
  const mode = optional(calling.mode, `${path}.mode`, string)
  const names = optional(member(calling, 'allowedFunctionNames'), `${path}.allowedFunctionNames`, array) ?? []
  const known = new Set(tools.map(({ name }) => name))
  const allowed = new Set(
    names.map((value, at) => {
      const place = `${path}.allowedFunctionNames[${at}]`
      const name = string(value, place)
      if (!known.has(name)) requireTool(name, place, tools)
      return name
    }),
  )
  const kept = allowed.size === 0 ? tools : tools.filter(({ name }) => allowed.has(name))
  const choice = { tools: kept, toolChoice: choiceOf(mode, allowed) }
  return opaqueTools.length > 0 ? choice : possibleChoice(choice, path, () => undefined)
}

function choiceOf(mode: string | undefined, allowed: ReadonlySet<string>): ToolChoice | undefined {
  if (mode === undefined) return undefined
  switch (mode.toUpperCase()) {
    case 'MODE_UNSPECIFIED':
      return undefined
    // The service also checks the arguments then, as some others always do.
    case 'VALIDATED':
    case 'AUTO':
      return { type: 'auto' }
    case 'NONE':
      return { type: 'none' }
    case 'ANY': {
      const [name = ''] = allowed
      return allowed.size === 1 ? { type: 'tool', name } : { type: 'required' }
    }
    default:
      throw invalid(`${path}.mode`, 'must be one of AUTO, ANY, NONE, VALIDATED')
  }
}
