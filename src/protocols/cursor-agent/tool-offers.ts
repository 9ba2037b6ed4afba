// The client's tools as definitions for the model. Agents send the same tools with every request, and runs live long: equal offers
// are kept once, as long as any run uses them.

import { hash } from 'node:crypto'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { type McpToolDefinition, McpToolDefinitionSchema } from '../../../proto/gen/agent/v1/tool_pb.ts'
import { writeExact } from '../../base/exact-json.ts'
import type { Tool } from '../../core/request.ts'
import { encodedField, type Part } from './encoded-fields.ts'
import { toValue } from './json-value.ts'
import { offeredName, offeredToolName, toolProvider } from './tool-names.ts'

export interface ToolOffer {
  readonly tools: readonly Tool[]
  /** Each as an encoded McpToolDefinition. */
  readonly definitions: readonly Uint8Array[]
}

/** `both`: also as JSON text, which keeps the spelling of numbers. */
export type ToolSchemas = 'value' | 'both'

/** The definitions of an offer, by its tools. */
const definitionsByTools = new WeakMap<readonly Tool[], readonly Uint8Array[]>()

export class ToolOffers {
  readonly #schemas: ToolSchemas
  readonly #offers = new Map<string, WeakRef<ToolOffer>>()
  /** By the list of a request, which is asked for more than once. */
  readonly #byList = new WeakMap<readonly Tool[], ToolOffer>()
  readonly #forgotten = new FinalizationRegistry<string>((key) => {
    if (this.#offers.get(key)?.deref() === undefined) this.#offers.delete(key)
  })

  constructor(schemas: ToolSchemas = 'value') {
    this.#schemas = schemas
  }

  get size(): number {
    return this.#offers.size
  }

  share(tools: readonly Tool[]): ToolOffer {
    const shared = this.#byList.get(tools) ?? this.#find(tools)
    this.#byList.set(tools, shared)
    return shared
  }

  #find(tools: readonly Tool[]): ToolOffer {
    const key = hash('sha256', JSON.stringify(tools), 'base64')
    const known = this.#offers.get(key)?.deref()
    if (known) return known
    const encoded = (tool: Tool) => toBinary(McpToolDefinitionSchema, toDefinition(tool, this.#schemas))
    const offer = { tools, definitions: tools.map(encoded) }
    definitionsByTools.set(tools, offer.definitions)
    this.#offers.set(key, new WeakRef(offer))
    this.#forgotten.register(offer, key)
    return offer
  }
}

/** The definitions as they were offered. */
export function definitionsOf(tools: readonly Tool[]): McpToolDefinition[] {
  const offered = definitionsByTools.get(tools)
  if (offered === undefined) return tools.map((tool) => toDefinition(tool, 'value'))
  return offered.map((definition) => fromBinary(McpToolDefinitionSchema, definition))
}

function toDefinition(tool: Tool, schemas: ToolSchemas): McpToolDefinition {
  return create(McpToolDefinitionSchema, {
    name: offeredName(tool.name),
    toolName: offeredToolName(tool.name),
    providerIdentifier: toolProvider,
    description: tool.description ?? '',
    inputSchema: toValue(tool.schema),
    ...(schemas === 'both' ? { inputSchemaJson: writeExact(tool.schema) } : {}),
  })
}

/** The definitions as a repeated field. */
export const definitionFields = (number: number, { definitions }: ToolOffer): Part[] =>
  definitions.map((definition) => encodedField(number, definition))
