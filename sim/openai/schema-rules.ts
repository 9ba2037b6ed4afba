// Rules of single servers about the schemas of tools and `strict`, with their own error texts.

import { isRecord } from '../shape.ts'
import { Refusal } from './refusal.ts'
import type { ChatRequest } from './request.ts'
import type { ServerRule } from './server-rules.ts'
import { forcedProblem, type SchemaProblem } from './tool-schemas/problems.ts'
import { strictProblem } from './tool-schemas/strict.ts'

type Described = NonNullable<NonNullable<ChatRequest['tools']>[number]['function']>

const functionsOf = ({ tools = [] }: ChatRequest): Described[] =>
  tools.flatMap(({ function: described }) => described ?? [])

/** Refuses every schema with a problem. */
export const schemaRule =
  (problem: SchemaProblem, details = {}): ServerRule =>
  (request) => {
    for (const { name, parameters } of functionsOf(request)) {
      const text = parameters && problem(parameters, name)
      if (text !== undefined) throw new Refusal(text, details)
    }
  }

/** OpenAI: a strict tool must keep to the strict subset, and a list to saying what is in it. */
export const strictSchemas: ServerRule = (request) => {
  for (const [at, { name, parameters, strict }] of functionsOf(request).entries()) {
    const problem = strict === true ? strictProblem(parameters ?? {}) : undefined
    if (problem !== undefined)
      throw new Refusal(`Invalid schema for function '${name}': ${problem}`, {
        param: `tools[${at}].function.parameters`,
        code: 'invalid_function_parameters',
      })
  }
}

/** Cerebras: the same value for all tools, on the models that have it. */
export const evenStrict =
  (models: RegExp): ServerRule =>
  (request) => {
    const values = functionsOf(request).map(({ strict }) => strict === true)
    if (values.includes(true) && values.includes(false))
      throw new Refusal(
        "Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'",
        { status: 422, code: 'wrong_api_format' },
      )
    if (values.includes(true) && !models.test(request.model))
      throw new Refusal('Tools with strict=True are not supported by this model', { status: 422 })
  }

/** vLLM: a forced choice is held to the schema by xgrammar. */
export const forcedSchemas: ServerRule = (request) => {
  if (request.tool_choice === undefined || ['auto', 'none'].includes(String(request.tool_choice))) return
  schemaRule(forcedProblem)(request)
}

/** SGLang, with constrained tools. */
export const oneMeaning: ServerRule = (request) => {
  const known = new Map<string, string>()
  for (const { parameters, strict } of functionsOf(request)) {
    if (strict !== true || !isRecord(parameters?.$defs)) continue
    for (const [name, schema] of Object.entries(parameters.$defs)) {
      const text = JSON.stringify(schema)
      if ((known.get(name) ?? text) !== text)
        throw new Refusal(`Tool definitions have conflicting $defs: ${name}`)
      known.set(name, text)
    }
  }
}
