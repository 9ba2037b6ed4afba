// Custom tools of OpenAI's dialects: they take free text, optionally with a grammar. Only the Responses API has them upstream; for
// others they are functions with one argument that contains the text, and their calls are unwrapped again.

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

/** They turn out wrong if the backend has custom tools of its own. */
export const customToolNotes = [
  'custom tools were offered as functions with one text argument',
  'the grammar of a custom tool is sent to the model but not enforced',
] as const

export function readCustomTool(tool: Fields, path: string, note: (text: string) => void): Tool {
  const named = readFunctionTool({ ...tool, parameters: null, strict: null }, path, 'parameters')
  const grammar = optional(tool.format, `${path}.format`, readGrammar)
  note(customToolNotes[0])
  if (grammar) note(customToolNotes[1])
  const { description: own } = named
  const rule = grammar && `The input must match this ${grammar.syntax} grammar:\n${grammar.definition}`
  const description = [own, rule].filter(Boolean).join('\n\n')
  const format = grammar && { type: 'grammar', syntax: grammar.syntax, definition: grammar.definition }
  const custom = { ...(own ? { description: own } : {}), ...(format ? { format } : {}) }
  return { ...named, schema: customSchema, custom, ...(description ? { description } : {}) }
}

function readGrammar(value: unknown, path: string): { syntax: string; definition: string } | undefined {
  const format = object(value, path)
  const type = string(format.type, `${path}.type`)
  if (type === 'text') return undefined
  if (type !== 'grammar') throw invalid(`${path}.type`, 'must be text or grammar')
  // Chat has the grammar one level deeper than Responses, and clients mix them up.
  const place = format.grammar === undefined ? path : `${path}.grammar`
  const grammar = format.grammar === undefined ? format : object(format.grammar, place)
  const syntax = string(grammar.syntax, `${place}.syntax`)
  return { syntax, definition: string(grammar.definition, `${place}.definition`) }
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
