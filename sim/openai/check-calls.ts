// Groq checks the calls of its models itself. One that it cannot read, or that does not fit the tool, is an error in place of the
// answer, with the text that the model wrote.

import type { CallStep, StatusStep, Step } from '../script.ts'
import { isRecord } from '../shape.ts'
import type { ChatRequest } from './request.ts'

export function checkCalls(steps: readonly Step[], request: ChatRequest): readonly Step[] {
  for (const step of steps) {
    const problem = 'call' in step ? problemOf(step, request) : undefined
    if (problem !== undefined && 'call' in step) return [failed(problem, step)]
  }
  return steps
}

function problemOf(
  { call: { name, arguments: given } }: CallStep,
  { tools = [] }: ChatRequest,
): string | undefined {
  const described = tools.flatMap(({ function: one }) => one ?? []).find((one) => one.name === name)
  if (described === undefined)
    return `tool call validation failed: attempted to call tool '${name}' which was not in request.tools`
  const value = typeof given === 'string' ? parsed(given) : given
  if (!isRecord(value))
    return "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."
  const { parameters = {} } = described
  const required = Array.isArray(parameters.required) ? parameters.required : []
  const missing = required.filter((one) => !(String(one) in value))
  if (missing.length === 0) return undefined
  return `tool call validation failed: parameters for tool ${name} did not match schema: errors: [missing properties: '${missing.join("', '")}']`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const failed = (message: string, { call }: CallStep): StatusStep => ({
  status: 400,
  body: {
    error: {
      message,
      type: 'invalid_request_error',
      code: 'tool_use_failed',
      failed_generation: `<function=${call.name}>${typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)}</function>`,
    },
  },
})
