// A function call in the history, as both OpenAI dialects have it: a name, and arguments as JSON text.

import { writeExact } from '../../base/exact-json.ts'
import type { ToolCallPart } from '../../core/request.ts'
import { type Fields, invalid, optional, string } from './decode.ts'
import { readToolInput } from './tool-input.ts'
import type { Changed } from './tools-in.ts'

export function readFunctionCall(fields: Fields, path: string, id: string, changed: Changed): ToolCallPart[] {
  const name = string(fields.name, `${path}.name`)
  const text = argumentsOf(fields, path)
  const read = readToolInput(text)
  if (!read.ok)
    throw invalid(
      `${path}.arguments`,
      'is not a JSON object; remove or correct this tool call in the history',
    )
  if (read.changed !== undefined) changed(`in the history, ${read.changed}`)
  else if (read.inputs[0] !== fields.arguments) changed()
  // Arguments of several calls under one id: the first keeps the id and the result.
  return read.inputs.map((input, at) => ({
    type: 'tool-call',
    callId: at === 0 ? id : `${id}_${at + 1}`,
    name,
    input,
  }))
}

/** Some clients send the parsed object instead of its text. */
export const argumentsOf = (fields: Fields, path: string): string =>
  optional(fields.arguments, `${path}.arguments`, (value, place) =>
    typeof value === 'object' ? writeExact(value) : string(value, place),
  ) ?? ''
