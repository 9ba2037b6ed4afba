// Settings for tools as text: how tools are described in the prompt of a model without native tool calls.

import { z } from 'zod'
import { defaultCallTag } from '../protocols/tool-text/markup.ts'

const toolTextFormat = z.enum(['json', 'xml'])

/** Tags that models or this gateway use for tool calls, tools or thoughts. */
const takenTags = new Set([
  'arg_key', 'arg_value', 'function', 'function_call', 'function_calls', 'invoke', 'parameter', 'think', 'thinking',
  'tool_calls', 'tool_response', 'tools',
]) // biome-ignore format: a list to be read as one

const toolText = (tag: string) => ({
  format: toolTextFormat
    .default('json')
    .describe('The format in which a model is asked to write calls; xml needs no escaping of code.'),
  formats: z
    .record(z.string().min(1), toolTextFormat)
    .default({})
    .describe('The format for single models, by name; * matches anything.'),
  tag: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{2,31}$/, 'must be 3 to 32 letters, digits, "_" and "-", a letter first')
    .refine(
      (name) => !takenTags.has(name.toLowerCase()),
      'is a tag that models use for other purposes; choose another',
    )
    .default(tag)
    .describe('The tag around a call.'),
  secondTry: z.boolean().default(true).describe('If a call cannot be parsed, ask the model once more.'),
})

export const openaiToolText = z.strictObject({
  ...toolText(defaultCallTag),
  systemRole: z
    .boolean()
    .default(true)
    .describe('The server supports system messages; false: they are prepended to the first user message.'),
})

export const defaultToolText = openaiToolText.parse({})

/** The service parses the models' own call syntax itself, and has no system messages. */
export const qwenToolText = z.strictObject(toolText('use_tool'))
