// Constrained decoding: what a server makes of the calls that its model would write. The model of a script writes what the client's
// own schema asks for; held to the schema that arrived, it adds what that one requires.

import type { CallStep, Step } from '../script.ts'
import { isRecord, type Json } from '../shape.ts'
import type { ChatRequest } from './request.ts'

/**
 * strict: calls of strict tools are constrained (OpenAI). any strict: with one strict tool, all are constrained but those with
 * `strict: false`; a strict tool without parameters never ends (vLLM with Qwen). A format for the answer covers all output.
 */
export type Constrains = 'strict' | 'any strict'

export function constrain(
  steps: readonly Step[],
  request: ChatRequest,
  constrains: Constrains,
): readonly Step[] {
  const schemas = constrainedSchemas(request, constrains)
  const isVllm = constrains === 'any strict'
  const isAuto = request.tool_choice === undefined || request.tool_choice === 'auto'
  if (
    isVllm &&
    isAuto &&
    request.tools &&
    isRecord(request.response_format) &&
    request.response_format.type !== 'text'
  )
    return steps.map((step) => ('call' in step ? { say: '{}' } : 'end' in step ? { end: 'stop' } : step))
  return steps.flatMap((step): Step[] => {
    if (!('call' in step)) return [step]
    const schema = schemas.get(step.call.name)
    if (schema === undefined) return [step]
    if (isVllm && Object.keys(propertiesOf(schema)).length === 0)
      return [{ say: '!'.repeat(400) }, { end: 'length' }]
    return [held(step, schema)]
  })
}

function constrainedSchemas({ tools = [] }: ChatRequest, constrains: Constrains): Map<string, Json> {
  const described = tools.flatMap(({ function: one }) => one ?? [])
  const isOn = described.some(({ strict }) => strict === true)
  const held = described.filter(({ strict }) =>
    constrains === 'strict' ? strict === true : isOn && strict !== false,
  )
  return new Map(held.map(({ name, parameters }) => [name, parameters ?? {}]))
}

/** Arguments in the declared order, with null for what is required and was not meant. */
function held(step: CallStep, schema: Json): CallStep {
  const given = step.call.arguments
  if (typeof given === 'string') return step
  return { ...step, call: { ...step.call, arguments: hold(given, schema) as Record<string, unknown> } }
}

function hold(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value
  if (Array.isArray(value)) return value.map((element) => hold(element, schema.items))
  if (!isRecord(value)) return value
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = propertiesOf(schema)
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  const out: Json = {}
  for (const [name, inner] of Object.entries(properties)) {
    if (name in value) out[name] = hold(value[name], inner)
    else if (required.includes(name)) out[name] = null
  }
  return isOpen
    ? { ...out, ...Object.fromEntries(Object.entries(value).filter(([name]) => !(name in properties))) }
    : out
}

const propertiesOf = (schema: Json): Json => (isRecord(schema.properties) ? schema.properties : {})
