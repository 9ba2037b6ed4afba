// Custom tools of OpenAI's dialects: they take free text, optionally with a grammar. No other API has them, so they are offered as
// functions with one argument that contains the text, and their calls are unwrapped again.

import { isObject, parseJson } from '../../base/json.ts'
import type { Tool, ToolCallPart } from '../../core/request.ts'
import { type Fields, invalid, object, optional, string } from './decode.ts'
import { readFunctionTool } from './tools-in.ts'

const customSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of this tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
}

export function readCustomTool(tool: Fields, path: string, note: (text: string) => void): Tool {
  const named = readFunctionTool({ ...tool, parameters: null, strict: null }, path, 'parameters')
  const grammar = optional(tool.format, `${path}.format`, readGrammar)
  note('custom tools were offered as functions with one text argument')
  if (grammar) note('the grammar of a custom tool is sent to the model but not enforced')
  const description = [named.description, grammar].filter(Boolean).join('\n\n')
  return { ...named, schema: customSchema, ...(description ? { description } : {}) }
}

function readGrammar(value: unknown, path: string): string | undefined {
  const format = object(value, path)
  const type = string(format.type, `${path}.type`)
  if (type === 'text') return undefined
  if (type !== 'grammar') throw invalid(`${path}.type`, 'must be text or grammar')
  // Chat has the grammar one level deeper than Responses, and clients mix them up.
  const place = format.grammar === undefined ? path : `${path}.grammar`
  const grammar = format.grammar === undefined ? format : object(format.grammar, place)
  const syntax = string(grammar.syntax, `${place}.syntax`)
  return `The input must match this ${syntax} grammar:\n${string(grammar.definition, `${place}.definition`)}`
}

export const customInput = (text: string) => JSON.stringify({ input: text })

/**
 * The text of a call. Models that know the tool from another definition may use another name for the argument. Arguments of another
 * shape are passed on unchanged: the tool reports what is wrong.
 */
export function customText({ input }: Pick<ToolCallPart, 'input'>): string {
  const value = parseJson(input)
  if (!isObject(value)) return input
  if (typeof value.input === 'string') return value.input
  const [only, ...others] = Object.values(value)
  return typeof only === 'string' && others.length === 0 ? only : input
}
